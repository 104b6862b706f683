package eval

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A looker is a compiled function that looks into its arguments by reflection, by the name of what it is to be given: see
// unbox.go. A box would tell it nothing.
type looker string

const (
	reads looker = "Unboxed" // it looks only
	// it looks at what the format has
	readsJSON     looker = "UnboxedJSON"
	readsXML      looker = "UnboxedXML"
	readsGob      looker = "UnboxedGob"
	readsTemplate looker = "UnboxedTemplate"

	fills  looker = "View"    // it may change what is behind a pointer
	either looker = "Foreign" // the one or the other
	memory looker = "V"       // it moves values that it does not look into
)

// curious are packages all of whose functions look into what they are given as an any, or ask it for methods.
var curious = []string{"database/sql", "log/slog", "net/rpc", "testing/quick", "gonum.org/v1/plot/plotutil", "trivium/core/amp"}

// lookerOf gives what a function is as a looker, "" if it is none.
func (l *lowerer) lookerOf(f *types.Func) looker {
	if f == nil || f.Pkg() == nil {
		return ""
	}
	name := f.Name()
	in := strings.Contains(name, "Unmarshal") || strings.HasPrefix(name, "Decode")
	switch path := f.Pkg().Path(); {
	case path == "encoding/json" && !in:
		return readsJSON
	case path == "encoding/xml" && !in:
		return readsXML
	case path == "encoding/gob" && !in && !strings.HasPrefix(name, "Register"):
		return readsGob
	case (path == "text/template" || path == "html/template") && strings.HasPrefix(name, "Execute"):
		return readsTemplate
	case path == "go/ast", path == "trivium/viz", path == "trivium/kernel/nb/gonbui/cache":
		return reads
	case path == "fmt" && strings.Contains(name, "can"), strings.HasPrefix(path, "encoding"), slices.Contains(curious, path):
		return fills
	case path == "sort":
		return memory
	case l.s.foreign(path):
		return either
	}
	return ""
}

// rawArg lowers an argument of such a function.
func (l *lowerer) rawArg(a ast.Expr, f looker) ast.Expr {
	if t := l.typeOf(a); isCellType(t) || holdsInterface(t) {
		return l.rt(string(f), l.conv(a, anyType))
	}
	return l.conv(a, anyType)
}

// holdsInterface tells whether a box may be in a value of a type that no cell declares.
func holdsInterface(t types.Type) bool {
	return mentionsType(t, func(t types.Type) bool { return types.IsInterface(t) }, 0)
}

// decodeCall lowers the calls of packages encoding/json, encoding/xml and encoding/gob that decode into a value in which there may be a
// cell's, see decode.go. Decoder is the receiver if it is a method. Nil: an ordinary call.
func (l *lowerer) decodeCall(e *ast.CallExpr, decoder ast.Expr, sig *types.Signature, f *types.Func) ast.Expr {
	if l.oneTuple(e, sig) != nil {
		return nil
	}
	into, list := 1, []ast.Expr(nil) // the decoder or the data, what is decoded into, the start element
	if decoder != nil {
		into, list = 0, append(list, decoder)
	}
	if t := l.typeOf(e.Args[into]); !isCellType(t) && !holdsInterface(t) {
		return nil
	}
	for i, a := range e.Args {
		list = append(list, l.then(list, func() ast.Expr {
			if i == into {
				return l.conv(a, anyType)
			}
			return l.conv(a, l.paramAt(sig, i))
		}))
	}
	list = append(list, l.id("nil"))
	return l.rt("Fill", l.str(f.Pkg().Name()+"."+f.Name()), list[0], list[1], list[2])
}
