package units

import (
	"fmt"
	"testing"
)

func ExampleBytes() {
	fmt.Println(Bytes(1), Bytes(1023), Bytes(1536), Bytes(5<<20), Bytes(int64(13)<<29))
	// Output: 1 byte 1023 bytes 1.5 kB 5.0 MB 6.5 GB
}

func TestBytesOfNothing(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes", -3: "-3 bytes", 1 << 10: "1.0 kB", 1 << 30: "1.0 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}
