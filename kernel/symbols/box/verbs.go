package box

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// typeVerb stands for T in a format. Package fmt passes it on to [Obj.Format], which it does
// not do with T. It is of the private use area, which is in nobody's format.
const typeVerb = '\U000F5454'

// TypeVerbs gives a format in which each %T of a cell's value is replaced, so that it prints
// the value's type where fmt would print the wrapper's, and so in what fmt says of arguments that
// no verb takes. All else in it stays as it is:
//
//	fmt.Printf(box.TypeVerbs(format, args), args...)
func TypeVerbs(format string, args []any) string {
	if !anyBoxed(args) {
		return format
	}
	var b strings.Builder
	arg, indexed := 0, false
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			b.WriteString(format)
			break
		}
		b.WriteString(format[:i])
		format = format[i+1:]
		n, at, ok := verb(format, arg, len(args))
		indexed = indexed || strings.Contains(format[:n], "[")
		if n == len(format) && !indexed {
			b.WriteString("%%!(NOVERB)")
			break
		}
		b.WriteString("%" + format[:n])
		if format = format[n:]; format == "" {
			break
		}
		c, size := utf8.DecodeRuneInString(format)
		if ok && c == 'T' && at < len(args) && boxed(args[at]) {
			b.WriteRune(typeVerb)
		} else {
			b.WriteString(format[:size])
		}
		if arg = at; ok && c != '%' && at < len(args) {
			arg++
		}
		format = format[size:]
	}
	if !indexed && arg < len(args) && anyBoxed(args[arg:]) {
		b.WriteString(extra(args, arg))
	}
	return b.String()
}

// extra is the format of what fmt says of the arguments from one on, which no verb takes. It says nothing
// itself where a verb has an index.
func extra(args []any, from int) string {
	var list []string
	for i, a := range args[from:] {
		v := "%[" + strconv.Itoa(from+i+1) + "]"
		switch {
		case a == nil:
			list = append(list, v+"v")
		case boxed(a):
			list = append(list, v+string(typeVerb)+"="+v+"v")
		default:
			list = append(list, v+"T="+v+"v")
		}
	}
	return "%%!(EXTRA " + strings.Join(list, ", ") + ")"
}

// verb gives the length of flags, width, precision and indexes before a verb, and the
// argument that the verb takes unless an index is bad, by the rules in fmt's documentation.
func verb(format string, arg, args int) (n, at int, ok bool) {
	v := verbParser{format: format, arg: arg, args: args, ok: true}
	v.skip("+-# 0")
	v.number()
	if v.skipOne('.') {
		v.ok = v.ok && !v.indexed // an index comes just before the star or the verb
		v.number()
	}
	if !v.indexed {
		v.index()
	}
	return v.i, v.arg, v.ok
}

type verbParser struct {
	format       string
	i, arg, args int
	ok           bool // no index was bad
	indexed      bool // the last thing was an index
}

func (v *verbParser) skip(set string) (any bool) {
	for v.i < len(v.format) && strings.IndexByte(set, v.format[v.i]) >= 0 {
		v.i++
		any = true
	}
	return any
}

func (v *verbParser) skipOne(c byte) bool {
	if v.i < len(v.format) && v.format[v.i] == c {
		v.i++
		return true
	}
	return false
}

// number skips a width or precision, which may be an argument.
func (v *verbParser) number() {
	v.index()
	if v.skipOne('*') {
		v.indexed = false
		if v.arg < v.args {
			v.arg++
		}
	} else if v.skip("0123456789") {
		v.ok = v.ok && !v.indexed
	}
}

// index skips [n], which makes argument n the next.
func (v *verbParser) index() {
	v.indexed = false
	if !v.skipOne('[') {
		return
	}
	end := strings.IndexByte(v.format[v.i:], ']')
	if end < 0 {
		v.ok = false
		return
	}
	k, err := strconv.Atoi(v.format[v.i : v.i+end])
	v.i += end + 1
	v.indexed = true
	if err != nil || k < 1 || k > v.args {
		v.ok = false
		return
	}
	v.arg = k - 1
}

func boxed(x any) bool {
	_, ok := Of(x)
	return ok
}

func anyBoxed(args []any) bool {
	for _, a := range args {
		if boxed(a) {
			return true
		}
	}
	return false
}
