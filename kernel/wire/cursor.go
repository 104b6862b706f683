package wire

import "unicode/utf8"

// ByteOffset turns a cursor position, which the protocol counts in code points, into an
// offset into the text. One outside the text gives the nearer end.
func ByteOffset(text string, cursor int) int {
	for i := range text {
		if cursor <= 0 {
			return i
		}
		cursor--
	}
	return len(text)
}

// CursorPos turns an offset into the text into a cursor position in code points.
func CursorPos(text string, offset int) int {
	return utf8.RuneCountInString(text[:max(0, min(offset, len(text)))])
}
