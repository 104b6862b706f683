//go:build unix

package host

import (
	"bytes"
	"io"
	"os"
)

// mostCaptured is how much printed text a call may leave in its place.
const mostCaptured = 64 << 10

// captured calls f and returns what the process printed to its standard output meanwhile.
func captured(f func()) string {
	file, err := os.CreateTemp("", "trivium-*")
	if err != nil {
		f()
		return ""
	}
	defer file.Close()
	os.Remove(file.Name())
	restore, err := redirectStdout(file)
	if err != nil {
		f()
		return ""
	}
	ended := false
	defer func() {
		if !ended { // a panic: what was printed before it is as good as any
			restore()
			io.Copy(os.Stdout, io.NewSectionReader(file, 0, mostCaptured))
		}
	}()
	f()
	ended = true
	restore()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.NewSectionReader(file, 0, mostCaptured)); err != nil {
		return ""
	}
	if b.Len() == mostCaptured {
		b.WriteString("\n…")
	}
	return b.String()
}
