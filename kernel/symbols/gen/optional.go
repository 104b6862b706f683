package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// optional lists, for interfaces whose values compiled code asks for more methods, what it
// asks for. A cell's type that has them gets a wrapper that has them, and one that has not
// must not: io.Copy would use a WriteTo that is only there to fail. So there is a wrapper for
// each subset.
//
// What is asked for and stands neither here nor below, so as not to double the wrappers once more, is in
// [box.Unheard]: package eval gives types that have it to compiled code without a wrapper. TestAsked compares all of it with the source, and says why the rest is left out.
var optional = map[string][]string{
	"any":   {"error", "fmt.Stringer", "encoding/json.Marshaler", "encoding.TextMarshaler", "log/slog.LogValuer"},
	"error": {"encoding/json.Marshaler", "encoding.TextMarshaler", "log/slog.LogValuer", "net.Error", "main.unwrapAll", "main.timeout"},

	"fmt.Stringer":                  {"encoding/json.Marshaler", "encoding.TextMarshaler"},
	"flag.Value":                    {"flag.Getter", "main.boolFlag"},
	"io.Reader":                     {"io.WriterTo", "io.ByteReader", "io.RuneScanner", "io.Closer", "io.Seeker", "main.peeker"},
	"io.ReadCloser":                 {"io.WriterTo", "io.ByteReader", "io.Writer", "io.Seeker"},
	"io.ReadSeeker":                 {"io.WriterTo", "io.ReaderAt"},
	"io.ReadWriter":                 {"io.WriterTo", "io.ReaderFrom", "io.StringWriter", "io.Closer"},
	"io.Writer":                     {"io.ReaderFrom", "io.StringWriter", "io.ByteWriter", "io.Closer", "main.flusher"},
	"io.WriteCloser":                {"io.ReaderFrom", "io.StringWriter"},
	"io/fs.FS":                      {"io/fs.ReadDirFS", "io/fs.ReadFileFS", "io/fs.StatFS", "io/fs.GlobFS", "io/fs.SubFS", "io/fs.ReadLinkFS"},
	"io/fs.File":                    {"io/fs.ReadDirFile", "io.Seeker", "io.ReaderAt"},
	"image.Image":                   {"image.RGBA64Image", "image.PalettedImage", "main.opaquer"},
	"image/draw.Image":              {"image.RGBA64Image", "main.opaquer", "image/draw.RGBA64Image"},
	"math/rand.Source":              {"math/rand.Source64"},
	"net/http.ResponseWriter":       {"net/http.Flusher", "net/http.Hijacker", "io.ReaderFrom", "io.StringWriter", "main.unwrapWriter"},
	"context.Context":               {"fmt.Stringer", "main.afterFuncer"},
	"crypto.Signer":                 {"crypto.MessageSigner"},
	"database/sql/driver.Connector": {"io.Closer"},
	"database/sql/driver.Driver":    {"database/sql/driver.DriverContext"},
	"go/types.Importer":             {"go/types.ImporterFrom"},
	"hash.Hash":                     {"hash.Cloner"},
	"io/fs.FileInfo":                {"archive/tar.FileInfoNames"},
	"net.Conn":                      {"io.ReaderFrom", "io.WriterTo", "io.StringWriter", "main.closeWriter"},
	"net/http.File":                 {"io/fs.ReadDirFile"},
	"net/http.RoundTripper":         {"main.closeIdler"},

	"gonum.org/v1/gonum/graph.Graph":                    {"gonum.org/v1/gonum/graph.Weighted", "gonum.org/v1/gonum/graph.Directed", "gonum.org/v1/gonum/graph.Undirected", "gonum.org/v1/gonum/graph/encoding/dot.Graph", "gonum.org/v1/gonum/graph/encoding/dot.Attributers"},
	"gonum.org/v1/gonum/graph.Directed":                 {"gonum.org/v1/gonum/graph.Weighted"},
	"gonum.org/v1/gonum/graph.Undirected":               {"gonum.org/v1/gonum/graph.Weighted"},
	"gonum.org/v1/gonum/graph.Weighted":                 {"gonum.org/v1/gonum/graph.Undirected"},
	"gonum.org/v1/gonum/graph.Multigraph":               {"gonum.org/v1/gonum/graph.Directed", "gonum.org/v1/gonum/graph/encoding/dot.Multigraph", "gonum.org/v1/gonum/graph/encoding/dot.Attributers"},
	"gonum.org/v1/gonum/graph.Node":                     {"gonum.org/v1/gonum/graph/encoding.Attributer", "gonum.org/v1/gonum/graph/encoding.AttributeSetter", "gonum.org/v1/gonum/graph/encoding/dot.Node", "gonum.org/v1/gonum/graph/encoding/dot.DOTIDSetter", "gonum.org/v1/gonum/graph/encoding/dot.Subgrapher", "gonum.org/v1/gonum/graph/encoding/graphql.StringIDSetter"},
	"gonum.org/v1/gonum/graph.Edge":                     {"gonum.org/v1/gonum/graph.WeightedEdge", "gonum.org/v1/gonum/graph/encoding.Attributer", "gonum.org/v1/gonum/graph/encoding.AttributeSetter", "gonum.org/v1/gonum/graph/encoding/dot.Porter", "gonum.org/v1/gonum/graph/encoding/dot.PortSetter", "gonum.org/v1/gonum/graph/encoding/graphql.LabelSetter"},
	"gonum.org/v1/gonum/graph.WeightedEdge":             {"gonum.org/v1/gonum/graph/encoding.Attributer", "gonum.org/v1/gonum/graph/encoding/dot.Porter"},
	"gonum.org/v1/gonum/graph.Line":                     {"gonum.org/v1/gonum/graph.WeightedLine", "gonum.org/v1/gonum/graph/encoding.Attributer", "gonum.org/v1/gonum/graph/encoding.AttributeSetter", "gonum.org/v1/gonum/graph/encoding/dot.Porter", "gonum.org/v1/gonum/graph/encoding/dot.PortSetter"},
	"gonum.org/v1/gonum/graph.WeightedLine":             {"gonum.org/v1/gonum/graph/encoding.Attributer", "gonum.org/v1/gonum/graph/encoding/dot.Porter"},
	"gonum.org/v1/gonum/graph/traverse.Graph":           {"gonum.org/v1/gonum/graph.Graph", "gonum.org/v1/gonum/graph/path.Weighted", "gonum.org/v1/gonum/graph/path.HeuristicCoster"},
	"gonum.org/v1/gonum/graph/community.Multiplex":      {"gonum.org/v1/gonum/graph/community.DirectedMultiplex", "gonum.org/v1/gonum/graph/community.UndirectedMultiplex"},
	"gonum.org/v1/gonum/graph/encoding.Builder":         {"gonum.org/v1/gonum/graph/encoding/dot.DOTIDSetter", "gonum.org/v1/gonum/graph/encoding/dot.AttributeSetters"},
	"gonum.org/v1/gonum/graph/encoding.MultiBuilder":    {"gonum.org/v1/gonum/graph/encoding/dot.DOTIDSetter", "gonum.org/v1/gonum/graph/encoding/dot.AttributeSetters"},
	"gonum.org/v1/gonum/graph/encoding/dot.Graph":       {"gonum.org/v1/gonum/graph.Directed", "gonum.org/v1/gonum/graph/encoding/dot.Attributers", "gonum.org/v1/gonum/graph/encoding/dot.Structurer"},
	"gonum.org/v1/gonum/graph/encoding/dot.Multigraph":  {"gonum.org/v1/gonum/graph.Directed", "gonum.org/v1/gonum/graph/encoding/dot.Attributers", "gonum.org/v1/gonum/graph/encoding/dot.MultiStructurer"},
	"gonum.org/v1/gonum/integrate/quad.FixedLocationer": {"gonum.org/v1/gonum/integrate/quad.FixedLocationSingler"},
	"gonum.org/v1/gonum/optimize.Method":                {"gonum.org/v1/gonum/optimize.Statuser"},
	"gonum.org/v1/gonum/spatial/kdtree.Comparable":      {"gonum.org/v1/gonum/spatial/kdtree.Extender"},
	"gonum.org/v1/gonum/spatial/kdtree.Interface":       {"main.bounder"},
	"gonum.org/v1/plot.Plotter":                         {"gonum.org/v1/plot.DataRanger", "gonum.org/v1/plot.GlyphBoxer", "gonum.org/v1/plot.Thumbnailer"},
	"gonum.org/v1/plot/plotter.GridXYZ":                 {"main.minMaxer"},
	"gonum.org/v1/gonum/graph.Builder":                  {"gonum.org/v1/gonum/graph.Directed", "gonum.org/v1/gonum/graph.Undirected"},
	"gonum.org/v1/gonum/graph/graphs/gen.GraphBuilder":  {"gonum.org/v1/gonum/graph.Directed", "gonum.org/v1/gonum/graph.Undirected"},
	"gonum.org/v1/gonum/graph.Edges":                    {"gonum.org/v1/gonum/graph.EdgeSlicer"},
	"gonum.org/v1/gonum/graph.Lines":                    {"gonum.org/v1/gonum/graph.LineSlicer"},
	"gonum.org/v1/gonum/graph.Nodes":                    {"gonum.org/v1/gonum/graph.NodeSlicer"},
	"gonum.org/v1/gonum/graph.WeightedEdges":            {"gonum.org/v1/gonum/graph.WeightedEdgeSlicer"},
	"gonum.org/v1/gonum/graph.WeightedLines":            {"gonum.org/v1/gonum/graph.WeightedLineSlicer"},
	"gonum.org/v1/gonum/mat.Matrix":                     {"gonum.org/v1/gonum/mat.Normer", "gonum.org/v1/gonum/mat.Tracer", "gonum.org/v1/gonum/mat.SolveToer"},
	"gonum.org/v1/gonum/mat.Symmetric":                  {"gonum.org/v1/gonum/mat.Normer", "gonum.org/v1/gonum/mat.Tracer", "gonum.org/v1/gonum/mat.SolveToer"},
	"gonum.org/v1/gonum/mat.Triangular":                 {"gonum.org/v1/gonum/mat.Normer", "gonum.org/v1/gonum/mat.Tracer", "gonum.org/v1/gonum/mat.SolveToer"},
	"gonum.org/v1/gonum/mat.Vector":                     {"gonum.org/v1/gonum/mat.Normer"},
	"gonum.org/v1/plot/vg.Canvas":                       {"gonum.org/v1/plot/vg/recorder.Commenter"},

	"trivium/core/nn.Product": {"trivium/core/nn.ForNet"},
	"trivium/viz.SampleSet":   {"main.namer", "main.pictured"},
	"trivium/viz.Source":      {"main.pauser", "main.resumer", "main.stopper", "main.setter"},
	"trivium/viz.Surface":     {"main.directed"},
}

