package viz

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"

	"trivium/core/run"
)

// mostForPNG is the area in pixels above which a bundle has no PNG, which would take a
// second to draw and hundreds of megabytes while it is drawn.
const mostForPNG = 2e6

// MIMEBundle draws the figure as it is now, in the forms that a notebook chooses from:
// image/svg+xml, text/plain, and, once nothing will change any more, image/png at twice
// the resolution for front ends that show no SVG. A PNG takes ten times as long to draw
// as the SVG and is as large, so the frames of a figure that still grows go without.
// The metadata hold the size in pixels.
func (f *Figure) MIMEBundle() (data map[string]any, metadata map[string]any) {
	s, last := f.snapshot()
	size := map[string]any{"width": int(s.w), "height": int(s.h)}
	data = map[string]any{"text/plain": s.text()}
	metadata = map[string]any{}
	if svg, err := s.svg(f.id); err == nil {
		data["image/svg+xml"], metadata["image/svg+xml"] = string(svg), size
	} else {
		data["text/plain"] = s.text() + "\n" + err.Error()
	}
	if last && s.w*s.h <= mostForPNG {
		if img, err := s.png(2); err == nil {
			data["image/png"], metadata["image/png"] = img, size
		}
	}
	return data, metadata
}

// SVG returns the figure as it is now as an SVG document.
func (f *Figure) SVG() ([]byte, error) {
	s, _ := f.snapshot()
	return s.svg(f.id)
}

// PNG returns the figure as it is now as a PNG image with scale pixels for each of the
// figure's; scale is 1 to 8, and less for a figure of more pixels than a screen. In theme Auto the image has no background.
func (f *Figure) PNG(scale int) ([]byte, error) {
	s, _ := f.snapshot()
	return s.png(min(max(scale, 1), 8))
}

// PDF returns the figure as it is now as a page of its size. Theme Auto becomes Light,
// without a background: pages are white.
func (f *Figure) PDF() ([]byte, error) {
	s, _ := f.snapshot()
	if s.inks.page.A == 0 {
		s.inks = Light.inks()
		s.inks.page.A = 0
	}
	return s.pdf()
}

// String returns what text/plain says: what the figure shows, in words and numbers.
func (f *Figure) String() string {
	s, _ := f.snapshot()
	return s.text()
}

// Save writes a figure to a file: SVG, PNG (at twice the resolution) or PDF, by the
// ending of its name.
func Save(path string, f *Figure) error {
	if f == nil {
		return fmt.Errorf("viz: save %s: the figure is nil", path)
	}
	var data []byte
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg":
		data, err = f.SVG()
	case ".png":
		data, err = f.PNG(2)
	case ".pdf":
		data, err = f.PDF()
	default:
		return fmt.Errorf("viz: save %s: the name ends in %q; figures are written as .svg, .png or .pdf", path, ext)
	}
	if err != nil {
		return fmt.Errorf("viz: save %s: %w", path, err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("viz: save: %w", err)
	}
	return nil
}

// svg, png and pdf draw the scene. The guard is against gonum/plot, which panics on some
// layouts: an error is shown, and the notebook lives on.

func (s *scene) svg(id string) (data []byte, err error) {
	defer run.Catch(&err)
	c := newSVG(s.w, s.h)
	s.draw(c)
	return c.document(id, s.heading(), s.text()), nil
}

func (s *scene) png(scale int) (data []byte, err error) {
	defer run.Catch(&err)
	for scale > 1 && s.w*s.h*float64(scale*scale) > 16*mostForPNG {
		scale--
	}
	c := vgimg.NewWith(vgimg.UseWH(px(s.w), px(s.h)), vgimg.UseDPI(96*scale), vgimg.UseBackgroundColor(color.Transparent))
	s.draw(c)
	var b bytes.Buffer
	img := c.Image()
	if rgba, ok := img.(*image.RGBA); ok {
		err = png.Encode(&b, paletted(rgba))
		return b.Bytes(), err
	}
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	return b.Bytes(), err
}

func (s *scene) pdf() (data []byte, err error) {
	defer run.Catch(&err)
	c := vgpdf.New(px(s.w), px(s.h))
	s.draw(outlined{c})
	var b bytes.Buffer
	_, err = c.WriteTo(&b)
	return b.Bytes(), err
}
