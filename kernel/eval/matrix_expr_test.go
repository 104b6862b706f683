package eval

// The expressions of the matrix, by kind. Those that do not type-check for a type are left out there.

// matrixExprs gives v1 or another value of the type.
var matrixExprs = []string{
	// names, constants and literals
	"gv", "(gv)", "{V1}",
	// calls
	"f()", "idt(gv)", "gid(gv)", "gid[{T}](gv)", "gfirst(gv, 1)", "mk()()", "must(f2())", "func() {T} { return gv }()", "idt(ia.({T}))",
	// methods, of values, pointers, interfaces and expressions
	"h.Get()", "ph.PGet()", "h.PGet()", "hi.Get()", "sh[1].Get()", "hia.({HI}).Get()", "hia.({H}).Get()", "{H}.Get(h)", "(*{H}).PGet(ph)", "{H}{F: gv}.Get()", "ph.Get()", "new({H}).Set(gv).F", "ph.Set(gv).Get()",
	// functions in fields, elements and maps
	"h.fn()", "fs[0]()", `mf["k"]()`, "ph.fn()",
	// elements
	`ms["k"]`, `mi[2]["k"]`, "sl[1]", "sl[len(sl)-1]", "ar[1]", "par[1]", "sl[1:][0]", "ar[:][1]", "h.L[1]", "h.R[1]", `h.M["k"]`, "ph.R[1]",
	"[]{T}{v0, gv}[1]", "[...]{T}{v0, gv}[1]", `map[string]{T}{"k": gv}["k"]`, "[]{T}{0: v0, 1: gv}[1]",
	// fields
	`mh["k"].F`, `mph["k"].F`, "sh[1].F", "sh[1].{in}.E", "h.F", "ph.F", "h.E", "h.I.E", "ph.I.E", "{H}{F: gv}.F", "(&{H}{F: gv}).F", "(h).{in}.E", "(*ph).F", "hia.({H}).F", "struct{ F {T} }{gv}.F",
	// pointers
	"*pv", "**ppv", "*h.P", "*ph.P", "*&gv", "*func() *{T} { return pv }()",
	// assertions, conversions, channels
	"ia.({T})", "(ia.({T}))", "sa[1].({T})", "any(gv).({T})", "h.A.({T})", "{C}({other})", "{C}(gv)", "<-ch()", "(<-ch())", "any({other}).({T})",
	// the zero value and nil
	"*new({T})", "{C}(nil)", `ms["none"]`,
	// arithmetic
	"gv + v0", "gv - v0", "gv * v0", "gv / v1", "gv % v0", "gv & v0", "gv | v0", "gv ^ v0", "gv &^ v0", "-gv", "^gv", "+gv", "gv << 1", "gv >> 1", "gv << (len(sl) & 7)", "gv + v0*gv - v0", "(gv + v0) * v1", "min(gv, v0)", "max(gv, v0, v1)",
	"{C}(len(sl) + 3)", "{C}(gv + 1)", "gv + h.F", `gv + ms["k"]`, "f() + f()", "gv + 1",
	// comparisons and logic
	"!gv", "!!gv", "gv && v0", "gv || v0", "gv == v1", "len(sl) > 1", "gv != v0 && v0", "v0 || gv == v1", "!(v0 || v0)", "{C}(gv == v1)", "tru()", "tru() && !fal()", "ia != nil", "ia == nil", "h.F && f()", "sl[0] != sl[1]", "ia.({T}) && f()",
	// slices and strings
	"gv[:]", "gv[:1]", "gv[0:2:2]", "append({C}(nil), gv...)", "append(gv, gv...)", "append(gv[:1:1], gv[0])", `"x" + gv[1:]`, "{C}([]byte(gv))", "{C}([]rune(gv))", "{C}(strings.Clone(string(gv)))", "{C}(fmt.Sprint(gv))", "slices.Clone(gv)", "maps.Clone(gv)",
	// nothing to be had
	"*func() *{T} { return nil }()", "(*{H})(nil).F", "*({H}{}).P", "sl[len(sl)]",
}

// matrixPairs gives a value of the type and another.
var matrixPairs = []string{
	"f2()", `ms["k"]`, `ms["none"]`, "<-ch()", "ia.({T})", "any(1.5).({T})", "h.Two()", "ph.Two()", "gtwo(gv)", "func() ({T}, any) { return gv, gv }()", "struct{ f func() ({T}, error) }{f2}.f()", "[]func() ({T}, error){f2}[0]()", `h.M["k"]`, `mi[2]["k"]`, "sa[1].({T})", "h.A.({T})", "{H}.Two(h)", "(f2())",
	"func() ({T}, error) { return f2() }()", "func() (x {T}, err error) { defer func() { x = v1 }(); x, err = f2(); return }()",
}
