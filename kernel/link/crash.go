package link

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// mostCrash bounds what is kept of the runtime's last words: a trace of thousands of
// goroutines is cut.
const mostCrash = 256 << 10

func readCrash(f *os.File) string {
	b, _ := io.ReadAll(io.LimitReader(f, mostCrash))
	io.Copy(io.Discard, f)
	return string(b)
}

// lastWords completes what the runtime wrote to the crash descriptor. Of a fatal error it
// writes the trace there and the reason to standard error only, just before the same trace.
func (p *textPipe) lastWords(crash string) string {
	if crash == "" {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := bytes.LastIndex(p.tail, []byte(crash[:min(len(crash), 200)]))
	if at < 0 {
		return crash
	}
	const most = 12 // lines that the reason takes
	start := at
	for line, n := at, 0; n < most && line > 0; n++ {
		line = bytes.LastIndexByte(p.tail[:line-1], '\n') + 1
		text := string(p.tail[line:at])
		if strings.HasPrefix(text, "fatal error: ") || strings.HasPrefix(text, "runtime: ") || strings.HasPrefix(text, "panic: ") {
			start = line
		}
	}
	return string(p.tail[start:at]) + crash
}
