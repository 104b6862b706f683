package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	t.Setenv("TRIVIUM_DATA", dir)
	t.Setenv("XDG_CACHE_HOME", cache) // what os.UserCacheDir reads on Linux
	t.Setenv("HOME", cache)
	t.Setenv("LocalAppData", cache)
	s := Source{Name: "Things", Folder: "things", Files: []string{"a*.bin"}, From: "https://example.org", Licence: "CC0", Instead: "XOR()"}

	_, err := Locate(s, "")
	var missing *MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"Things", "example.org", "CC0", "XOR()", dir} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not mention %s", err, want)
		}
	}
	put := func(path ...string) string {
		f := filepath.Join(path...)
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return f
	}
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	// Each place found is better than the one before.
	for _, p := range []string{filepath.Join(user, "trivium", "things"), dir, filepath.Join(dir, "things")} {
		put(p, "a1.bin")
		if got, err := Locate(s, ""); got != p || err != nil {
			t.Errorf("found %q, %v; want %q", got, err, p)
		}
	}
	own := t.TempDir()
	if _, err := Locate(s, own); err == nil {
		t.Error("an empty folder that was named was passed over")
	}
	f := put(own, "other.name")
	if got, err := Locate(s, f); got != f || err != nil {
		t.Errorf("a file that was named: %q, %v", got, err)
	}
}
