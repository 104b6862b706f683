// Package extra is the tables of third-party packages. In the kernel as it is installed there are
// none: the program that %get builds has a generated file in the place of this one.
package extra

import "trivium/kernel/symbols/internal/table"

// Packages are the tables, sorted by path.
var Packages []*table.Package

// Modules are the modules of the packages, as %get was asked for them: "example.com/m@v1.2.3".
var Modules []string

// Export and Doc are zip files, as package symbols has them for the other packages.
const Export, Doc = "", ""
