package molecules

import (
	"fmt"
	"math"
	"strings"

	"trivium/datasets/internal/page"
)

// places puts the heavy atoms of a molecule in a plane, so that distances there are near the
// numbers of bonds between atoms. Each round moves an atom to where the others would have it,
// near ones counting most: stress majorisation (Gansner, Koren, North, Graph Drawing (2004)).
func places(m *Molecule, d [][]int, heavy []int) (x, y []float64) {
	const rounds = 100
	x, y = make([]float64, len(m.Atoms)), make([]float64, len(m.Atoms))
	for k, i := range heavy {
		a := 2 * math.Pi * float64(k) / float64(len(heavy))
		x[i], y[i] = 2*math.Cos(a), 2*math.Sin(a)
	}
	for range rounds {
		for _, i := range heavy {
			var sx, sy, sum float64
			for _, j := range heavy {
				if i == j || d[i][j] < 1 {
					continue
				}
				want := float64(d[i][j])
				w := 1 / (want * want)
				now := math.Max(math.Hypot(x[i]-x[j], y[i]-y[j]), 1e-6)
				sx += w * (x[j] + want*(x[i]-x[j])/now)
				sy += w * (y[j] + want*(y[i]-y[j])/now)
				sum += w
			}
			if sum > 0 {
				x[i], y[i] = sx/sum, sy/sum
			}
		}
	}
	return x, y
}

// drawing is an SVG of the heavy atoms, with the hydrogens counted at those that are no carbon.
func drawing(m *Molecule) string {
	const scale, margin, most = 30., 20., 40
	var heavy []int
	for i, a := range m.Atoms {
		if a != H {
			heavy = append(heavy, i)
		}
	}
	if len(heavy) == 0 || len(heavy) > most {
		return ""
	}
	x, y := places(m, distances(m), heavy)
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, i := range heavy {
		lo = [2]float64{min(lo[0], x[i]), min(lo[1], y[i])}
		hi = [2]float64{max(hi[0], x[i]), max(hi[1], y[i])}
	}
	at := func(i int) (float64, float64) {
		return (x[i]-lo[0])*scale + margin, (y[i]-lo[1])*scale + margin
	}
	var s strings.Builder
	fmt.Fprintf(&s, `<svg width="%.0f" height="%.0f" style="margin:4px"><title>%s</title>`,
		(hi[0]-lo[0])*scale+2*margin, (hi[1]-lo[1])*scale+2*margin, page.Text(m.ID+" "+m.Formula()))
	hydrogens := make([]int, len(m.Atoms))
	for _, b := range m.Bonds {
		switch {
		case m.Atoms[b.A] == H:
			hydrogens[b.B]++
		case m.Atoms[b.B] == H:
			hydrogens[b.A]++
		default:
			x1, y1 := at(b.A)
			x2, y2 := at(b.B)
			length := math.Max(math.Hypot(x2-x1, y2-y1), 1)
			nx, ny := (y1-y2)/length, (x2-x1)/length
			for _, l := range lines[b.Kind] {
				fmt.Fprintf(&s, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#888" stroke-width="1.5"%s/>`,
					x1+l.off*nx, y1+l.off*ny, x2+l.off*nx, y2+l.off*ny, l.dash)
			}
		}
	}
	for _, i := range heavy {
		px, py := at(i)
		e := m.Atoms[i]
		fmt.Fprintf(&s, `<circle cx="%.1f" cy="%.1f" r="8" fill="%s"/>`, px, py, colors[e])
		text := Symbols[e]
		if n := hydrogens[i]; e != C && n == 1 {
			text += "H"
		} else if e != C && n > 1 {
			text += fmt.Sprintf("H%d", n)
		}
		fmt.Fprintf(&s, `<text x="%.1f" y="%.1f" text-anchor="middle" font-size="9" fill="#fff">%s</text>`, px, py+3, text)
	}
	s.WriteString("</svg>")
	return s.String()
}

// lines of a bond, beside the line between the atoms.
var lines = [BondKinds][]struct {
	off  float64
	dash string
}{
	Single:   {{0, ""}},
	Double:   {{-2, ""}, {2, ""}},
	Triple:   {{-3.5, ""}, {0, ""}, {3.5, ""}},
	Aromatic: {{-2, ""}, {2, ` stroke-dasharray="3 2"`}},
}

var colors = [Elements]string{C: "#555555", N: "#0072b2", O: "#d55e00", F: "#009e73"}
