package generic

import (
	"bytes"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
	"unique"
)

func randMap[K comparable, V any](r *rand.Rand, key func(*rand.Rand) K, value func(*rand.Rand) V) map[K]V {
	if r.IntN(10) == 0 {
		return nil
	}
	m := map[K]V{}
	for range r.IntN(5) {
		m[key(r)] = value(r)
	}
	return m
}

// testMaps compares with the real functions; where order is open, as maps.
func testMaps[K, V comparable](t *testing.T, key func(*rand.Rand) K, value func(*rand.Rand) V) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m, n := randMap(r, key, value), randMap(r, key, value)
		same := func(what string, got, want any) {
			t.Helper()
			if g, w := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", want); g != w {
				t.Errorf("maps.%s of %#v and %#v:\n got %s\nwant %s", what, m, n, g, w)
			}
		}
		eq := func(a, b V) bool { return len(fmt.Sprint(a)) == len(fmt.Sprint(b)) }
		del := func(k K, v V) bool { return len(fmt.Sprint(k, v))%2 == 0 }
		with := func(f func(map[K]V)) (c map[K]V, text any) {
			c = maps.Clone(m)
			defer func() { text = fmt.Sprint(recover()) }()
			f(c)
			return c, ""
		}
		same("Clone", mapClone(m), maps.Clone(m))
		same("Equal", mapEqual(m, n), maps.Equal(m, n))
		same("Equal, itself", mapEqual(m, m), maps.Equal(m, m))
		same("EqualFunc", mapEqualFunc(m, n, eq), maps.EqualFunc(m, n, eq))
		same("Collect", mapCollect(mapAll(m)), maps.Collect(maps.All(m)))
		got, gotText := with(func(c map[K]V) { mapCopy(c, n) })
		want, wantText := with(func(c map[K]V) { maps.Copy(c, n) })
		same("Copy", []any{got, gotText}, []any{want, wantText})
		got, gotText = with(func(c map[K]V) { mapInsert(c, maps.All(n)) })
		want, wantText = with(func(c map[K]V) { maps.Insert(c, maps.All(n)) })
		same("Insert", []any{got, gotText}, []any{want, wantText})
		got, _ = with(func(c map[K]V) { mapDeleteFunc(c, del) })
		want, _ = with(func(c map[K]V) { maps.DeleteFunc(c, del) })
		same("DeleteFunc", got, want)
		texts := func(seq any) []string {
			var l []string
			each(seq, func(v []reflect.Value) bool { l = append(l, fmt.Sprint(v[0])); return true })
			slices.Sort(l)
			return l
		}
		same("Keys", texts(mapKeys(m)), texts(maps.Keys(m)))
		same("Values", texts(mapValues(m)), texts(maps.Values(m)))
	}
}

func TestMaps(t *testing.T) {
	t.Run("string int", func(t *testing.T) { testMaps(t, randString, randInt) })
	t.Run("float any", func(t *testing.T) { testMaps(t, func(r *rand.Rand) float64 { return float64(r.IntN(3)) }, randAny) })
	t.Run("any error", func(t *testing.T) { testMaps(t, randAny, randError) })
	t.Run("struct celsius", func(t *testing.T) { testMaps(t, randPoint, randCelsius) })
}

func TestPull(t *testing.T) {
	next, stop := iterPull(sliceValues([]point{{1, "a"}, {2, "b"}}))
	defer stop()
	pull := next.(func() (point, bool))
	for _, want := range []string{"{1 a} true", "{2 b} true", "{0 } false", "{0 } false"} {
		p, ok := pull()
		if got := fmt.Sprint(p, ok); got != want {
			t.Errorf("next gives %s, want %s", got, want)
		}
	}
	next, stop = iterPull2(mapAll(map[string]celsius{"x": 20}))
	pull2 := next.(func() (string, celsius, bool))
	if k, v, ok := pull2(); k != "x" || v != 20 || !ok {
		t.Errorf("next gives %v %v %v", k, v, ok)
	}
	stop()
	if _, _, ok := pull2(); ok {
		t.Error("next gives something after stop")
	}
	var std iter.Seq[int] = slices.Values([]int{1})
	if n, stop := iterPull(std); n.(func() (int, bool)) == nil {
		t.Error("no next for an iter.Seq")
	} else {
		stop()
	}
}

func TestOnceValues(t *testing.T) {
	n := 0
	f := onceValues(func() (int, error) { n++; return n, io.EOF }).(func() (int, error))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { _, _ = f() })
	}
	wg.Wait()
	if x, err := f(); x != 1 || err != io.EOF || n != 1 {
		t.Errorf("got %d, %v after %d calls, want 1, EOF after one", x, err, n)
	}
	g := onceValues(func() int { panic("no value") }).(func() int)
	for range 2 {
		func() {
			defer func() {
				if r := recover(); r != "no value" {
					t.Errorf("panic %v, want the function's own", r)
				}
			}()
			g()
		}()
	}
}

