package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trivium/kernel/symbols/box"
)

// left says why nothing is lost where compiled code does not see what it asks a cell's value for. A line is an
// interface and what its values are asked for.
var left = []struct{ why, asks string }{
	{"the answer changes speed alone", `
		gonum.org/v1/gonum/mat.CMatrix gonum.org/v1/gonum/mat.CUntransposer
		gonum.org/v1/gonum/mat.CMatrix gonum.org/v1/gonum/mat.RawCMatrixer
		gonum.org/v1/gonum/mat.CMatrix gonum.org/v1/gonum/mat.UnConjTransposer
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RawBander
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RawMatrixer
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RawSymBander
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RawSymmetricer
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RawTriBander
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RawTriangular
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RawTridiagonaler
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RawVectorer
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.RowNonZeroDoer
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.Untransposer
		gonum.org/v1/gonum/mat.Matrix gonum.org/v1/gonum/mat.Vector
		gonum.org/v1/gonum/mat.Symmetric gonum.org/v1/gonum/mat.RawSymmetricer
		gonum.org/v1/gonum/mat.Triangular gonum.org/v1/gonum/mat.Diagonal
		gonum.org/v1/gonum/mat.Triangular gonum.org/v1/gonum/mat.RawTriangular
		gonum.org/v1/gonum/mat.Triangular gonum.org/v1/gonum/mat.UntransposeTrier
		gonum.org/v1/gonum/mat.Vector gonum.org/v1/gonum/mat.RawVectorer
		hash.Hash crypto/internal/fips140/hmac.marshalable
		io.Reader syscall.Conn
		io.Writer net.buffersWriter
		any syscall.Conn`},
	{"without an answer an error or a panic says so", `
		any crypto.Decrypter
		any crypto.Signer
		any crypto/x509.privateKey
		any database/sql.decimalCompose
		any database/sql.decimalDecompose
		any database/sql/driver.decimalDecompose
		any gonum.org/v1/gonum/graph/encoding/dot.Node
		any interface{Graph(i int) (labels []int, edges [][3]int, target float64); Len() int}
		any interface{Graph(i int) (nodes int, edges [][3]int, questions [][2]int); Len() int}
		any interface{Labels() []int; X() trivium/core/tensor.Matrix[float32]}
		any interface{Len() int; Sequence(i int) (tokens []int, label int)}
		any interface{Len() int; Tree(i int) (left []int, right []int, word []int, label []int)}
		any trivium/core/amp.Data
		any trivium/core/amp.tester
		crypto.Decapsulator interface{Bytes() []byte}`},
	{"package box answers for all cells' values", `
		any encoding/json.isZeroer
		any fmt.Formatter
		any fmt.GoStringer
		any interface{Boxed() trivium/kernel/symbols/box.Obj}
		error interface{As(any) bool}
		error interface{Is(error) bool}
		error interface{Unwrap() error}`},
	{"package eval shows the package what the compiler makes of the type, with all its methods", `
		any trivium/kernel/nb/gonbui/cache.Serializable
		any interface{Name() string}
		any trivium/viz.Grid
		any trivium/viz.Source
		any trivium/viz.Tiler
		any trivium/viz.View
		any fmt.Scanner
		any database/sql.Scanner
		encoding.TextUnmarshaler encoding.TextMarshaler`},
	{"package display asks cells' values itself", `
		any image.Image
		any trivium/kernel/display.Figure
		any interface{Done() <-chan struct{}; trivium/kernel/display.Figure}
		any interface{HTML() string}
		any interface{JPEG() []byte}
		any interface{JSON() map[string]any}
		any interface{JavaScript() string}
		any interface{Latex() string}
		any interface{Markdown() string}
		any interface{PDF() []byte}
		any interface{PNG() []byte}
		any interface{SVG() string}
		any interface{SimpleRender() map[string]any}
		any interface{Version() uint64}
		any io.WriterTo
		any trivium/kernel/display.Switched
		trivium/kernel/display.Switched interface{Done() <-chan struct{}}`},
	{"the values are those that the package, or one that cells have not, made", `
		any crypto/cipher.AEAD
		any crypto/cipher.BlockMode
		any crypto/cipher.Stream
		any crypto/tls.aead
		any crypto/tls.cbcMode
		any database/sql/driver.Rows
		any flag.Value
		any gonum.org/v1/gonum/graph/formats/dot/ast.Stmt
		any gonum.org/v1/gonum/graph/formats/dot/ast.Vertex
		any gonum.org/v1/gonum/graph/formats/dot/internal/token.Sourcer
		any hash.Hash
		any hash.Hash32
		any hash.Hash64
		any interface{Pos() go/token.Pos}
		any interface{SVG() ([]byte, error); String() string}
		any io.ReadCloser
		any net/http.I
		any net/http.h2Transport
		any reflect.Type
		any runtime.Error
		any trivium/core/nn.Multiplier[T]
		any trivium/core/nn.Unit[T]
		any trivium/kernel/wire.appender
		codeberg.org/go-latex/latex/tex.Node codeberg.org/go-latex/latex/tex.Tree
		codeberg.org/go-latex/latex/tex.Node codeberg.org/go-latex/latex/tex.hpacker
		codeberg.org/go-latex/latex/tex.Node codeberg.org/go-latex/latex/tex.renderXYWH
		codeberg.org/go-latex/latex/tex.Node codeberg.org/go-latex/latex/tex.vpacker
		debug/dwarf.Type interface{Basic() *debug/dwarf.BasicType}
		error golang.org/x/text/encoding.repertoireError
		error interface{IsHTTP2NoCachedConnError()}
		error testing.fuzzCrashError
		go/types.Type go/types.genericType
		go/types.Type interface{Elem() go/types.Type}
		go/types.genericType interface{Obj() *go/types.TypeName}
		golang.org/x/image/draw.Image golang.org/x/image/draw.RGBA64Image
		gonum.org/v1/gonum/graph/encoding/dot.basicEdge gonum.org/v1/gonum/graph/encoding.AttributeSetter
		gonum.org/v1/gonum/graph/encoding/dot.basicEdge gonum.org/v1/gonum/graph/encoding/dot.PortSetter
		gonum.org/v1/gonum/optimize/functions.function gonum.org/v1/gonum/optimize/functions.gradient
		gonum.org/v1/gonum/optimize/functions.function gonum.org/v1/gonum/optimize/functions.minimumer
		hash.Hash crypto/tls.binaryMarshaler
		hash.Hash crypto/tls.constantTimeHash
		image.Image image/draw.Image
		io.ByteReader io.Reader
		io.ReadCloser compress/flate.Resetter
		io.ReadCloser interface{Name() string}
		io.ReadCloser io/fs.File
		io.ReadWriteCloser interface{CloseWrite() error}
		io.ReadWriter interface{CloseWrite() error}
		io.Reader crypto/internal/fips140/drbg.DefaultReader
		io.Writer io.WriteSeeker
		net.Conn interface{UnencryptedNetConn() net.Conn}
		net/http.Handler net/http.baseContexter
		net/http.ResponseWriter net/http.requestTooLarger
		net/http.RoundTripper net/http.erringRoundTripper
		net/http.RoundTripper net/http.genericClientConn
		net/http.RoundTripper net/http.newClientConner
		syscall.RawConn interface{Network() internal/poll.String; PollFD() *internal/poll.FD}
		trivium/core/nn.Product trivium/core/crs.Sampler`},
	{"in Go a type declared elsewhere is an error or a panic too", `
		any go/ast.Decl
		any go/ast.Expr
		any go/ast.Node
		any go/ast.Spec
		any go/ast.Stmt
		any go/types.Object
		any go/types.Type
		go/types.positioner go/ast.Node`},
	{"testing/iotest compares less", `
		io.Reader io.ReaderAt`},
	{"go/parser says that the source is invalid; net/http takes such values from readers of package io", `
		any io.Reader`},
}

