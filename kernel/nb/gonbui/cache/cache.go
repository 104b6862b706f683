// Package cache keeps results of slow computations in files, with the names that users of GoNB know.
// Cells import it by the path that it has there:
//
//	import "github.com/janpfeifer/gonb/cache"
//
//	rows := cache.Cache("rows", func() []Row { return download() })
//
// The first call calls the function and writes what it returns to a file; later ones, also those of
// another day, read it. In this kernel variables stay from cell to cell, so that the cache is of use
// only from one session to the next.
//
// Values are written by encoding/gob, unless they are [Serializable]. Where one can be neither
// written nor read, the cell panics with the reason.
package cache

import (
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
)

// Serializable is implemented by values that write and read themselves. CacheDeserialize is called
// on a zero value and gives the value that it has read.
type Serializable interface {
	CacheSerialize(w io.Writer) error
	CacheDeserialize(r io.Reader) (any, error)
}

// Storage keeps values in a folder, one file for each key. Its methods may be called at once for
// different keys.
type Storage struct {
	dir  string
	make func() error // the folder; it is made when something is kept in it
}

// Dir is the folder.
func (s *Storage) Dir() string { return s.dir }

// HiddenCacheSubdirectory is the folder of [NewHidden].
const HiddenCacheSubdirectory = ".gonb_cache"

// Default is used where no Storage is given: that of [NewInTmp] for the folder in which the notebook
// has begun.
var Default = mustNewInTmp()

// New keeps values in a folder, which is made if it is not there.
func New(dir string) (*Storage, error) {
	s := at(dir)
	if err := s.make(); err != nil {
		return nil, err
	}
	return s, nil
}

func at(dir string) *Storage {
	return &Storage{dir: dir, make: sync.OnceValue(func() error {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
		return nil
	})}
}

// NewInTmp keeps values in a folder for temporary files that belongs to the working directory: a
// notebook in the same folder finds them again, as long as the system keeps them.
func NewInTmp() (*Storage, error) {
	s, err := inTmp()
	if err == nil {
		err = s.make()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func inTmp() (*Storage, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	h := fnv.New64a()
	io.WriteString(h, dir)
	return at(filepath.Join(os.TempDir(), fmt.Sprintf("trivium_cache_%x_%d", h.Sum64(), os.Getuid()))), nil
}

// mustNewInTmp makes no folder yet.
func mustNewInTmp() *Storage {
	s, err := inTmp()
	if err != nil {
		return &Storage{make: func() error { return err }}
	}
	return s
}

// NewHidden keeps values in the folder .gonb_cache of the working directory.
func NewHidden() (*Storage, error) { return New(HiddenCacheSubdirectory) }

// MustNew is New for those who cannot go on without.
func MustNew(dir string) *Storage { return must(New(dir)) }

// MustNewInTmp is NewInTmp for those who cannot go on without.
func MustNewInTmp() *Storage { return must(NewInTmp()) }

// MustNewHidden is NewHidden for those who cannot go on without.
func MustNewHidden() *Storage { return must(NewHidden()) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const suffix = ".bin"

func (s *Storage) file(key string) (string, error) {
	if key == "" || key == "." || key == ".." || strings.ContainsAny(key, "/\\\n\r\t\x00*") {
		return "", fmt.Errorf("cache: the key %q cannot name a file", key)
	}
	if err := s.make(); err != nil {
		return "", err
	}
	return filepath.Join(s.dir, key) + suffix, nil
}

// Save keeps a value, in the place of what was kept by the key.
func (s *Storage) Save(key string, value any) error {
	path, err := s.file(key)
	if err != nil {
		return err
	}
	// Whoever reads meanwhile, or is interrupted, finds the old file or the new one.
	f, err := os.CreateTemp(s.dir, "*.part")
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	defer os.Remove(f.Name())
	if v, ok := value.(Serializable); ok {
		err = v.CacheSerialize(f)
	} else {
		err = gob.NewEncoder(f).Encode(value)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("cache: keeping %q: %w", key, err)
	}
	return nil
}

// Reader reads what is kept by a key; os.ErrNotExist if there is nothing. It is to be closed if it
// is an io.Closer.
func (s *Storage) Reader(key string) (io.Reader, error) {
	path, err := s.file(key)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, os.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	return f, nil
}

// ResetKey forgets what is kept by a key.
func (s *Storage) ResetKey(key string) error {
	path, err := s.file(key)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// ListKeys lists the keys by which something is kept.
func (s *Storage) ListKeys() ([]string, error) {
	if err := s.make(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	var keys []string
	for _, e := range entries {
		if key, ok := strings.CutSuffix(e.Name(), suffix); ok && !e.IsDir() {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// Reset forgets all.
func (s *Storage) Reset() error {
	keys, err := s.ListKeys()
	for _, key := range keys {
		err = errors.Join(err, s.ResetKey(key))
	}
	return err
}

// ResetKey forgets what [Default] keeps by a key.
func ResetKey(key string) error { return Default.ResetKey(key) }

// ListKeys lists the keys of [Default].
func ListKeys() ([]string, error) { return Default.ListKeys() }

// Reset has [Default] forget all.
func Reset() error { return Default.Reset() }

// Cache gives what [Default] keeps by a key; if that is nothing, it calls f and keeps its result.
func Cache[T any](key string, f func() T) T { return CacheWith(Default, key, f) }

// CacheWith gives what s keeps by a key; if that is nothing, it calls f and keeps its result.
func CacheWith[T any](s *Storage, key string, f func() T) T {
	v, _ := s.Value(key, reflect.TypeFor[T](), func() any { return f() }).(T)
	return v
}

// Value is [CacheWith] for a type that is known at run time only, as those of cells are.
func (s *Storage) Value(key string, t reflect.Type, f func() any) any {
	r, err := s.Reader(key)
	if errors.Is(err, os.ErrNotExist) {
		v := f()
		must(v, s.Save(key, v))
		return v
	}
	if c, ok := must(r, err).(io.Closer); ok {
		defer c.Close()
	}
	p := reflect.New(t)
	if v, ok := p.Elem().Interface().(Serializable); ok {
		got, err := v.CacheDeserialize(r)
		return must(got, kept(key, err))
	}
	must(p, kept(key, gob.NewDecoder(r).DecodeValue(p)))
	return p.Elem().Interface()
}

// kept says whose reading has failed.
func kept(key string, err error) error {
	if err != nil {
		return fmt.Errorf("cache: reading %q: %w (cache.ResetKey(%q) forgets it)", key, err, key)
	}
	return nil
}
