// Package random gives seeded streams of random numbers that split by name, so that each part of an
// experiment has its own and changing one part leaves the others as they were.
//
// Start with [New] and give every user of randomness a [Stream.Split] of it:
//
//	root := random.New(42)
//	net := mlp(root.Split("weights"))
//	order := root.Split("epoch").SplitN(7).Perm(len(samples))
//
// A stream is a PCG-DXSM generator (O'Neill, HMC-CS-2014-0905; package math/rand/v2). Its numbers,
// the normal ones included, are the same on every machine. A Stream is not for use by several
// goroutines at once; its splits are independent of it and of each other.
package random

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// A Stream is a source of random numbers.
type Stream struct {
	key [2]uint64 // says which stream this is, whatever has been drawn from it
	pcg *rand.PCG
}

// New returns the stream of a seed.
func New(seed uint64) *Stream { return newStream([2]uint64{mix(seed), mix(seed ^ golden)}) }

const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio

func newStream(key [2]uint64) *Stream { return &Stream{key, rand.NewPCG(key[0], key[1])} }

// mix is the finaliser of SplitMix64: neighbouring numbers become unrelated ones.
func mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Split returns the stream of that name under this one. It depends on the seed and the names
// that led here, not on what was drawn before.
func (s *Stream) Split(name string) *Stream {
	h := fnv.New128a()
	h.Write([]byte(name))
	sum := h.Sum(nil)
	return s.child(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:]))
}

// SplitN returns the n-th stream under this one: of an epoch, a step, a worker. No SplitN is
// the same as a Split.
func (s *Stream) SplitN(n int) *Stream { return s.child(uint64(n), golden) }

func (s *Stream) child(a, b uint64) *Stream {
	return newStream([2]uint64{mix(s.key[0] ^ mix(a)), mix(s.key[1] + mix(b^mix(a)))})
}

// Uint64 returns 64 random bits; with it a Stream is a source for math/rand/v2.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Float64 returns a number from 0 to below 1, one of 2⁵³ equally far apart.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// Float32 returns a number from 0 to below 1, one of 2²⁴ equally far apart.
func (s *Stream) Float32() float32 { return float32(s.Uint64()>>40) * 0x1p-24 }

// IntN returns a whole number from 0 to below n, all equally likely, and 0 for n below 1.
func (s *Stream) IntN(n int) int {
	if n < 1 {
		return 0
	}
	// Lemire's method: the high half of a product is the number, and the few low halves
	// that would favour some numbers are drawn again.
	u := uint64(n)
	for {
		hi, lo := mul64(s.Uint64(), u)
		if lo >= u || lo >= -u%u {
			return int(hi)
		}
	}
}

// Normal returns a number of the normal distribution with mean 0 and variance 1. It uses only
// operations that every machine rounds alike, and a polynomial for the rest.
func (s *Stream) Normal() float64 {
	// The polar method (Marsaglia, Bray, SIAM Rev. 6 (1964), 260), one number of the two.
	for {
		u, v := 2*s.Float64()-1, 2*s.Float64()-1
		// The conversions keep the compiler from fusing the operations on some machines.
		q := float64(u*u) + float64(v*v)
		if q > 0 && q < 1 {
			return u * math.Sqrt(float64(-2*log(q))/q)
		}
	}
}

// Bernoulli returns true with probability p.
func (s *Stream) Bernoulli(p float64) bool { return s.Float64() < p }

// Perm returns the numbers from 0 to below n in random order.
func (s *Stream) Perm(n int) []int {
	p := make([]int, max(n, 0))
	for i := range p {
		p[i] = i
	}
	s.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// Shuffle brings n things into random order; swap exchanges two of them.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.IntN(i+1))
	}
}

// FillUniform fills x with numbers from lo to hi.
func FillUniform[T float32 | float64](s *Stream, x []T, lo, hi float64) {
	for i := range x {
		x[i] = T(lo + float64((hi-lo)*s.Float64()))
	}
}

// FillNormal fills x with numbers of the normal distribution.
func FillNormal[T float32 | float64](s *Stream, x []T, mean, deviation float64) {
	for i := range x {
		x[i] = T(mean + float64(deviation*s.Normal()))
	}
}

// Uniform32 is FillUniform for notebook cells.
func (s *Stream) Uniform32(x []float32, lo, hi float64) { FillUniform(s, x, lo, hi) }

// Uniform64 is FillUniform for notebook cells.
func (s *Stream) Uniform64(x []float64, lo, hi float64) { FillUniform(s, x, lo, hi) }

// Normal32 is FillNormal for notebook cells.
func (s *Stream) Normal32(x []float32, mean, deviation float64) { FillNormal(s, x, mean, deviation) }

// Normal64 is FillNormal for notebook cells.
func (s *Stream) Normal64(x []float64, mean, deviation float64) { FillNormal(s, x, mean, deviation) }

// MarshalBinary returns the state, from which UnmarshalBinary goes on with the next number.
func (s *Stream) MarshalBinary() ([]byte, error) {
	state, err := s.pcg.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("random: %w", err)
	}
	b := binary.BigEndian.AppendUint64(nil, s.key[0])
	return append(binary.BigEndian.AppendUint64(b, s.key[1]), state...), nil
}

// UnmarshalBinary sets the state to one that MarshalBinary returned.
func (s *Stream) UnmarshalBinary(b []byte) error {
	if len(b) < 16 {
		return fmt.Errorf("random: a state has 16 bytes or more, not %d", len(b))
	}
	pcg := new(rand.PCG)
	if err := pcg.UnmarshalBinary(b[16:]); err != nil {
		return fmt.Errorf("random: %w", err)
	}
	s.key = [2]uint64{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
	s.pcg = pcg
	return nil
}
