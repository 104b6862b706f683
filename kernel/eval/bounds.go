package eval

import (
	"fmt"
	"reflect"
	"strconv"
)

// Package reflect, by which yaegi indexes, does not say which index was out of range of what.
// A trace finds that in the frame of the function (see where.go). These are Go's own
// texts for it, "" where nothing is wrong.

// An ordinal is an index, which may be one of an unsigned type that no int holds.
type ordinal struct {
	n      int
	beyond bool // it is uint64(n), above all ints
}

func (b ordinal) negative() bool      { return b.n < 0 && !b.beyond }
func (b ordinal) above(most int) bool { return b.n > most || b.beyond }

func (b ordinal) over(c ordinal) bool {
	if b.beyond && c.beyond {
		return uint64(b.n) > uint64(c.n)
	}
	return b.beyond || !c.beyond && b.n > c.n
}

func (b ordinal) String() string {
	if b.beyond {
		return strconv.FormatUint(uint64(b.n), 10)
	}
	return strconv.Itoa(b.n)
}

func indexText(i ordinal, n int) string {
	switch {
	case i.negative():
		return fmt.Sprintf("index out of range [%v]", i)
	case i.above(n - 1):
		return fmt.Sprintf("index out of range [%v] with length %d", i, n)
	}
	return ""
}

// upperText is about the last bound of a slice expression, behind one colon or two.
func upperText(colons string, high ordinal, limit int, isSlice bool) string {
	switch {
	case high.negative():
		return fmt.Sprintf("slice bounds out of range [%s%v]", colons, high)
	case high.above(limit) && isSlice:
		return fmt.Sprintf("slice bounds out of range [%s%v] with capacity %d", colons, high, limit)
	case high.above(limit):
		return fmt.Sprintf("slice bounds out of range [%s%v] with length %d", colons, high, limit)
	}
	return ""
}

func lowerText(low, high ordinal) string {
	switch {
	case low.negative():
		return fmt.Sprintf("slice bounds out of range [%v:]", low)
	case low.over(high):
		return fmt.Sprintf("slice bounds out of range [%v:%v]", low, high)
	}
	return ""
}

// sliceText is about x[b[0]:b[1]:b[2]], of which the later ones may be missing.
func sliceText(x reflect.Value, b []ordinal, hasLow bool) string {
	limit, isSlice := x.Len(), x.Kind() == reflect.Slice
	if isSlice {
		limit = x.Cap()
	}
	if len(b) < 3 {
		text := ""
		if len(b) == 2 {
			text = upperText(":", b[1], limit, isSlice)
		}
		if text == "" && hasLow {
			text = lowerText(b[0], append(b[1:], ordinal{n: x.Len()})[0])
		}
		return text
	}
	low, high, most := b[0], b[1], b[2]
	if text := upperText("::", most, limit, isSlice); text != "" {
		return text
	}
	switch {
	case high.negative():
		return fmt.Sprintf("slice bounds out of range [:%v:]", high)
	case high.over(most):
		return fmt.Sprintf("slice bounds out of range [:%v:%v]", high, most)
	case low.negative():
		return fmt.Sprintf("slice bounds out of range [%v::]", low)
	case low.over(high):
		return fmt.Sprintf("slice bounds out of range [%v:%v:]", low, high)
	}
	return ""
}
