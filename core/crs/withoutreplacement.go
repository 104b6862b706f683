package crs

// WithoutReplacement draws exactly k different pairs, pair i with probability πᵢ = min(1, cᵢ/t), where t is
// such that these sum to k, and scales it by 1/πᵢ: the Horvitz-Thompson estimate (JASA 47 (1952),
// 663), which is unbiased because the πᵢ are the probabilities with which pairs really come. Drawing
// one after the other from what is left, as is often done, has no simple ones.
//
// The draw is systematic (Madow, Ann. Math. Stat. 20 (1949), 333): the πᵢ are laid end to end, and
// of points 1 apart with one random start each hits a pair. It costs one random number. Pairs
// that follow each other seldom come together, which helps where neighbours are alike and
// hurts where norms repeat with a period near 1/π.
type WithoutReplacement struct {
	Keep float64 // share of the pairs, above 0 and at most 1
}

func (s WithoutReplacement) String() string         { return "without replacement, keep " + percent(s.Keep) }
func (s WithoutReplacement) check() error           { return checkKeep("WithoutReplacement.Keep", s.Keep) }
func (s WithoutReplacement) keep() float64          { return s.Keep }
func (s WithoutReplacement) looksAt() sight         { return seesPairs }
func (s WithoutReplacement) with(k float64) Sampler { return WithoutReplacement{k} }

func (s WithoutReplacement) draw(d *draw) error {
	t, _, _ := waterLevel(d.c, d.k)
	next, at := d.random().Float64(), 0.0
	for i, c := range d.c {
		p := atLevel(c, t)
		if p == 1 { // apart, so that rounding cannot pass it by
			d.pick(i, 1)
			continue
		}
		at += p
		if at > next {
			d.pick(i, 1/p)
			next++
		}
	}
	return nil
}

// variance is ΣΣ (πᵢⱼ/(πᵢπⱼ) - 1)·⟨pair i, pair j⟩, where πᵢⱼ, the probability that both come, is how much of
// the circle their two arcs share.
func (s WithoutReplacement) variance(t *theory) float64 {
	level, _, _ := waterLevel(t.c, t.k)
	p, start := make([]float64, t.n), make([]float64, t.n)
	at := 0.0
	for i, c := range t.c {
		p[i] = atLevel(c, level)
		start[i] = at - float64(int(at))
		if p[i] < 1 {
			at += p[i]
		}
	}
	v := 0.0
	for i := range t.n {
		for j := range t.n {
			if p[i] == 0 || p[j] == 0 {
				continue
			}
			both := p[i] * p[j] // where one is certain
			if i == j {
				both = p[i]
			} else if p[i] < 1 && p[j] < 1 {
				both = arcsShare(start[i], p[i], start[j], p[j])
			}
			v += (both/(p[i]*p[j]) - 1) * t.gram(i, j)
		}
	}
	return v
}

// arcsShare returns the common length of two arcs of a circle of length 1.
func arcsShare(a, la, b, lb float64) float64 {
	share := 0.0
	for turn := -1.0; turn <= 1; turn++ {
		share += max(0, min(a+la, b+turn+lb)-max(a, b+turn))
	}
	return share
}