// alone lists what functions with parameters of type any look for; a cell's type gets the first of
// these wrappers that it can have, before those of the optional methods of "any".
var alone = []string{"main.xyErrorer", "main.yErrorer", "main.xErrorer", "gonum.org/v1/plot/plotter.XYZer", "gonum.org/v1/plot/plotter.XYer", "gonum.org/v1/plot/plotter.Valuer", "database/sql/driver.Valuer"}

// asked declares the interfaces that compiled code asks for without having a public name for them.
const asked = `package main
import (
	"image"
	"net/http"
	"gonum.org/v1/gonum/spatial/kdtree"
	"gonum.org/v1/plot/plotter"
	"trivium/core/run"
)
type afterFuncer interface { AfterFunc(func()) func() bool }
type closeIdler interface { CloseIdleConnections() }
type closeWriter interface { CloseWrite() error }
type directed interface { Directions() (x, y string) }
type namer interface { Name() string }
type pauser interface { Pause() }
type peeker interface { Peek(int) ([]byte, error) }
type pictured interface { Picture(i int) image.Image }
type resumer interface { Resume() }
type setter interface { Settings() []run.Setting }
type stopper interface { Stop() }
type unwrapAll interface { Unwrap() []error }
type boolFlag interface { IsBoolFlag() bool }
type flusher interface { Flush() error }
type opaquer interface { Opaque() bool }
type timeout interface { Timeout() bool }
type unwrapWriter interface { Unwrap() http.ResponseWriter }
type bounder interface { Bounds() *kdtree.Bounding }
type minMaxer interface { Min() float64; Max() float64 }
type xErrorer interface { plotter.XYer; plotter.XErrorer }
type yErrorer interface { plotter.XYer; plotter.YErrorer }
type xyErrorer interface { plotter.XYer; plotter.XErrorer; plotter.YErrorer }
`

