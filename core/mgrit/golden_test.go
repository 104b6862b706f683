package mgrit

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

// A goldenRun is one run recorded with XBraid: options, then what happened.
type goldenRun struct {
	steps, coarsen, levels, hidden int
	rate, rateCap, tol             float64
	nrelax                         int
	cycle                          string
	iterations, taken              int
	diff                           float64
	residuals                      []float64
	line                           int
}

func readGolden(t testing.TB) []goldenRun {
	t.Helper()
	f, err := os.Open("testdata/xbraid.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(z)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	num := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	var runs []goldenRun
	for i, f := range rows[1:] {
		g := goldenRun{line: i + 2, cycle: f[8], diff: num(f[11]), rate: num(f[4]), rateCap: num(f[5]), tol: num(f[6])}
		for k, p := range map[int]*int{0: &g.steps, 1: &g.coarsen, 2: &g.levels, 3: &g.hidden, 7: &g.nrelax, 9: &g.iterations, 10: &g.taken} {
			*p = int(num(f[k]))
		}
		for _, r := range f[12:] {
			if r != "" {
				g.residuals = append(g.residuals, num(r))
			}
		}
		runs = append(runs, g)
	}
	return runs
}

func (g *goldenRun) options() (Problem, Options) {
	o := Options{Steps: g.steps, Coarsen: g.coarsen, MaxLevels: g.levels, MinCoarse: 4, Relax: Sweeps(g.nrelax),
		Coarse: Multiplied{Cap: g.rateCap / g.rate}, Tol: g.tol, MaxCycles: 60, Storage: StoreAll, Workers: 1}
	if g.cycle == "F" {
		o.Cycle = FCycle
	}
	return XOR(XOROptions{Hidden: g.hidden, Rate: g.rate}), o
}

func TestGoldenTry(t *testing.T) {
	bad := 0
	for _, g := range readGolden(t) {
		if g.steps > 256 && os.Getenv("FULL")=="" {
			continue
		}
		p, o := g.options()
		res, err := Solve(context.Background(), p, o)
		if err != nil {
			t.Errorf("line %d: %v", g.line, err)
			continue
		}
		msg := ""
		if len(res.Levels) != g.levels {
			msg += " levels"
		}
		if res.Cycles != g.iterations {
			msg += " cycles"
		}
		if res.Taken != g.taken {
			msg += " taken"
		}
		worst := 0.0
		for k, r := range g.residuals {
			if k < len(res.Residuals[0]) && r > 1e-12 {
				d := math.Abs(res.Residuals[0][k]-r)
				if d > 2e-16*math.Sqrt(float64(g.steps)) {
				worst = math.Max(worst, d/r)
				}
			}
		}
		if worst > 1e-6 {
			msg += " residual"
		}
		if msg != "" {
			bad++
			if bad < 150 {
				t.Errorf("line %d %d m%d L%d r%v c%v n%d %s it %d taken %d %.3g: got %d cycles %d taken %d levels, worst %.2g:%s", g.line, g.steps,g.coarsen,g.levels,g.rate,g.rateCap,g.nrelax,g.cycle,g.iterations,g.taken,g.residuals, res.Cycles, res.Taken, len(res.Levels), worst, msg)
			}
		}
	}
	t.Log("bad", bad)
}
