package viz

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

func TestNowhereIsNotDrawn(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e9} {
		for _, bad := range []vg.Point{{X: vg.Length(v)}, {Y: vg.Length(v)}} {
			r := new(recorder.Canvas)
			c := checked{r}
			var path vg.Path
			path.Move(vg.Point{})
			path.QuadTo(bad, vg.Point{X: 1})
			c.Fill(path)
			c.Stroke(path)
			c.DrawImage(vg.Rectangle{Max: bad}, nil)
			if len(r.Actions) > 0 {
				t.Errorf("%v: %d actions", bad, len(r.Actions))
			}
			path = path[:1]
			path.Line(vg.Point{X: 1})
			if c.Stroke(path); len(r.Actions) != 1 {
				t.Error("a good path was left out")
			}
		}
	}
}
