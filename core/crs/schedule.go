package crs

import (
	"fmt"
	"strings"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// A Stage is how products are made for some epochs.
type Stage struct {
	Epochs  float64    // how many; in the last stage 0 means all that are left
	Product nn.Product // nil means exactly
}

// A Schedule changes how products are made as a training goes on. After its stages products are
// exact, so that
//
//	crs.Schedule{{Epochs: 8, Product: crs.TopK{Keep: 0.5}}}
//
// samples for 8 epochs and ends exactly.
type Schedule []Stage

func (s Schedule) String() string {
	var parts []string
	for _, stage := range s {
		name := "exact"
		if stage.Product != nil {
			name = stage.Product.String()
		}
		if stage.Epochs > 0 {
			name += fmt.Sprintf(" for %g epochs", stage.Epochs)
		}
		parts = append(parts, name)
	}
	if len(s) == 0 || s[len(s)-1].Epochs > 0 {
		parts = append(parts, "exact")
	}
	return strings.Join(parts, ", then ")
}

// Err returns why the schedule cannot be, nil if it can.
func (s Schedule) Err() error {
	for i, stage := range s {
		if !(stage.Epochs >= 0) || stage.Epochs == 0 && i < len(s)-1 {
			return &OptionError{fmt.Sprintf("Schedule[%d].Epochs", i), fmt.Sprint(stage.Epochs), "it must be above 0, or 0 in the last stage, which means to the end"}
		}
	}
	return nil
}

// ForNet returns the schedule of what its products are for a network of these layers.
func (s Schedule) ForNet(layers []nn.Info) nn.Product {
	own := make(Schedule, len(s))
	for i, stage := range s {
		own[i] = stage
		if f, ok := stage.Product.(nn.ForNet); ok {
			own[i].Product = f.ForNet(layers)
		}
	}
	return own
}

// Multiplier32 returns the multiplier of one layer.
func (s Schedule) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newStaged(s, r, func(q nn.Product, r *random.Stream) nn.Multiplier[float32] { return q.Multiplier32(l, r) })
}

// Multiplier64 returns the multiplier of one layer.
func (s Schedule) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newStaged(s, r, func(q nn.Product, r *random.Stream) nn.Multiplier[float64] { return q.Multiplier64(l, r) })
}

// A staged multiplier passes each step to the multiplier of its stage. Forward decides, so that
// the gradients of a step are made by what made its forward product.
type staged[T tensor.Float] struct {
	nn.Multiplier[T] // the present one
	ends             []float64
	each             []nn.Multiplier[T]
}

func newStaged[T tensor.Float](s Schedule, r *random.Stream, of func(nn.Product, *random.Stream) nn.Multiplier[T]) nn.Multiplier[T] {
	if err := s.Err(); err != nil {
		return failing[T]{err: err}
	}
	m, end := &staged[T]{Multiplier: nn.Exact[T]{}}, 0.0
	for i, stage := range s {
		var x nn.Multiplier[T] = nn.Exact[T]{}
		if stage.Product != nil {
			x = of(stage.Product, r.SplitN(i))
		}
		end += stage.Epochs
		if stage.Epochs == 0 {
			end = forever
		}
		m.ends, m.each = append(m.ends, end), append(m.each, x)
	}
	return m
}

const forever = 1e300

func (m *staged[T]) enter(epoch float64) {
	m.Multiplier = nn.Exact[T]{}
	for i, end := range m.ends {
		if epoch < end {
			m.Multiplier = m.each[i]
			return
		}
	}
}

// Forward computes y = x·w + bias as the stage has it.
func (m *staged[T]) Forward(p *nn.Pass[T], y, x, w tensor.Matrix[T], bias []T, relu bool) error {
	m.enter(p.Epoch)
	return m.Multiplier.Forward(p, y, x, w, bias, relu)
}

// ConvForward computes a convolution as the stage has it.
func (m *staged[T]) ConvForward(p *nn.Pass[T], y, x, w tensor.Images[T], o tensor.Window, bias []T, relu bool) error {
	m.enter(p.Epoch)
	return m.Multiplier.ConvForward(p, y, x, w, o, bias, relu)
}

// Descends tells whether the stage can change weights by their gradient without writing it down.
func (m *staged[T]) Descends() bool { return nn.DescenderOf(m.Multiplier) != nil }

// Descend computes w -= rate·xᵀ·dy as the stage has it.
func (m *staged[T]) Descend(p *nn.Pass[T], w, x, dy tensor.Matrix[T], rate float64) error {
	return nn.DescenderOf(m.Multiplier).Descend(p, w, x, dy, rate)
}
