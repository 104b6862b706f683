package transport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goodFile = `{"shell_port": 50001, "iopub_port": 50002, "stdin_port": 50003, "control_port": 50004,
	"hb_port": 50005, "ip": "127.0.0.1", "key": "a0436f6c-1916", "transport": "tcp",
	"signature_scheme": "hmac-sha256", "kernel_name": "trivium", "jupyter_session": "x", "future": [1]}`

func TestReadConnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.json")
	if err := os.WriteFile(path, []byte(goodFile), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadConnection(path)
	if err != nil {
		t.Fatal(err)
	}
	want := &Connection{Transport: "tcp", IP: "127.0.0.1", ShellPort: 50001, IOPubPort: 50002, StdinPort: 50003,
		ControlPort: 50004, HBPort: 50005, Key: "a0436f6c-1916", SignatureScheme: "hmac-sha256", KernelName: "trivium"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// Every error is one line that names the file, what is wrong and what to do.
func TestBadConnectionFiles(t *testing.T) {
	replace := func(old, new string) string {
		if !strings.Contains(goodFile, old) {
			t.Fatalf("%q is not in the file", old)
		}
		return strings.Replace(goodFile, old, new, 1)
	}
	for name, c := range map[string]struct{ file, says string }{
		"empty":             {"", "not a JSON object"},
		"text":              {"hello", "not a JSON object"},
		"cut short":         {goodFile[:40], "not a JSON object"},
		"a list":            {"[]", "not a JSON object"},
		"null":              {"null", "not a JSON object"},
		"binary":            {"\x00\xff\xfe", "not a JSON object"},
		"nothing in it":     {"{}", "lacks transport, ip, shell_port"},
		"no key":            {replace(`"key"`, `"kay"`), "lacks key"},
		"port is text":      {replace(`50001`, `"x"`), "shell_port"},
		"port 0":            {replace(`50001`, `0`), "shell_port is 0"},
		"port too large":    {replace(`50005`, `65536`), "hb_port is 65536"},
		"negative port":     {replace(`50004`, `-1`), "control_port is -1"},
		"port used twice":   {replace(`50004`, `50001`), "shell_port and control_port are both 50001"},
		"transport unknown": {replace(`"tcp"`, `"udp"`), `transport "udp"`},
		"scheme unknown":    {replace(`hmac-sha256`, `hmac-md5`), `signature_scheme "hmac-md5"`},
		"ip empty":          {replace(`127.0.0.1`, ``), "ip is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kernel.json")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			checkRemark(t, path, c.says)
		})
	}
	t.Run("missing", func(t *testing.T) { checkRemark(t, filepath.Join(t.TempDir(), "none.json"), "does not exist") })
	t.Run("directory", func(t *testing.T) { checkRemark(t, t.TempDir(), "cannot be read") })
}

func checkRemark(t *testing.T, path, says string) {
	t.Helper()
	_, err := ReadConnection(path)
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	for _, part := range []string{path, says, "-f"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
	if strings.Contains(text, "\n") {
		t.Errorf("more than one line: %q", text)
	}
}

func TestConnectionSurvivesWriting(t *testing.T) {
	c, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kernel.json")
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	got, err := ReadConnection(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c, got); d != "" {
		t.Errorf("-written +read\n%s", d)
	}
	if err := c.Write(filepath.Join(t.TempDir(), "no", "such", "dir")); err == nil {
		t.Error("writing into a directory that is not there gave no error")
	}
	if other, err := NewConnection(); err != nil || other.Key == c.Key || len(c.Key) < 64 {
		t.Errorf("keys %q and %q, %v", c.Key, other.Key, err)
	}
}
