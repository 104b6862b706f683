package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// constant writes the value of a constant expression as go/types computed it. Yaegi computes
// constants too, but not exactly: it has 2.666 for 8/3 given to a float64, and fails on big
// ones and on iota in some places. No constant declaration reaches it.
func (l *lowerer) constant(v constant.Value, t types.Type) ast.Expr {
	t = types.Unalias(t)
	if b, ok := t.(*types.Basic); ok {
		t = types.Default(b)
	}
	if types.IsInterface(t) {
		switch v.Kind() {
		case constant.Int:
			t = types.Typ[types.Int]
		case constant.Float:
			t = types.Typ[types.Float64]
		case constant.String:
			t = types.Typ[types.String]
		case constant.Bool:
			t = types.Typ[types.Bool]
		case constant.Complex:
			t = types.Typ[types.Complex128]
		}
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		l.refuse(l.pos, "constant "+v.String()+" of type "+typeString(t)+" is not available in cells", "")
		return l.id("nil")
	}
	lit, plain := l.literal(v, b)
	if bt, ok := t.(*types.Basic); ok && plain == bt.Kind() {
		return lit
	}
	return l.callx(l.typ(t), lit)
}

// literal writes a value for a basic type, and gives the type the literal has by itself.
func (l *lowerer) literal(v constant.Value, b *types.Basic) (ast.Expr, types.BasicKind) {
	number := func(kind token.Token, s string) ast.Expr {
		if s[0] == '-' {
			return l.paren(&ast.UnaryExpr{OpPos: l.pos, Op: token.SUB, X: &ast.BasicLit{ValuePos: l.pos, Kind: kind, Value: s[1:]}})
		}
		return &ast.BasicLit{ValuePos: l.pos, Kind: kind, Value: s}
	}
	float := func(v constant.Value) ast.Expr {
		f, _ := constant.Float64Val(constant.ToFloat(v))
		if b.Kind() == types.Float32 || b.Kind() == types.Complex64 {
			f32, _ := constant.Float32Val(constant.ToFloat(v))
			f = float64(f32)
		}
		s := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return number(token.FLOAT, s)
	}
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return l.id(strconv.FormatBool(constant.BoolVal(v))), types.Bool
	case info&types.IsString != 0:
		return &ast.BasicLit{ValuePos: l.pos, Kind: token.STRING, Value: strconv.Quote(constant.StringVal(v))}, types.String
	case info&types.IsInteger != 0:
		return number(token.INT, constant.ToInt(v).ExactString()), types.Int
	case info&types.IsFloat != 0:
		return float(v), types.Float64
	case info&types.IsComplex != 0:
		c := constant.ToComplex(v)
		return l.rt("Complex", float(constant.Real(c)), float(constant.Imag(c))), types.Complex128
	}
	return l.id("nil"), types.Invalid
}
