package eval

import (
	"fmt"
	"reflect"
)

// Package reflect, by which yaegi indexes, does not say which index was out of range of what.
// A trace finds that in the frame of the function (see where.go). These are Go's own
// texts for it, "" where nothing is wrong.

func indexText(i, n int) string {
	switch {
	case i < 0:
		return fmt.Sprintf("index out of range [%d]", i)
	case i >= n:
		return fmt.Sprintf("index out of range [%d] with length %d", i, n)
	}
	return ""
}

func upperText(high, limit int, isSlice bool) string {
	switch {
	case high < 0:
		return fmt.Sprintf("slice bounds out of range [:%d]", high)
	case high > limit && isSlice:
		return fmt.Sprintf("slice bounds out of range [:%d] with capacity %d", high, limit)
	case high > limit:
		return fmt.Sprintf("slice bounds out of range [:%d] with length %d", high, limit)
	}
	return ""
}

func lowerText(low, high int) string {
	switch {
	case low < 0:
		return fmt.Sprintf("slice bounds out of range [%d:]", low)
	case low > high:
		return fmt.Sprintf("slice bounds out of range [%d:%d]", low, high)
	}
	return ""
}

// sliceText is about x[b[0]:b[1]:b[2]], of which the later ones may be missing.
func sliceText(x reflect.Value, b []int, hasLow bool) string {
	limit, isSlice := x.Len(), x.Kind() == reflect.Slice
	if isSlice {
		limit = x.Cap()
	}
	if len(b) < 3 {
		text := ""
		if len(b) == 2 {
			text = upperText(b[1], limit, isSlice)
		}
		if text == "" && hasLow {
			text = lowerText(b[0], append(b[1:], x.Len())[0])
		}
		return text
	}
	low, high, most := b[0], b[1], b[2]
	switch {
	case most < 0:
		return fmt.Sprintf("slice bounds out of range [::%d]", most)
	case most > limit && isSlice:
		return fmt.Sprintf("slice bounds out of range [::%d] with capacity %d", most, limit)
	case most > limit:
		return fmt.Sprintf("slice bounds out of range [::%d] with length %d", most, limit)
	case high < 0:
		return fmt.Sprintf("slice bounds out of range [:%d:]", high)
	case high > most:
		return fmt.Sprintf("slice bounds out of range [:%d:%d]", high, most)
	case low < 0:
		return fmt.Sprintf("slice bounds out of range [%d::]", low)
	case low > high:
		return fmt.Sprintf("slice bounds out of range [%d:%d:]", low, high)
	}
	return ""
}