func TestRandN(t *testing.T) {
	for range 100 {
		if d := randN(3 * time.Second).(time.Duration); d < 0 || d >= 3*time.Second {
			t.Fatalf("randN(3s) = %v", d)
		}
		if u := randN(uint8(2)).(uint8); u > 1 {
			t.Fatalf("randN(uint8(2)) = %d", u)
		}
	}
	defer func() {
		if r := recover(); r != "invalid argument to N" {
			t.Errorf("panic %v", r)
		}
	}()
	randN(0)
}

func TestAsType(t *testing.T) {
	_, err := fs.ReadFile(emptyFS{}, "x")
	pathError := reflect.TypeFor[*fs.PathError]()
	wrapped := fmt.Errorf("read: %w", err)
	got, ok := errorsAsType(pathError, wrapped)
	want, wantOK := errors.AsType[*fs.PathError](wrapped)
	if got != any(want) || ok != wantOK || !ok {
		t.Errorf("got %v %v, want %v %v", got, ok, want, wantOK)
	}
	if _, ok := errorsAsType(pathError, io.EOF); ok {
		t.Error("EOF is a PathError")
	}
	if v, ok := errorsAsType(reflect.TypeFor[error](), nil); ok || v != nil {
		t.Errorf("nil is an error %v", v)
	}
}

type emptyFS struct{}

func (emptyFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func TestTypeAssert(t *testing.T) {
	var e error = io.EOF
	boxed := reflect.ValueOf(&e).Elem()
	for name, c := range map[string]struct {
		typ reflect.Type
		v   reflect.Value
		ok  bool
	}{
		"same type":           {reflect.TypeFor[int](), reflect.ValueOf(1), true},
		"other type":          {reflect.TypeFor[int](), reflect.ValueOf("1"), false},
		"implements":          {reflect.TypeFor[error](), reflect.ValueOf(io.EOF), true},
		"does not":            {reflect.TypeFor[error](), reflect.ValueOf(1), false},
		"within an interface": {reflect.TypeFor[error](), boxed, true},
		"what is within":      {reflect.TypeOf(io.EOF), boxed, true},
	} {
		if _, ok := typeAssert(c.typ, c.v); ok != c.ok {
			t.Errorf("%s: %v, want %v", name, ok, c.ok)
		}
	}
}

func TestPointer(t *testing.T) {
	var x Pointer
	a, b := new(int), new(int)
	if x.Load() != nil {
		t.Error("zero Pointer holds something")
	}
	if !x.CompareAndSwap((*int)(nil), a) || x.CompareAndSwap(nil, b) || x.Load() != any(a) {
		t.Error("CompareAndSwap from nil to a, then not to b")
	}
	if old := x.Swap(b); old != any(a) {
		t.Error("Swap does not give the old pointer")
	}
	x.Store((*int)(nil))
	if x.Load() != nil {
		t.Error("a nil pointer stored is not nil loaded")
	}
}

// TestKeys compares with the real functions, for a constructor of the interface type and
// for one of another type.
func TestKeys(t *testing.T) {
	type sum struct{ hash.Hash }
	for _, h := range []any{sha256.New, func() sum { return sum{sha256.New()} }} {
		want, _ := pbkdf2.Key(sha256.New, "password", []byte("salt"), 3, 20)
		if got, err := pbkdf2Key(h, "password", []byte("salt"), 3, 20); err != nil || !bytes.Equal(got, want) {
			t.Errorf("pbkdf2.Key with %T: %x, %v, want %x", h, got, err, want)
		}
		want, _ = hkdf.Key(sha256.New, []byte("secret"), []byte("salt"), "info", 20)
		if got, err := hkdfKey(h, []byte("secret"), []byte("salt"), "info", 20); err != nil || !bytes.Equal(got, want) {
			t.Errorf("hkdf.Key with %T: %x, %v, want %x", h, got, err, want)
		}
		key, _ := hkdfExtract(h, []byte("secret"), []byte("salt"))
		if got, err := hkdfExpand(h, key, "info", 20); err != nil || !bytes.Equal(got, want) {
			t.Errorf("hkdf.Extract and Expand with %T: %x, %v, want %x", h, got, err, want)
		}
	}
}

func TestHandle(t *testing.T) {
	a, b := MakeHandle("x"), MakeHandle("x")
	if a != b || a == MakeHandle("y") || a.Value() != "x" {
		t.Errorf("handles are not equal when their values are")
	}
	if unique.Make("x").Value() != a.Value() {
		t.Error("value differs from the real one's")
	}
}

func ExampleLookup() {
	sort, _ := Lookup("slices", "Sort")
	d := []time.Duration{time.Minute, time.Second}
	sort.(func(any))(d)
	fmt.Println(d)
	// Output: [1s 1m0s]
}
