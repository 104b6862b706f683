package cache_test

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trivium/kernel/nb/gonbui/cache"
)

// own writes itself.
type own struct{ text string }

func (o *own) CacheSerialize(w io.Writer) error {
	_, err := io.WriteString(w, o.text)
	return err
}

func (o *own) CacheDeserialize(r io.Reader) (any, error) { // o is nil
	b, err := io.ReadAll(r)
	return &own{"read " + string(b)}, err
}

func TestSecondCallReads(t *testing.T) {
	s := cache.MustNew(filepath.Join(t.TempDir(), "a", "b"))
	calls := 0
	for range 2 {
		got := cache.CacheWith(s, "numbers", func() map[string][]int { calls++; return map[string][]int{"a": {1, 2}} })
		if !maps.EqualFunc(got, map[string][]int{"a": {1, 2}}, func(a, b []int) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) || calls != 1 {
			t.Errorf("got %v after %d calls", got, calls)
		}
	}
	for _, want := range []string{"text", "read text"} {
		if got := cache.CacheWith(s, "own", func() *own { return &own{"text"} }); got.text != want {
			t.Errorf("got %q, want %q", got.text, want)
		}
	}
	if keys, err := s.ListKeys(); err != nil || fmt.Sprint(keys) != "[numbers own]" {
		t.Errorf("keys %v, %v", keys, err)
	}
	if err := s.ResetKey("numbers"); err != nil {
		t.Error(err)
	}
	if err := s.ResetKey("numbers"); err != nil {
		t.Errorf("forgetting what is not there: %v", err)
	}
	cache.CacheWith(s, "numbers", func() map[string][]int { calls++; return nil })
	if calls != 2 {
		t.Errorf("%d calls after the key was forgotten", calls)
	}
	if err := s.Reset(); err != nil {
		t.Error(err)
	}
	if keys, _ := s.ListKeys(); len(keys) != 0 {
		t.Errorf("%v after Reset", keys)
	}
}

func TestDefault(t *testing.T) {
	was := cache.Default
	defer func() { cache.Default = was }()
	t.Chdir(t.TempDir())
	cache.Default = cache.MustNewHidden()
	if got := cache.Cache("x", func() int { return 3 }) + cache.Cache("x", func() int { return 4 }); got != 6 {
		t.Errorf("3 and what was kept is %d", got)
	}
	if keys, err := cache.ListKeys(); len(keys) != 1 || err != nil {
		t.Errorf("%v %v", keys, err)
	}
	if _, err := os.Stat(filepath.Join(cache.HiddenCacheSubdirectory, "x.bin")); err != nil {
		t.Error(err)
	}
	if err := cache.ResetKey("x"); err != nil {
		t.Error(err)
	}
}

// TestWhatCannotBeKept ends the cell with a reason that says what to do.
func TestWhatCannotBeKept(t *testing.T) {
	s := cache.MustNew(t.TempDir())
	cache.CacheWith(s, "text", func() string { return "x" })
	for name, c := range map[string]struct {
		call func()
		want string
	}{
		"a channel":    {func() { cache.CacheWith(s, "c", func() chan int { return nil }) }, `keeping "c"`},
		"another type": {func() { cache.CacheWith(s, "text", func() int { return 1 }) }, `cache.ResetKey("text")`},
		"a bad key":    {func() { cache.CacheWith(s, "a/b", func() int { return 1 }) }, `the key "a/b"`},
		"a panic":      {func() { cache.CacheWith(s, "p", func() int { panic("own") }) }, "own"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, c.want) {
					t.Errorf("%s: %s, want %s", name, got, c.want)
				}
			}()
			c.call()
			t.Errorf("%s was kept", name)
		}()
	}
	if keys, _ := s.ListKeys(); fmt.Sprint(keys) != "[text]" {
		t.Errorf("keys %v", keys)
	}
	if parts, _ := filepath.Glob(filepath.Join(s.Dir(), "*.part")); len(parts) > 0 {
		t.Errorf("left %v", parts)
	}
}

func ExampleCacheWith() {
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	s := cache.MustNew(dir)
	for range 3 {
		fmt.Println(cache.CacheWith(s, "answer", func() int {
			fmt.Println("computing")
			return 42
		}))
	}
	// Output:
	// computing
	// 42
	// 42
	// 42
}