// An ask is an assertion, or a case of a type switch, that asks a value of an interface for another one.
type ask struct {
	from    string // key of the interface, "any" for all without methods
	to      string
	methods []method // those of to
	extra   []method // and those of them that from has not
	at      string
}

// TestAsked lists what compiled code asks values of interfaces for, which it finds in the source of all packages that
// those with tables are made of. What no wrapper has, box.Unheard does not list and no reason is given for
// above would silently not be called.
func TestAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the source of some hundred packages, for seconds")
	}
	root, err := moduleRoot()
	var all []*pkg
	if err == nil {
		all, err = listAll(root)
	}
	if err != nil {
		if os.Getenv("TRIVIUM_CI") == "1" {
			t.Fatal(err)
		}
		t.Skipf("the source of the packages is not here: %v", err)
	}
	x, err := newIfaces(slices.DeleteFunc(slices.Clone(all), func(p *pkg) bool { return p.group == nil }))
	if err != nil {
		t.Fatal(err)
	}
	x.byPath["unsafe"] = types.Unsafe
	for _, p := range all {
		x.byPath[p.ImportPath] = p.types
		if path, ok := strings.CutPrefix(p.ImportPath, "vendor/"); ok {
			x.byPath[path] = p.types
		}
	}
	asks := askedBy(t, all, x)
	if len(asks) < 500 {
		t.Errorf("%d assertions ask for methods, want over 500", len(asks))
	}
	why := map[string]string{}
	for _, l := range left {
		for line := range strings.Lines(l.asks) {
			if line = strings.TrimSpace(line); line != "" {
				why[line] = l.why
			}
		}
	}
	used := map[string]bool{}
	missing := map[string][]string{}
	listed := map[string]bool{}
	for _, a := range asks {
		key := a.from + " " + a.to
		switch {
		case wrapped(t, x, a), unheard(t, x, a, listed):
		case why[key] != "":
			used[key] = true
		default:
			missing[key] = append(missing[key], a.at)
		}
	}
	for key, at := range missing {
		t.Errorf("%s is neither wrapped nor listed in box.Unheard nor left out: %s", key, strings.Join(at, " "))
	}
	for key := range why {
		if !used[key] {
			t.Errorf("%s has a reason and needs none: nobody asks, or it is wrapped or listed in box.Unheard", key)
		}
	}
	for from, l := range box.Unheard {
		for _, u := range l {
			if !listed[from+" "+u.Expr] {
				t.Errorf("box.Unheard lists %s for %s, which nobody asks for", from, u.Expr)
			}
		}
	}
}

