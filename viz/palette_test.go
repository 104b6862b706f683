package viz

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// TestPalettedLooksTheSame compares each pixel before and after.
func TestPalettedLooksTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := image.NewRGBA(image.Rect(0, 0, 200, 120))
	blends := image.NewRGBA(few.Rect)
	noise := image.NewRGBA(few.Rect)
	for y := range 120 {
		for x := range 200 {
			if x%7 == 0 {
				few.Set(x, y, color.NRGBA{200, 30, 30, 255})
			}
			if x < 20 {
				blends.Set(x, y, color.NRGBA{40, 90, uint8(160 + x), uint8(2 * y)})
			} else {
				blends.Set(x, y, color.NRGBA{250, 250, 240, 255})
			}
			noise.Set(x, y, color.NRGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255})
		}
	}
	for _, c := range []struct {
		name string
		img  *image.RGBA
		most int // difference of a channel
	}{{"few colours", few, 0}, {"blends", blends, 23}, {"noise", noise, 0}} {
		got := paletted(c.img)
		if _, ok := got.(*image.Paletted); ok != (c.name != "noise") {
			t.Errorf("%s: %T", c.name, got)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, got); err != nil {
			t.Fatal(err)
		}
		back, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		for y := range 120 {
			for x := range 200 {
				p := color.RGBAModel.Convert(c.img.At(x, y)).(color.RGBA)
				q := color.RGBAModel.Convert(back.At(x, y)).(color.RGBA)
				for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B), int(p.A) - int(q.A)} {
					if d > c.most || -d > c.most {
						t.Fatalf("%s: pixel %d, %d is %v instead of %v", c.name, x, y, q, p)
					}
				}
			}
		}
	}
}
