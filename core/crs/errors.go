package crs

import "fmt"

// An OptionError says which option cannot be, and why.
type OptionError struct {
	Option string // "TopK.Keep"
	Value  string // what it is
	Why    string // what it must be
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("crs: %s is %s: %s", e.Option, e.Value, e.Why)
}

// A NormError says why the pairs of a product give no probabilities.
type NormError struct {
	Pair, Pairs int     // which, of how many; Pair is -1 where it is all of them
	Norm        float64 // its norm: 0, NaN or infinite
}

func (e *NormError) Error() string {
	if e.Pair < 0 {
		return fmt.Sprintf("crs: the norms of all %d pairs are 0, which leaves nothing to choose by: one of the factors is zero, or so small that squares vanish", e.Pairs)
	}
	return fmt.Sprintf("crs: the norm of pair %d of %d is %v: a factor has elements that are NaN, infinite, or so large that their squares are", e.Pair, e.Pairs, e.Norm)
}

// checkKeep refuses a share that is none.
func checkKeep(option string, keep float64) error {
	if keep > 0 && keep <= 1 {
		return nil
	}
	return &OptionError{option, fmt.Sprint(keep), "it must be above 0 and at most 1, the share of the pairs that is kept"}
}