// ifaces finds interfaces by key.
type ifaces struct{ byPath map[string]*types.Package }

func newIfaces(pkgs []*pkg) (ifaces, error) {
	x := ifaces{map[string]*types.Package{}}
	for _, p := range pkgs {
		wrappedAt[p.ImportPath] = true
		x.byPath[p.ImportPath] = p.types
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "asked.go", asked, 0)
	if err != nil {
		return x, err
	}
	x.byPath["main"], err = (&types.Config{Importer: x}).Check("main", fset, []*ast.File{f}, nil)
	return x, err
}

// Import gives the packages that asked mentions.
func (x ifaces) Import(path string) (*types.Package, error) {
	if p := x.byPath[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not loaded: see gen/optional.go", path)
}

func (x ifaces) methods(key string) ([]method, error) {
	path, name := splitKey(key)
	var o types.Object
	switch {
	case key == "any":
		return nil, nil
	case path == "":
		o = types.Universe.Lookup(name)
	case x.byPath[path] != nil:
		o = x.byPath[path].Scope().Lookup(name)
	}
	if o == nil {
		return nil, fmt.Errorf("there is no interface %s: see gen/optional.go", key)
	}
	return methodsOf(o.Type().Underlying().(*types.Interface)), nil
}

func splitKey(key string) (path, name string) {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '.' {
			return key[:i], key[i+1:]
		}
	}
	return "", key
}

