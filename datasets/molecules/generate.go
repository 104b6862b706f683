package molecules

import (
	"fmt"
	"math"

	"trivium/core/random"
)

// Shares among the neutral molecules of QM9.
var (
	heavyShare   = []float64{5: 0.008, 6: 0.006, 7: 0.026, 8: 0.142, 9: 0.818} // of heavy atoms; 5 stands for fewer too
	elementShare = [Elements]float64{C: 0.7226, N: 0.1065, O: 0.1678, F: 0.0031}
	ringShare    = []float64{0.13, 0.40, 0.34, 0.11, 0.02}
	piShare      = []float64{0.08, 0.20, 0.30, 0.24, 0.18} // of second and third bonds
)

// Generate draws n molecules with the statistics of QM9: up to nine heavy atoms, its shares of
// elements, on average 18.1 atoms and 18.6 bonds, hydrogens included. Heavy atoms are joined one
// by one to a random one with a bond to spare, rings of three to six are closed, bonds raised,
// and hydrogens fill the rest. They obey valence, not chemistry. The target is [Dipole].
func Generate(n int, seed uint64) *Set {
	r := random.New(seed).Split("molecules")
	s := &Set{Name: fmt.Sprintf("generated molecules, seed %d", seed), Target: "dipole (model)", Molecules: make([]*Molecule, max(n, 0))}
	for i := range s.Molecules {
		m := draw(r)
		m.ID = fmt.Sprint(i + 1)
		m.Target = Dipole(m)
		s.Molecules[i] = m
	}
	return s
}

func pick(r *random.Stream, shares []float64) int {
	u := r.Float64()
	for i, p := range shares {
		if u -= p; u < 0 {
			return i
		}
	}
	return len(shares) - 1
}

func draw(r *random.Stream) *Molecule {
	m := &Molecule{}
	var free []int // bonds to spare of each atom
	places := func(least int) (at []int) {
		for i, f := range free {
			if f >= least {
				at = append(at, i)
			}
		}
		return at
	}
	for n := pick(r, heavyShare); len(m.Atoms) < n; {
		e := pick(r, elementShare[:])
		i, at := len(m.Atoms), places(1)
		for e == F && (i == 0 || len(at) == 1 && free[at[0]] == 1) {
			e = pick(r, elementShare[:]) // fluorine would leave no place for the next
		}
		m.Atoms, free = append(m.Atoms, e), append(free, valence[e])
		if i > 0 {
			a := at[r.IntN(len(at))]
			m.Bonds = append(m.Bonds, Bond{a, i, Single})
			free[a]--
			free[i]--
		}
	}
	for range pick(r, ringShare) {
		d := distances(m)
		var pairs [][2]int
		for _, a := range places(1) {
			for _, b := range places(1) {
				if a < b && d[a][b] >= 2 && d[a][b] <= 5 {
					pairs = append(pairs, [2]int{a, b})
				}
			}
		}
		if len(pairs) > 0 {
			p := pairs[r.IntN(len(pairs))]
			m.Bonds = append(m.Bonds, Bond{p[0], p[1], Single})
			free[p[0]]--
			free[p[1]]--
		}
	}
	for range pick(r, piShare) {
		var can []int
		for i, b := range m.Bonds {
			if free[b.A] > 0 && free[b.B] > 0 && b.Kind < Triple {
				can = append(can, i)
			}
		}
		if len(can) > 0 {
			b := &m.Bonds[can[r.IntN(len(can))]]
			b.Kind++
			free[b.A]--
			free[b.B]--
		}
	}
	for i, f := range free {
		for range f {
			m.Bonds = append(m.Bonds, Bond{i, len(m.Atoms), Single})
			m.Atoms = append(m.Atoms, H)
		}
	}
	return m
}

// distances counts the bonds on the shortest way between two atoms, -1 where there is none.
func distances(m *Molecule) [][]int {
	next := make([][]int, len(m.Atoms))
	for _, b := range m.Bonds {
		next[b.A], next[b.B] = append(next[b.A], b.B), append(next[b.B], b.A)
	}
	all := make([][]int, len(m.Atoms))
	for from := range all {
		d := make([]int, len(m.Atoms))
		for i := range d {
			d[i] = -1
		}
		d[from] = 0
		for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
			for _, j := range next[queue[0]] {
				if d[j] < 0 {
					d[j] = d[queue[0]] + 1
					queue = append(queue, j)
				}
			}
		}
		all[from] = d
	}
	return all
}

// Pauling's electronegativities.
var pull = [Elements]float64{H: 2.20, C: 2.55, N: 3.04, O: 3.44, F: 3.98}

// Dipole computes a dipole from the graph alone: each bond moves charge to its more
// electronegative atom, by the difference times the bond's order; then, as charges q sum to 0,
//
//	μ² = -½ Σᵢ Σⱼ qᵢ qⱼ dᵢⱼ
//
// which is |Σ q r|² if the mean squared distance of two atoms is the number d of bonds between
// them, as it is in a chain of freely turning links of length 1. It is a stand-in with the right
// dependence, on local charges and global distances, in units of its own.
func Dipole(m *Molecule) float64 {
	q := make([]float64, len(m.Atoms))
	for _, b := range m.Bonds {
		order := [BondKinds]float64{1, 2, 3, 1.5}[b.Kind]
		moved := float64(order * (pull[m.Atoms[b.B]] - pull[m.Atoms[b.A]]))
		q[b.A] += moved
		q[b.B] -= moved
	}
	var sum float64
	for i, row := range distances(m) {
		for j, d := range row {
			sum -= float64(q[i] * q[j] * float64(max(d, 0)) / 2)
		}
	}
	return math.Sqrt(max(sum, 0))
}