// wrapped tells whether some wrapper of the interface has the methods.
func wrapped(t *testing.T, x ifaces, a ask) bool {
	var have []method
	for _, key := range optional[a.from] {
		have = append(have, methodsAt(t, x, key)...)
	}
	if len(other(a.extra, have)) == 0 {
		return true
	}
	return a.from == "any" && slices.ContainsFunc(alone, func(key string) bool { return len(other(a.extra, methodsAt(t, x, key))) == 0 })
}

// unheard tells whether box.Unheard lists some of the methods, and notes which.
func unheard(t *testing.T, x ifaces, a ask, listed map[string]bool) bool {
	from, _, _ := strings.Cut(a.from, "[") // an instance of a generic interface
	found := false
	for _, u := range box.Unheard[from] {
		var need []method
		if token.IsIdentifier(u.Expr) && !token.IsExported(u.Expr) {
			i := slices.IndexFunc(a.extra, func(m method) bool { return m.name == u.Expr })
			if i < 0 {
				continue
			}
			need = a.extra[i : i+1]
		} else {
			tv, err := types.Eval(token.NewFileSet(), x.byPath[u.Path], token.NoPos, u.Expr)
			if err != nil {
				t.Fatal(err)
			}
			need = methodsOf(tv.Type.Underlying().(*types.Interface))
		}
		if len(other(need, a.methods)) == 0 {
			listed[from+" "+u.Expr] = true
			found = true
		}
	}
	return found
}

