// Command gen writes the vector instructions behind package tensor: kernels_amd64.s and its Go
// declarations, in the folder given by -dir. Run it by go generate in package simd.
//
// Every function is written once, for a [lane]: an element type and a vector width. The tiles
// of the products exist for both widths, everything else for 256 bits, which is enough for
// code that memory holds back.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	dir := flag.String("dir", ".", "folder to write to")
	flag.Parse()
	files, err := generate()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

// generate returns the generated files by name.
func generate() (map[string][]byte, error) {
	g := &gen{Context: build.NewContext()}
	g.ConstraintExpr("amd64")
	g.maskTable()
	g.countTable()
	for _, l := range []lane{float32AVX2, float64AVX2, float32AVX512, float64AVX512} {
		g.tiles(l)
		g.skips(l)
	}
	for _, l := range []lane{float32AVX2, float64AVX2} {
		g.packs(l)
		g.splitRows(l)
		g.spreadRows(l)
		g.copyRows(l)
		g.elementwise(l)
		g.transcendental(l)
		g.reductions(l)
		g.optimisers(l)
		g.vecMat(l)
		g.maxOf4Grad(l)
		g.gates(l)
		g.norms(l)
	}
	file, err := g.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	c := printer.Config{Argv: []string{"gen"}, Name: "gen", Pkg: "simd"}
	asm, err := printer.NewGoAsm(c).Print(file)
	if err != nil {
		return nil, err
	}
	stubs, err := printer.NewStubs(c).Print(file)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"kernels_amd64.s":  bytes.TrimLeft(asm, "\n"),
		"kernels_amd64.go": stubs,
	}, nil
}
