package crs

import (
	"trivium/core/nn"
	"trivium/core/tensor"
)

// rowNorms is the norms of the rows of a layer's weights. Where a step changes some rows and the next
// one comes right after it, only those are measured again: the norms are the same, for half
// of the reading at keep 0.5. Others may change weights between epochs, so each begins anew.
type rowNorms[T tensor.Float] struct {
	norms []T
	w     *T     // where the weights lie that norms belongs to
	step  uint64 // the one before which norms is right
	epoch float64
	known bool
}

// of returns the norms of the rows of w, which belong to m.
func (m *rowNorms[T]) of(p *nn.Pass[T], w tensor.Matrix[T]) ([]T, error) {
	if m.known && m.w == &w.Data[0] && m.step == p.Step && int(m.epoch) == int(p.Epoch) {
		return m.norms, nil
	}
	m.known = false
	m.norms = room(m.norms, w.Rows)
	p.Flops += 2 * float64(w.Rows) * float64(w.Cols)
	return m.norms, tensor.RowNorms(m.norms, w)
}

// renew measures rows that this step has changed.
func (m *rowNorms[T]) renew(p *nn.Pass[T], w tensor.Matrix[T], changed []int32) error {
	if len(m.norms) != w.Rows {
		return nil
	}
	for _, i := range changed {
		if err := tensor.RowNorms(m.norms[i:i+1], w.Slice(int(i), int(i)+1, 0, w.Cols)); err != nil {
			return err
		}
	}
	p.Flops += 2 * float64(len(changed)) * float64(w.Cols)
	m.known, m.w, m.step, m.epoch = true, &w.Data[0], p.Step+1, p.Epoch
	return nil
}
