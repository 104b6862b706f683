package symbols

import (
	"slices"

	"trivium/kernel/symbols/internal/extra"
)

var (
	extraExport = extra.Export
	extraDoc    = extra.Doc

	extraExports = archive{data: &extraExport}
	extraDocs    = archive{data: &extraDoc}
)

// Modules are the third-party modules whose packages are in this program besides the usual ones, as
// the %get that built it was asked for them: "example.com/m@v1.2.3".
func (Table) Modules() []string { return slices.Clone(extra.Modules) }