func methodsAt(t *testing.T, x ifaces, key string) []method {
	l, err := x.methods(key)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// other gives the methods of l that m has not, or with another type. Types are compared as they are written, as those
// of a package that is checked from its source are not those of its export data.
func other(l, m []method) (rest []method) {
	for _, x := range l {
		if !slices.ContainsFunc(m, func(y method) bool { return y.name == x.name && signature(x) == signature(y) }) {
			rest = append(rest, x)
		}
	}
	return rest
}

// signature writes the type of a method without the names of parameters and results.
func signature(m method) string {
	plain := func(t *types.Tuple) *types.Tuple {
		var l []*types.Var
		for v := range t.Variables() {
			l = append(l, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(l...)
	}
	return types.TypeString(types.NewSignatureType(nil, nil, nil, plain(m.sig.Params()), plain(m.sig.Results()), m.sig.Variadic()), nil)
}

// askedBy checks the source of the packages with tables and of those that they import.
func askedBy(t *testing.T, all []*pkg, x ifaces) (l []ask) {
	byPath := map[string]*pkg{}
	for _, p := range all {
		byPath[p.ImportPath] = p
	}
	used := map[*pkg]bool{}
	var visit func(p *pkg)
	visit = func(p *pkg) {
		if p == nil || used[p] {
			return
		}
		used[p] = true
		for _, path := range p.Imports {
			visit(byPath[path])
		}
	}
	for _, p := range all {
		if p.group != nil {
			visit(p)
		}
	}
	fset := token.NewFileSet()
	for p := range used {
		l = append(l, asksOf(t, p, fset, x)...)
	}
	slices.SortFunc(l, func(a, b ask) int { return strings.Compare(a.at, b.at) })
	return l
}

// asksOf finds the assertions and type switches of a package.
func asksOf(t *testing.T, p *pkg, fset *token.FileSet, x ifaces) (l []ask) {
	var files []*ast.File
	asks := false
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		ast.Inspect(f, func(n ast.Node) bool {
			_, ok := n.(*ast.TypeAssertExpr)
			asks = asks || ok
			return !asks
		})
	}
	if !asks {
		return nil
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: x, Sizes: types.SizesFor("gc", "amd64"), Error: func(err error) { t.Errorf("%s: %v", p.ImportPath, err) }}
	conf.Check(p.ImportPath, fset, files, info) // errors are told
	look := func(from, to ast.Expr) {
		ft, tt := info.Types[from].Type, info.Types[to].Type
		if tt == nil || !types.IsInterface(tt) {
			return // a case nil, or one of a concrete type
		}
		if _, ok := types.Unalias(tt).(*types.TypeParam); ok {
			return
		}
		fi, ti := ft.Underlying().(*types.Interface), tt.Underlying().(*types.Interface)
		if cannotWrap(fi) != "" {
			return // no cell's type is put into it
		}
		a := ask{from: types.TypeString(ft, nil), to: types.TypeString(tt, nil), methods: methodsOf(ti)}
		if a.extra = other(a.methods, methodsOf(fi)); len(a.extra) == 0 {
			return
		}
		if fi.NumMethods() == 0 {
			a.from = "any"
		}
		pos := fset.Position(to.Pos())
		a.at = fmt.Sprintf("%s/%s:%d", p.ImportPath, filepath.Base(pos.Filename), pos.Line)
		l = append(l, a)
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				if n.Type != nil {
					look(n.X, n.Type)
				}
			case *ast.TypeSwitchStmt:
				var x ast.Expr
				switch a := n.Assign.(type) {
				case *ast.AssignStmt:
					x = a.Rhs[0].(*ast.TypeAssertExpr).X
				case *ast.ExprStmt:
					x = a.X.(*ast.TypeAssertExpr).X
				}
				for _, c := range n.Body.List {
					for _, y := range c.(*ast.CaseClause).List {
						look(x, y)
					}
				}
			}
			return true
		})
	}
	return l
}
