package viz

import (
	"fmt"
	"math"
)

// A Tiler has weights that are pictures: the first layer of a network. *nn.Net is one.
type Tiler interface {
	// Tiles returns one list of height·width numbers for each tile, row after row.
	Tiles() (tiles [][]float32, height, width int)
}

// shownTiles is how many tiles a figure of weights shows.
const shownTiles = 128

// Weights draws weights as small pictures with common colours, those of both signs around a
// grey zero: what each unit of the first layer of a network looks for. It takes a network
// (a [Tiler]), one matrix, whose rows become squares, or several matrices, each of which is
// one tile. The weights are read at each drawing: those of a network that is being trained
// are a little torn.
//
//	viz.Weights("first layer", net)
func Weights(name string, of ...any) *Figure { return newFigure(weightTiles{name, of}) }

type weightTiles struct {
	name string
	of   []any
}

func (weightTiles) sources() []Source { return nil }

// A shaped list of numbers.
type shaped struct {
	values        []float64
	height, width int
}

func (w weightTiles) scene(set settings) *scene {
	list, problem := w.list()
	s := &scene{summary: fmt.Sprintf("%s: %s", upper(w.name), plural(len(list), "tile"))}
	if problem != "" || len(list) == 0 {
		s.empty = w.name + " has no weights to draw."
		if problem != "" {
			s.empty = w.name + ": " + problem
		}
		return s
	}
	lo, hi, sum, n, bad := math.Inf(1), math.Inf(-1), 0.0, 0, 0
	for _, t := range list {
		for _, v := range t.values {
			if !finite(v) {
				bad++
				continue
			}
			lo, hi, sum, n = min(lo, v), max(hi, v), sum+v, n+1
		}
	}
	if n == 0 {
		s.empty = fmt.Sprintf("%s: all %s are NaN or infinite.", w.name, plural(bad, "value"))
		return s
	}
	scale := newColorScale(lo, hi, false)
	var tiles []tile
	for _, t := range list[:min(len(list), shownTiles)] {
		tiles = append(tiles, tile{img: painted(t.values, t.height, t.width, scale)})
	}
	m := tiled(tiles, set, scaleWidth)
	m.summary = fmt.Sprintf("%s of %d×%d", s.summary, list[0].height, list[0].width)
	m.yLabel, m.scale = w.name, scale
	m.details = []string{fmt.Sprintf("from %s to %s, mean %s", short(lo), short(hi), short(sum/float64(n)))}
	if note := cellNote(w.name, n+bad, bad, 0); note != "" {
		m.notes = append(m.notes, note)
	}
	if len(list) > shownTiles {
		m.notes = append(m.notes, fmt.Sprintf("The first %d of %s are shown.", shownTiles, plural(len(list), "tile")))
	}
	return m
}

// list copies what there is to draw.
func (w weightTiles) list() (out []shaped, problem string) {
	if len(w.of) == 1 {
		if t, ok := w.of[0].(Tiler); ok {
			tiles, h, wide := t.Tiles()
			if len(tiles) == 0 {
				return nil, "the network has no layer of weights whose input has the shape of a picture"
			}
			for _, v := range tiles {
				out = append(out, shaped{widen(v), h, wide})
			}
			return out, ""
		}
		g, ok := gridOf(w.of[0])
		if !ok {
			return nil, notGrid(w.of[0])
		}
		if g == nil {
			return nil, ""
		}
		rows, cols := g.Dims()
		h, wide := tileSize(cols)
		for i := range min(rows, 4*shownTiles) {
			values := make([]float64, cols)
			for j := range values {
				values[j] = g.At(i, j)
			}
			if cols > 0 {
				out = append(out, shaped{values, h, wide})
			}
		}
		return out, ""
	}
	for _, v := range w.of {
		g, ok := gridOf(v)
		if !ok {
			return nil, notGrid(v)
		}
		if g == nil {
			continue
		}
		rows, cols := g.Dims()
		t := shaped{height: rows, width: cols}
		for i := range rows {
			for j := range cols {
				t.values = append(t.values, g.At(i, j))
			}
		}
		if len(t.values) > 0 {
			out = append(out, t)
		}
	}
	return out, ""
}
