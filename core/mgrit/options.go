package mgrit

import (
	"fmt"
	"math"
	"runtime"
)

// Options sets how Solve works. Only Steps must be given.
type Options struct {
	Steps int    // training steps, or time steps, to solve for
	Name  string // of the run, in figures; empty means the problem's, with the cycle if it is no V-cycle

	Method Method // Multigrid (the zero value), Newton or QuasiNewton

	// The hierarchy, of multigrid.
	Coarsen   int  // fine steps per coarse step; 0 means 2
	MaxLevels int  // 0 means as many as MinCoarse allows; 1 is serial stepping
	MinCoarse int  // no grid has fewer steps than this; 0 means 4
	Coarse    Rule // how coarse levels take their longer steps; nil means Adaptive{}
	Levels    []LevelOptions

	// The cycle.
	Relax     Relaxation // FCF (the zero value), F, FCFCF, ...
	Weight    float64    // of the new value in C-relaxation; 0 means 1, which is best for gradient descent
	Cycle     Cycle      // VCycle (the zero value), FCycle or WCycle
	UpCycles  int        // V-cycles on each level of the way up of an F-cycle; 0 means 1
	SkipFirst bool       // before the first cycle, solve the coarsest grid and carry the result up
	Nested    bool       // the same, with UpCycles V-cycles on each coarse level of the way up

	// When to stop. The residual is that at the finest level's C-points, before a cycle's
	// correction. The first tolerance it is below ends the iteration with that cycle.
	Tol       float64 // absolute; 0 means 1e-9, for a network in float32 what it can give, unless RelTol is given
	RelTol    float64 // relative to the first residual; 0 means not used
	Norm      Norm    // over the C-points; TwoNorm is the zero value
	MaxCycles int     // 0 means 60
	Fixed     bool    // do MaxCycles cycles whatever the residual is

	// The work.
	Workers int                   // 0 means one for each core, or 1 if the problem calls cells
	Storage Storage               // StoreC (the zero value) or StoreAll
	Memory  int64                 // refuse to start if more bytes are needed; 0 means 4 GiB
	Check   bool                  // check every step: input left as it was, same result when run twice
	Guess   func(i int) []float64 // first guess of the vector after i steps; nil means Init everywhere
	Resume  *Result               // go on from a result or checkpoint of the same problem and hierarchy; nil means start
	Compare [][]float64           // the vectors after 0, 1, ... steps as they should be, such as SerialPath's, for figures of the error
	OnCycle func(c CycleInfo)     // called after every cycle; may be a cell's function
}

// LevelOptions overrides Options on one level; Options.Levels[0] is for the finest. Zero
// fields leave what Options says, and so do levels past the end.
type LevelOptions struct {
	Coarsen int
	Relax   Relaxation
	Weight  float64
}

// CycleInfo tells OnCycle how far the iteration is.
type CycleInfo struct {
	Cycle    int // from 0
	Residual float64

	// Checkpoint returns a copy of the iteration's state after this cycle, for
	// Options.Resume. It can be written as gob or JSON.
	Checkpoint func() *Result
}

// A Relaxation says which points a relaxation updates, and in what order. F-relaxation
// steps from each C-point over the F-points that follow it; C-relaxation takes the one
// step from the last of them to the next C-point.
type Relaxation int

// The usual relaxations. [Sweeps] gives longer ones.
const (
	FCF   Relaxation = iota // F, C, F: the usual
	FCFCF                   // F, C, F, C, F
	F     Relaxation = -1   // F only, as in parareal
)

// Sweeps is the relaxation of n C-relaxations, each between F-relaxations: F for 0.
func Sweeps(n int) Relaxation { return Relaxation(n - 1) }

func (r Relaxation) sweeps() int { return int(r) + 1 }

func (r Relaxation) String() string {
	name := "F"
	for range r.sweeps() {
		name += "CF"
	}
	return name
}

// A Cycle is the order in which levels are visited.
type Cycle int

// The cycles. After its correction by the next coarser level, a level other than the
// finest goes straight up (V), does UpCycles V-cycles first (F), or a W-cycle first (W).
const (
	VCycle Cycle = iota
	FCycle
	WCycle
)

func (c Cycle) String() string {
	if c < VCycle || c > WCycle {
		return fmt.Sprintf("Cycle(%d)", int(c))
	}
	return [...]string{"V", "F", "W"}[c]
}

// A Norm turns the 2-norms of the C-points' residuals into one number.
type Norm int

// The norms over the C-points.
const (
	TwoNorm Norm = iota // square root of the sum of squares
	OneNorm             // sum
	MaxNorm             // largest
)

// A Storage says which vectors of the finest level are kept.
type Storage int

// The storage rules. Points of coarser levels are C-points of the finest, and take no memory of
// their own but for their equations' right-hand sides.
const (
	StoreC   Storage = iota // C-points, and the last point in the result
	StoreAll                // all points, also in the result
)

