package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trivium/kernel/transport"
)

// TestBadInput gives the program what it cannot work with: one line that says what to do,
// and status 2.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	conn, err := transport.NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	conn.ShellPort = taken.Addr().(*net.TCPAddr).Port
	busy := filepath.Join(dir, "busy.json")
	if err := conn.Write(busy); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		says string
	}{
		{"", "trivium help"},
		{"nonsense", `no command "nonsense"`},
		{"kernel", "start the kernel from Jupyter"},
		{"kernel -x", "-x"},
		{"kernel -f", "-f"},
		{"kernel -f a b", `"b"`},
		{"kernel -f " + filepath.Join(dir, "absent.json"), "does not exist"},
		{"kernel -f " + dir, "cannot be read"},
		{"kernel -f " + file("torn.json", `{"ip": "127.0.0.1`), "not a JSON object"},
		{"kernel -f " + file("empty.json", "{}"), "shell_port"},
		{"kernel " + file("port.json", `{"transport":"tcp","ip":"127.0.0.1","shell_port":0,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5,"key":""}`), "shell_port is 0"},
		{"kernel -f " + busy, "in use"},
		{"evaluator", "started by a kernel"},
	} {
		var out, errs bytes.Buffer
		status := command(strings.Fields(c.args), &out, &errs)
		if status != 2 || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), c.says) || out.Len() > 0 {
			t.Errorf("trivium %s: status %d, %q; want 2 and one line with %q", c.args, status, errs.String(), c.says)
		}
	}
}

func TestSettings(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "500MB": 500 << 20, "8g": 8 << 30, "1.5 GiB": 3 << 29, "64kB": 64 << 10} {
		if got, err := parseBytes("X", text); got != want || err != nil {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "much", "-1", "0", "NaN", "1e300", "MB"} {
		if n, err := parseBytes("X", text); err == nil || !strings.Contains(err.Error(), "500MB") {
			t.Errorf("%q is %d, %v; want an error that says how to write it", text, n, err)
		}
	}
	t.Setenv("TRIVIUM_MEMORY_LIMIT", "lots")
	if _, err := readSettings(); err == nil || !strings.Contains(err.Error(), "TRIVIUM_MEMORY_LIMIT") {
		t.Errorf("settings: %v", err)
	}
}

func TestVersion(t *testing.T) {
	var out, errs bytes.Buffer
	if status := command([]string{"version"}, &out, &errs); status != 0 || !strings.HasPrefix(out.String(), "trivium ") || errs.Len() > 0 {
		t.Errorf("status %d, %q %q", status, out.String(), errs.String())
	}
}
