package viz

// Budget draws what share of the pairs each product of each layer computed over the steps of
// a training: what crs.Budget chose, say, from a crs.Record. With the run that draws given too,
// the figure grows while it goes on.
//
//	record := &crs.Record{} // given to the training
//	viz.Budget(record, r)
func Budget(d Draws, sources ...Source) *Figure {
	return newFigure(&budget{d, present(sources)}).Size(680, 420)
}

type budget struct {
	d   Draws
	src []Source
}

func (b *budget) sources() []Source { return b.src }

func (b *budget) scene(set settings) *scene {
	if isNil(b.d) {
		return &scene{empty: "No record was given, so there is nothing to draw."}
	}
	// A record joins what it has as it grows, so the curves are made anew for each frame; they
	// are short.
	c := &curveSet{yLabel: "share of the pairs computed", what: "share of the pairs"}
	for _, name := range b.d.Series() {
		steps, share := b.d.Share(name)
		c.addLine(name, steps, share)
	}
	set.x = Steps
	s := c.scene(set)
	s.summary = "Share of the pairs that each product computed, over the steps of a training"
	if len(c.lines) == 0 {
		s.empty = "Nothing has been drawn yet."
		return s
	}
	s.xLabel = "step"
	if !s.y.log {
		s.y.min, s.y.max = 0, 1.04
	}
	s.notes = append(s.notes, failures(b.src)...)
	return s
}