// writeVariants declares the wrappers of base for every subset of its optional interfaces and
// the function that chooses one, and gives the function's name. Subsets that make the same
// methods are one.
func writeVariants(w *bytes.Buffer, s *source, x ifaces, base string) (string, error) {
	own, err := x.methods(base)
	if err != nil {
		return "", err
	}
	id := mangle(base)
	var choose, cases bytes.Buffer
	var extra [][]method
	for i, key := range optional[base] {
		l, err := x.methods(key)
		if err != nil {
			return "", err
		}
		extra = append(extra, l)
		fmt.Fprintf(&choose, "if %s {\nn |= %d\n}\n", has(s, without(l, own)), 1<<i)
	}
	for mask := range 1 << len(extra) {
		set, clash := own, false
		for i, l := range extra {
			if mask&(1<<i) != 0 {
				set, clash = union(set, l, clash)
			}
		}
		if clash {
			continue // no type has both
		}
		if len(set) == 0 {
			continue // the Obj itself
		}
		typ := fmt.Sprintf("w_%s_%d", id, mask)
		writeWrapper(w, s, typ, set)
		if base == "context.Context" && len(without([]method{{name: "String"}}, set)) > 0 {
			fmt.Fprintf(w, "func (w %s) String() string { return w.Obj.D.Name } // a context made of it prints the name of its type\n", typ)
		}
		fmt.Fprintf(&cases, "case %d:\nreturn %s{o}\n", mask, typ)
	}
	fmt.Fprintf(w, "\nfunc c_%s(o box.Obj) any {\nn := 0\n%s", id, choose.Bytes())
	if base == "any" {
		for _, key := range alone {
			l, err := x.methods(key)
			if err != nil {
				return "", err
			}
			typ := "w_any_" + mangle(key)
			fmt.Fprintf(w, "if %s {\nreturn %s{o}\n}\n", has(s, l), typ)
			defer writeWrapper(w, s, typ, l)
		}
	}
	fmt.Fprintf(w, "switch n {\n%s}\nreturn o\n}\n", cases.Bytes())
	return "c_" + id, nil
}

// has is the condition that a cell's type has the methods.
func has(s *source, l []method) string {
	if len(l) == 0 {
		return "true"
	}
	c := ""
	for i, m := range l {
		if i > 0 {
			c += " && "
		}
		c += fmt.Sprintf("box.Has[%s](o, %q)", s.thunk(m), m.name)
	}
	return c
}

func without(l, m []method) (rest []method) {
	for _, x := range l {
		if !slices.ContainsFunc(m, func(y method) bool { return y.name == x.name }) {
			rest = append(rest, x)
		}
	}
	return rest
}

// union adds methods; it tells if two have one name and different types.
func union(l, m []method, clash bool) ([]method, bool) {
	byName := map[string]method{}
	for _, x := range l {
		byName[x.name] = x
	}
	for _, x := range m {
		if y, ok := byName[x.name]; ok && !types.Identical(x.sig, y.sig) {
			clash = true
		}
		byName[x.name] = x
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b method) int { return cmp.Compare(a.name, b.name) }), clash
}
