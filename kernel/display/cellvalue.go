package display

import (
	"image"
	"image/color"
	"io"
	"maps"
	"reflect"

	"trivium/kernel/symbols/box"
)

// cellType makes a bundle of a value whose type is declared in a cell. The interpreter keeps
// the methods of such a value beside it, so they are looked up by name where compiled code
// would assert an interface.
func cellType(o box.Obj) (Bundle, bool) {
	if f, ok := o.D.Method("MIMEBundle").(func(any) (map[string]any, map[string]any)); ok {
		data, metadata := f(o.V)
		return Bundle{Data: data, Metadata: metadata}, true
	}
	if f := o.D.Method("Render"); f != nil {
		if b, ok := rendered(reflect.ValueOf(f), reflect.ValueOf(&o.V).Elem()); ok {
			return b, true
		}
	}
	data := map[string]any{}
	if f, ok := o.D.Method("SimpleRender").(func(any) map[string]any); ok {
		maps.Copy(data, f(o.V))
	}
	for _, m := range showing {
		switch f := o.D.Method(m.name).(type) {
		case func(any) string:
			data[m.mime] = f(o.V)
		case func(any) []byte:
			data[m.mime] = f(o.V)
		case func(any) map[string]any:
			data[m.mime] = f(o.V)
		}
	}
	if len(data) > 0 {
		return Bundle{Data: data}, true
	}
	if box.Has[func(any) color.Model](o, "ColorModel") && box.Has[func(any) image.Rectangle](o, "Bounds") && box.Has[func(any, int, int) color.Color](o, "At") {
		b, err := Image(cellImage{o})
		return b, err == nil
	}
	if f, ok := o.D.Method("WriteTo").(func(any, io.Writer) (int64, error)); ok && o.D.Method("Read") == nil {
		return written(func(w io.Writer) error { _, err := f(o.V, w); return err })
	}
	return Bundle{}, false
}

// showing are the methods by which values show themselves, as gophernotes names them.
var showing = []struct{ name, mime string }{
	{"HTML", HTML}, {"Markdown", Markdown}, {"Latex", Latex}, {"SVG", SVG}, {"PNG", PNG},
	{"JPEG", JPEG}, {"PDF", PDF}, {"JSON", JSON}, {"JavaScript", JavaScript},
}

// rendered calls a function and makes a bundle of the figure that it returns. Render methods
// return the Data of another package, which is a Figure; those that return something else
// are none of ours, and are not called.
func rendered(f reflect.Value, args ...reflect.Value) (Bundle, bool) {
	t := f.Type()
	if t.NumIn() != len(args) || t.NumOut() != 1 || !t.Out(0).Implements(reflect.TypeFor[Figure]()) {
		return Bundle{}, false
	}
	fig, ok := f.Call(args)[0].Interface().(Figure)
	if !ok { // a nil interface
		return Bundle{}, false
	}
	data, metadata := fig.MIMEBundle()
	return Bundle{Data: data, Metadata: metadata}, true
}

// cellImage is a picture whose type is declared in a cell.
type cellImage struct{ o box.Obj }

func (c cellImage) ColorModel() color.Model {
	return box.M(c.o, "ColorModel").(func(any) color.Model)(c.o.V)
}

func (c cellImage) Bounds() image.Rectangle {
	return box.M(c.o, "Bounds").(func(any) image.Rectangle)(c.o.V)
}

func (c cellImage) At(x, y int) color.Color {
	return box.M(c.o, "At").(func(any, int, int) color.Color)(c.o.V, x, y)
}

// cellFigure is a value of a cell's type that says when it is done: a live output.
type cellFigure struct {
	o    box.Obj
	done <-chan struct{}
}

func (c cellFigure) Done() <-chan struct{} { return c.done }

func (c cellFigure) MIMEBundle() (data, metadata map[string]any) {
	b, _ := Render(c.o)
	return b.Data, b.Metadata
}

// live makes a figure of a value of a cell's type that can show itself and has a Done
// channel.
func live(o box.Obj) (cellFigure, bool) {
	f, ok := o.D.Method("Done").(func(any) <-chan struct{})
	if !ok {
		return cellFigure{}, false
	}
	shows := o.D.Method("MIMEBundle") != nil || o.D.Method("Render") != nil || o.D.Method("SimpleRender") != nil
	for _, m := range showing {
		shows = shows || o.D.Method(m.name) != nil
	}
	return cellFigure{o, f(o.V)}, shows
}
