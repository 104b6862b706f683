package nn

import (
	"errors"
	"fmt"
	"math"

	"trivium/core/tensor"
)

// Chain is layers one after the other, as a layer.
type Chain []Layer

// Kind returns "chain".
func (Chain) Kind() string { return "chain" }

// Shape returns what comes out of the last layer.
func (c Chain) Shape(in Shape) (Shape, error) {
	if !in.valid() {
		return Shape{}, bad("%v goes in: every size must be at least 1", in)
	}
	for i, name := range c.names() {
		if c[i] == nil {
			return Shape{}, bad("number %d is nil", i)
		}
		out, err := c[i].Shape(in)
		if err != nil {
			return Shape{}, within(name, err)
		}
		in = out
	}
	return in, nil
}

// names numbers the layers of each kind: conv1, norm1, conv2.
func (c Chain) names() []string {
	seen := map[string]int{}
	names := make([]string, len(c))
	for i, l := range c {
		if l == nil {
			continue
		}
		seen[l.Kind()]++
		names[i] = fmt.Sprint(l.Kind(), seen[l.Kind()])
	}
	return names
}

// within puts the name of the layer around it before that of a layer in an error.
func within(name string, err error) error {
	var e *LayerError
	if !errors.As(err, &e) {
		return &LayerError{name, err.Error(), err}
	}
	if e.Layer != "" {
		name += "." + e.Layer
	}
	return &LayerError{name, e.Why, e.cause}
}

// Unit32 returns the layer in float32.
func (c Chain) Unit32(in Shape) Unit[float32] { return newChain[float32](c, in) }

// Unit64 returns the layer in float64.
func (c Chain) Unit64(in Shape) Unit[float64] { return newChain[float64](c, in) }

type chain[T tensor.Float] struct {
	prefix string
	names  []string
	units  []Unit[T]
}

func newChain[T tensor.Float](c Chain, in Shape) *chain[T] {
	u := &chain[T]{}
	names := c.names()
	for i := 0; i < len(c); i++ {
		l := c[i]
		out, _ := l.Shape(in)
		u.names = append(u.names, names[i])
		if f, ok := l.(interface{ withReLU() Layer }); ok && i+1 < len(c) && c[i+1] == Layer(ReLU{}) {
			l = f.withReLU()
			i++
		}
		u.units = append(u.units, unitOf[T](l, in))
		in = out
	}
	return u
}

func unitOf[T tensor.Float](l Layer, in Shape) Unit[T] {
	if _, ok := any(T(0)).(float32); ok {
		return any(l.Unit32(in)).(Unit[T])
	}
	return any(l.Unit64(in)).(Unit[T])
}

func (u *chain[T]) Params() []*Param[T] { return nil } // they are the parts' own

func (u *chain[T]) parts(visit func(name string, u Unit[T])) {
	for i, v := range u.units {
		visit(u.names[i], v)
	}
}

func (u *chain[T]) setPrefix(name string) { u.prefix = name }

func (u *chain[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	for i, v := range u.units {
		failed := p.err != nil
		x = v.Forward(p, x)
		if p.err != nil {
			if !failed {
				p.err = within(u.names[i], p.err)
			}
			return x
		}
		if p.watch && p.found == "" && !finite(flat(x)) {
			p.found = u.prefix + u.names[i]
		}
	}
	return x
}

func (u *chain[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) tensor.Matrix[T] {
	p.left = nil
	for i := len(u.units) - 1; i >= 0; i-- {
		failed := p.err != nil
		p.handOn()
		dy = u.units[i].Backward(p, dy, wantX || i > 0)
		if p.err != nil {
			if !failed {
				p.err = within(u.names[i], p.err)
			}
			break
		}
	}
	p.live, p.left = nil, nil // whoever has this chain may do anything with what it returns
	return dy
}

func finite[T tensor.Float](x []T) bool {
	for _, v := range x {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}

// walk calls leaf for every unit that is not made of others, with its full name.
func walk[T tensor.Float](prefix string, u Unit[T], leaf func(name string, u Unit[T])) {
	group, ok := u.(interface {
		parts(func(name string, u Unit[T]))
	})
	if !ok {
		leaf(prefix, u)
		return
	}
	if prefix != "" {
		prefix += "."
	}
	if c, ok := u.(*chain[T]); ok {
		c.setPrefix(prefix)
	}
	group.parts(func(name string, u Unit[T]) { walk(prefix+name, u, leaf) })
}
