// Package folders reads the user's own pictures: a folder with a folder for each class, and PNG
// files in those.
//
//	set, err := folders.Load("pets", folders.Options{})
//	train, test := set.Part(0.8, 1)
//
// Classes are the names of the folders in alphabetical order, samples the files in the order of
// class and name. All pictures must have the size of the first one.
package folders

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"trivium/core/tensor"
	"trivium/datasets"
)

// Options sets how Load reads. The zero value reads colours.
type Options struct {
	Grey bool // one channel of brightness instead of red, green and blue planes
	Most int  // numbers that all pictures may have together; 0 means 2²⁹, which take 2 GB
}

// Load reads the pictures below a folder. Transparent parts are white. Files that are not named
// .png are passed over, a file of that name that is none is an error.
func Load(dir string, o Options) (*datasets.Set, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("folders: there is no folder %q: give one with a folder for each class and PNG files in those; fashion.Load() has pictures meanwhile", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("folders: %w", err)
	}
	var classes, files []string
	var labels []int
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		in, err := os.ReadDir(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("folders: %w", err)
		}
		found := 0
		for _, f := range in {
			if strings.EqualFold(filepath.Ext(f.Name()), ".png") {
				files, labels = append(files, filepath.Join(e.Name(), f.Name())), append(labels, len(classes))
				found++
			}
		}
		if found > 0 {
			classes = append(classes, e.Name())
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("folders: %s has no folders with .png files in them; it needs a folder for each class", dir)
	}
	return load(dir, files, labels, classes, o)
}

func load(dir string, files []string, labels []int, classes []string, o Options) (*datasets.Set, error) {
	most := o.Most
	if most < 1 {
		most = 1 << 29
	}
	format := datasets.Image{Channels: 3, Planes: true}
	if o.Grey {
		format = datasets.Image{Channels: 1}
	}
	var x tensor.Matrix[float32]
	for i, name := range files {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("folders: %w", err)
		}
		err = func() error {
			defer f.Close()
			// The size is looked at before pixels take memory.
			c, err := png.DecodeConfig(bufio.NewReader(f))
			if err != nil {
				return &datasets.FormatError{File: name, Want: "a PNG picture", Found: err.Error()}
			}
			if i == 0 {
				size := c.Width * c.Height * format.Channels
				if c.Width > most || c.Height > most || c.Width*c.Height > most || size > most/len(files) {
					return &datasets.FormatError{File: name, Offset: 16, Want: fmt.Sprintf("%d pictures of at most %d numbers together (Options.Most)", len(files), most), Found: fmt.Sprintf("%d×%d pixels", c.Height, c.Width)}
				}
				format.Height, format.Width = c.Height, c.Width
				x = tensor.New[float32](len(files), size)
			}
			if c.Height != format.Height || c.Width != format.Width {
				return &datasets.FormatError{File: name, Offset: 16, Want: fmt.Sprintf("%d×%d pixels, as %s has", format.Height, format.Width, files[0]), Found: fmt.Sprintf("%d×%d", c.Height, c.Width)}
			}
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return fmt.Errorf("folders: %w", err)
			}
			m, err := png.Decode(bufio.NewReader(f))
			if err != nil {
				return &datasets.FormatError{File: name, Want: "the pixels of a PNG picture", Found: err.Error()}
			}
			pixels(m, format, x.Row(i))
			return nil
		}()
		if err != nil {
			return nil, err
		}
	}
	return datasets.New(filepath.Base(dir), x, labels, classes, format)
}

// pixels writes a picture on white to a row.
func pixels(m image.Image, format datasets.Image, row []float32) {
	at, n := m.Bounds().Min, format.Height*format.Width
	for y := range format.Height {
		for x := range format.Width {
			r, g, b, a := m.At(at.X+x, at.Y+y).RGBA() // multiplied with a already
			white := 0xffff - a
			i := y*format.Width + x
			if format.Channels == 1 {
				grey := color.Gray16Model.Convert(color.RGBA64{uint16(r + white), uint16(g + white), uint16(b + white), 0xffff}).(color.Gray16)
				row[i] = float32(grey.Y) / 0xffff
				continue
			}
			row[i], row[n+i], row[2*n+i] = float32(r+white)/0xffff, float32(g+white)/0xffff, float32(b+white)/0xffff
		}
	}
}
