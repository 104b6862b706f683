package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

func listed(entries []entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, fmt.Sprintf("%d/%d:%s", e.Session, e.Line, e.Input))
	}
	return strings.Join(out, " ")
}

func TestHistoryKinds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "history.jsonl")
	first := openHistory(path, t.Logf)
	first.add(1, "1+1", "2")
	first.add(2, "x := 3", "")
	first.close()
	second := openHistory(path, t.Logf)
	second.add(1, "1+2+3", "6")
	second.add(2, "1+1", "2")
	for _, c := range []struct {
		r    wire.HistoryRequest
		want string
	}{
		{wire.HistoryRequest{HistAccessType: "tail", N: 3}, "1/2:x := 3 2/1:1+2+3 2/2:1+1"},
		{wire.HistoryRequest{HistAccessType: "tail"}, "1/1:1+1 1/2:x := 3 2/1:1+2+3 2/2:1+1"},
		{wire.HistoryRequest{HistAccessType: "range", Session: 0, Start: 1, Stop: 2}, "2/1:1+2+3"},
		{wire.HistoryRequest{HistAccessType: "range", Session: 0, Start: 1}, "2/1:1+2+3 2/2:1+1"},
		{wire.HistoryRequest{HistAccessType: "range", Session: -1, Start: 2, Stop: 9}, "1/2:x := 3"},
		{wire.HistoryRequest{HistAccessType: "range", Session: 1, Start: 1, Stop: 2}, "1/1:1+1"},
		{wire.HistoryRequest{HistAccessType: "range", Session: 7, Start: 1}, ""},
		{wire.HistoryRequest{HistAccessType: "search", Pattern: "1?1*"}, "1/1:1+1 2/2:1+1"},
		{wire.HistoryRequest{HistAccessType: "search", Pattern: "1?1*", Unique: true}, "2/2:1+1"},
		{wire.HistoryRequest{HistAccessType: "search", Pattern: "*", N: 2}, "2/1:1+2+3 2/2:1+1"},
		{wire.HistoryRequest{HistAccessType: "search", Pattern: "1+"}, ""},
	} {
		if got := listed(second.find(&c.r)); got != c.want {
			t.Errorf("%+v:\n got %q\nwant %q", c.r, got, c.want)
		}
	}
	second.close()
}

func TestHistoryReply(t *testing.T) {
	k := start(t, nil)
	k.run("value six")
	for _, output := range []bool{false, true} {
		id := k.send(transport.Shell, wire.TypeHistoryRequest, wire.HistoryRequest{HistAccessType: "tail", N: 1, Output: output})
		m := k.reply(transport.Shell, id, nil)
		want := `[[1,1,"value six"]]`
		if output {
			want = `[[1,1,["value six","six"]]]`
		}
		if !strings.Contains(string(m.Content), want) {
			t.Errorf("output %v: %s, want %s in it", output, m.Content, want)
		}
	}
}

// A history that cannot be written is kept in memory, and the kernel works.
func TestHistoryWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := openHistory(filepath.Join(dir, "file", "history.jsonl"), t.Logf)
	h.add(1, "x", "")
	if got := listed(h.find(&wire.HistoryRequest{HistAccessType: "tail"})); got != "1/1:x" {
		t.Errorf("got %q", got)
	}
	h.close()
}

// Kernels that start and write at once get numbers of their own, and no line is torn.
func TestHistoryOfManyKernels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	const kernels, cells = 8, 20
	var wg sync.WaitGroup
	for range kernels {
		wg.Go(func() {
			h := openHistory(path, t.Logf)
			for i := range cells {
				h.add(i+1, strings.Repeat("long ", 100), "")
			}
			h.close()
		})
	}
	wg.Wait()
	f := &historyFile{path: path}
	all, err := f.read()
	if err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for _, e := range all {
		if e.Line > 0 {
			count[e.Session]++
		}
	}
	for s := 1; s <= kernels; s++ {
		if count[s] != cells {
			t.Errorf("session %d has %d cells, want %d", s, count[s], cells)
		}
	}
}

func TestHistoryIsShortenedAndSurvivesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	f := &historyFile{path: path, most: 4000}
	for i := range 200 {
		if err := f.append([]entry{{Line: i + 1, Input: "some code of a cell"}}, 5); err != nil {
			t.Fatal(err)
		}
	}
	if session, err := f.newSession(); err != nil || session != 6 {
		t.Fatalf("session %d, %v; want 6", session, err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 4000 {
		t.Errorf("the file has %d bytes, want at most 4000", info.Size())
	}
	torn, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	torn.WriteString("{\"s\":6,\"n\":1,\"in\":\"cut o\nnot JSON\n")
	torn.Close()
	all, err := f.read()
	if err != nil || len(all) == 0 || all[len(all)-1].Session != 6 {
		t.Errorf("%d entries, %v; want those that can be read", len(all), err)
	}
	if session, err := f.newSession(); err != nil || session != 7 {
		t.Errorf("session %d, %v; want 7", session, err)
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"*", "", true}, {"?", "", false}, {"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXbYbZ", false},
		{"é?", "é世", true}, {"*\n*", "two\nlines", true}, {"abc", "abcd", false}, {"**", "x", true}, {"*a", "aab", false},
	} {
		if got := glob(c.pattern, c.text); got != c.want {
			t.Errorf("glob(%q, %q) is %v", c.pattern, c.text, got)
		}
	}
}
