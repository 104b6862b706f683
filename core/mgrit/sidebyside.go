package mgrit

import "sync"

// sideBySide takes training steps on several cores at once, with nothing of the method around them:
// each core its part of the training, among its part of so many vectors.
type sideBySide struct {
	p       Problem
	n, each int // training steps in all and on the first core, which has the most
	rows    []vectors
}

func newSideBySide(p Problem, steps, cores, keep int) *sideBySide {
	b := &sideBySide{p: p, n: steps, each: (steps + cores - 1) / cores}
	for range cores {
		u := newVectors(max(2, keep/cores), len(p.Init))
		for i := range len(u.data) / u.d {
			copy(u.at(i), p.Init)
		}
		b.rows = append(b.rows, u)
	}
	return b
}

// steps takes them. Goroutine i writes rows[i] and errs[i] only; the caller is number 0.
func (b *sideBySide) steps() error {
	errs := make([]error, len(b.rows))
	var others sync.WaitGroup
	for i := range b.rows[1:] {
		others.Go(func() { errs[i+1] = b.part(i + 1) })
	}
	errs[0] = b.part(0)
	others.Wait()
	return firstError(errs)
}

func (b *sideBySide) part(i int) (err error) {
	s := Step{Scale: 1, Span: 1, Worker: i}
	defer func() {
		if r := recover(); r != nil {
			err = panicked(s, r)
		}
	}()
	u := b.rows[i]
	keep := len(u.data) / u.d
	copy(u.at(0), b.p.Init)
	from := min(i*b.each, b.n)
	for k := range min(b.each, b.n-from) {
		s.From, s.To, s.Index = from+k, from+k+1, from+k
		if err := b.p.call(u.at((k+1)%keep), u.at(k%keep), s); err != nil {
			return err
		}
	}
	return nil
}
