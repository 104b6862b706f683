// Package units writes sizes as messages of the kernel show them.
package units

import "fmt"

// Bytes writes a number of bytes with one decimal in the largest unit that it fills: 512 bytes,
// 1.5 kB, 5.0 MB, 3.2 GB. A kB is 1024 bytes, as in the limits that a user sets.
func Bytes[T ~int | ~int64](n T) string {
	for i, unit := range []string{"GB", "MB", "kB"} {
		if size := T(1) << (30 - 10*i); n >= size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(size), unit)
		}
	}
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