// filled returns o with zeros replaced by what they mean, or an error for what cannot be.
func (o Options) filled(p *Problem) (Options, error) {
	setInt(&o.Coarsen, 2)
	setInt(&o.MinCoarse, 4)
	setInt(&o.MaxCycles, 60)
	setInt(&o.UpCycles, 1)
	if o.MaxLevels == 0 {
		o.MaxLevels = math.MaxInt
	}
	if o.Weight == 0 {
		o.Weight = 1
	}
	if o.Tol == 0 && o.RelTol == 0 {
		o.Tol = math.Max(1e-9, p.tol*math.Sqrt(float64(max(o.Steps, 1))))
	}
	if o.Coarse == nil {
		o.Coarse = Adaptive{}
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
		if p.CallsCells {
			o.Workers = 1
		}
	}
	if o.Memory == 0 {
		o.Memory = 4 << 30
	}
	if err := o.check(); err != nil {
		return o, err
	}
	if err := fits(o.Coarse, p); err != nil {
		return o, err
	}
	if o.Method != Multigrid {
		o.MaxLevels, o.Storage = 1, StoreAll
	}
	return o, nil
}

func setInt(v *int, usual int) {
	if *v == 0 {
		*v = usual
	}
}

func (o *Options) check() error {
	bad := func(name string, value any, want string) error {
		return fmt.Errorf("mgrit: Options.%s is %v: it must be %s", name, value, want)
	}
	switch {
	case o.Steps < 1:
		return bad("Steps", o.Steps, "at least 1")
	case o.Method < Multigrid || o.Method > QuasiNewton:
		return bad("Method", int(o.Method), "Multigrid, Newton or QuasiNewton")
	case o.Coarsen < 2:
		return bad("Coarsen", o.Coarsen, "at least 2 (0 means 2)")
	case o.MaxLevels < 1:
		return bad("MaxLevels", o.MaxLevels, "at least 1 (0 means as many as MinCoarse allows)")
	case o.MinCoarse < 1:
		return bad("MinCoarse", o.MinCoarse, "at least 1 (0 means 4)")
	case o.Relax < F || o.Relax > 1000:
		return bad("Relax", int(o.Relax), "F, FCF, FCFCF or Sweeps(n) with n from 0 to 1001")
	case !(o.Weight > 0 && o.Weight <= 2):
		return bad("Weight", o.Weight, "above 0 and at most 2 (0 means 1)")
	case o.Cycle < VCycle || o.Cycle > WCycle:
		return bad("Cycle", int(o.Cycle), "VCycle, FCycle or WCycle")
	case o.UpCycles < 1:
		return bad("UpCycles", o.UpCycles, "at least 1 (0 means 1)")
	case !(o.Tol >= 0):
		return bad("Tol", o.Tol, "a number of at least 0 (0 means 1e-9)")
	case !(o.RelTol >= 0):
		return bad("RelTol", o.RelTol, "a number of at least 0")
	case o.Norm < TwoNorm || o.Norm > MaxNorm:
		return bad("Norm", int(o.Norm), "TwoNorm, OneNorm or MaxNorm")
	case o.MaxCycles < 1:
		return bad("MaxCycles", o.MaxCycles, "at least 1 (0 means 60)")
	case o.Workers < 1 || o.Workers > 1<<12:
		return bad("Workers", o.Workers, "from 1 to 4096 (0 means one for each core)")
	case o.Storage < StoreC || o.Storage > StoreAll:
		return bad("Storage", int(o.Storage), "StoreC or StoreAll")
	}
	for i, l := range o.Levels {
		name := fmt.Sprintf("Levels[%d]", i)
		switch {
		case l.Coarsen < 0 || l.Coarsen == 1:
			return bad(name+".Coarsen", l.Coarsen, "at least 2 (0 means Options.Coarsen)")
		case l.Relax < F || l.Relax > 1000:
			return bad(name+".Relax", int(l.Relax), "F, FCF, FCFCF or Sweeps(n)")
		case !(l.Weight >= 0 && l.Weight <= 2):
			return bad(name+".Weight", l.Weight, "above 0 and at most 2 (0 means Options.Weight)")
		}
	}
	return checkRule(o.Coarse)
}

// checkCompare says what is wrong with the path to compare with, for vectors of d numbers.
func (o *Options) checkCompare(d int) error {
	if o.Compare == nil {
		return nil
	}
	if len(o.Compare) <= o.Steps {
		return fmt.Errorf("mgrit: Options.Compare has %d vectors: it must have one before the first step and one after each of %d", len(o.Compare), o.Steps)
	}
	for i, u := range o.Compare {
		if len(u) != d {
			return fmt.Errorf("mgrit: Options.Compare[%d] has %d numbers, the problem's vectors have %d", i, len(u), d)
		}
	}
	return nil
}
