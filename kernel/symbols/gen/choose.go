package main

import (
	"strings"

	"trivium/kernel/symbols/internal/stamp"
)

// group is a set of packages whose tables are compiled together.
type group struct {
	name     string   // of the generated Go package
	patterns []string // for go list
}

var groups = []*group{
	{"std", []string{"std"}},
	{"gonum", []string{"gonum.org/v1/gonum/..."}},
	{"plot", []string{"gonum.org/v1/plot/..."}},
	{"own", below(stamp.Roots)},
}

func below(roots []string) (patterns []string) {
	for _, r := range roots {
		patterns = append(patterns, "./"+r+"/...")
	}
	return patterns
}

// leftOut says why a package that could be listed is not for cells.
var leftOut = map[string]string{
	"syscall":                "differs from one platform to the next, so tables made on one would not compile on another; os and os/signal serve notebooks",
	"log/syslog":             "exists on some platforms only",
	"unsafe":                 "the interpreter's values do not have Go's layout",
	"plugin":                 "needs cgo, and a plugin would have to be built with this very binary",
	"runtime/cgo":            "needs cgo",
	"runtime/race":           "nothing but a marker for the race detector",
	"runtime/coverage":       "works in binaries built for coverage only",
	"time/tzdata":            "has no names; linking it would add the time zones to every kernel",
	"testing/cryptotest":     "for tests of compiled packages only",
	"testing/synctest":       "works within go test only",
	"testing/slogtest":       "for tests of compiled packages only",
	"crypto/mlkem/mlkemtest": "for tests of compiled packages only",

	"gonum.org/v1/gonum/blas/testblas":              "test helper of gonum's own",
	"gonum.org/v1/gonum/lapack/testlapack":          "test helper of gonum's own",
	"gonum.org/v1/gonum/graph/testgraph":            "test helper of gonum's own",
	"gonum.org/v1/gonum/graph/formats/rdf/testdata": "test helper of gonum's own",
	"gonum.org/v1/plot/cmpimg":                      "test helper of plot's own, needs modules that nothing else needs",
	"gonum.org/v1/plot/gob":                         "has no names",
}

// choose gives the group of a listed package, nil if it is a dependency or not importable,
// and the reason when it is importable and left out all the same.
func choose(p *pkg) (*group, string) {
	path := p.ImportPath
	if p.DepOnly || p.Name == "main" {
		return nil, ""
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "internal" || part == "vendor" || part == "testdata" {
			return nil, ""
		}
	}
	var g *group
	switch {
	case p.Standard:
		g = groups[0]
	case strings.HasPrefix(path, "gonum.org/v1/gonum"):
		g = groups[1]
	case strings.HasPrefix(path, "gonum.org/v1/plot"):
		g = groups[2]
	default:
		g = groups[3]
		if len(groups) > 4 && path != "trivium" && !strings.HasPrefix(path, "trivium/") {
			g = groups[4]
		}
	}
	return g, leftOut[path]
}
