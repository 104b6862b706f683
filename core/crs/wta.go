package crs

// WTA is winner-take-all sampling: the pairs of largest norm, as many as make the error smallest,
// are kept as they are, and the rest of the k are drawn with replacement from the others. With
// the certain ones C and P their part of all norms, a draw j is scaled by (1-P)/((k-|C|)·qⱼ), and |C| minimises
// (1-P)/(k-|C|). It is unbiased (Liu et al., Winner-Take-All Column Row Sampling, NeurIPS 2023).
type WTA struct {
	Keep float64 // share of the pairs, above 0 and at most 1
}

func (s WTA) String() string         { return "winner-take-all, keep " + percent(s.Keep) }
func (s WTA) check() error           { return checkKeep("WTA.Keep", s.Keep) }
func (s WTA) keep() float64          { return s.Keep }
func (s WTA) looksAt() sight         { return seesPairs }
func (s WTA) with(k float64) Sampler { return WTA{k} }

// draw takes as certain what Bernoulli sampling does: one more pair of norm c makes (1-P)/(k-|C|)
// smaller just where c is above Σ of the others over k-|C|, the level of the water.
func (s WTA) draw(d *draw) error {
	t, certain, rest := waterLevel(d.c, d.k)
	if rest == 0 {
		d.coins(t) // all certain
		return nil
	}
	count := d.counts()
	k := d.k - certain
	d.throw(below(make([]float64, 0, d.n), d.c, t), k, count)
	for i, c := range d.c {
		if c >= t {
			d.pick(i, 1)
		} else if count[i] > 0 {
			d.pick(i, float64(count[i])*rest/(float64(k)*c))
		}
	}
	return nil
}

// below copies norms, those from t on as 0.
func below(dst, c []float64, t float64) []float64 {
	for _, v := range c {
		if v >= t {
			v = 0
		}
		dst = append(dst, v)
	}
	return dst
}

func (s WTA) variance(t *theory) float64 {
	level, certain, rest := waterLevel(t.c, t.k)
	if rest == 0 {
		return 0
	}
	drawn := make([]float64, t.n)
	for i, c := range t.c {
		if c < level {
			drawn[i] = 1
		}
	}
	return (rest*rest - t.norm(drawn)) / float64(t.k-certain)
}
