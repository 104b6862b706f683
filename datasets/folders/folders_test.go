package folders

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trivium/datasets"
)

func picture(w, h int, c ...color.Color) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, p := range c {
		m.Set(i%w, i/w, p)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func write(dir, name string, b []byte) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		log.Fatal(err)
	}
}

var (
	red   = color.NRGBA{255, 0, 0, 255}
	blue  = color.NRGBA{0, 0, 51, 255}
	clear = color.NRGBA{}
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write(dir, "dogs/2.PNG", picture(2, 1, red, blue))
	write(dir, "dogs/10.png", picture(2, 1, blue, clear))
	write(dir, "cats/1.png", picture(2, 1, red, red))
	write(dir, "cats/notes.txt", nil)
	write(dir, "empty/notes.txt", nil)
	write(dir, ".hidden/1.png", nil)
	write(dir, "readme.png", nil)
	s, err := Load(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Classes(), s.Labels(), s.Row(1), s.Row(2)); got != "[cats dogs] [0 1 1] [0 1 0 1 0.2 1] [1 0 0 0 0 0.2]" {
		t.Error(got)
	}
	// The weights of red and blue are those of JPEG.
	g, err := Load(dir, Options{Grey: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.299, 0.114 * 0.2} {
		if d := float64(g.Row(2)[i]) - want; d > 1e-4 || d < -1e-4 {
			t.Errorf("grey of pixel %d is %g, want %g", i, g.Row(2)[i], want)
		}
	}
	if _, err := Load(dir, Options{Most: 10}); err == nil || !strings.Contains(err.Error(), "Options.Most") {
		t.Errorf("18 numbers where 10 may be: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	good := picture(2, 1, red, blue)
	for want, b := range map[string][]byte{
		"expected 1×2 pixels, as a/1.png has, found 3×2": picture(2, 3),
		"expected a PNG picture":                         []byte("GIF89a"),
		"b/1.png, byte 0: expected a PNG":                nil,
		"expected the pixels of a PNG picture":           good[:len(good)-20],
	} {
		dir := t.TempDir()
		write(dir, "a/1.png", good)
		write(dir, "b/1.png", b)
		_, err := Load(dir, Options{})
		if !errors.As(err, new(*datasets.FormatError)) || !strings.Contains(filepath.ToSlash(err.Error()), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, err := Load(t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "a folder for each class") {
		t.Errorf("an empty folder gives %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none"), Options{}); err == nil || !strings.Contains(err.Error(), "none\": give one with a folder for each class") {
		t.Errorf("no folder gives %v", err)
	}
}

// A header of 2³¹-1 squared pixels must cost no memory.
func TestOversized(t *testing.T) {
	b := append([]byte(nil), picture(1, 1)[:33]...)
	copy(b[16:], "\x7f\xff\xff\xff\x7f\xff\xff\xff")
	dir := t.TempDir()
	write(dir, "a/1.png", b)
	if _, err := Load(dir, Options{}); !errors.As(err, new(*datasets.FormatError)) {
		t.Errorf("got %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(picture(2, 1, red, blue))
	f.Add(picture(2, 2))
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		write(dir, "a/1.png", b)
		s, err := Load(dir, Options{Most: 1 << 16})
		if err != nil {
			if !errors.As(err, new(*datasets.FormatError)) {
				t.Fatalf("an error of type %T: %v", err, err)
			}
			return
		}
		s.MIMEBundle()
	})
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	write(dir, "pets/cats/a.png", picture(2, 1, red, blue))
	write(dir, "pets/dogs/b.png", picture(2, 1, blue, blue))
	set, err := Load(filepath.Join(dir, "pets"), Options{})
	fmt.Println(set, err)
	// Output: pets: 2 samples of 6 features (1×2 pixels, 3 channels), 2 classes: cats 1, dogs 1 <nil>
}
