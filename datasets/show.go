package datasets

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"

	"trivium/datasets/internal/page"
)

const (
	shownClasses = 20 // rows of a picture; text counts on to mostListed
	shownSamples = 10
	mostListed   = 100
	plotSide     = 320 // pixels of a picture of points
)

// String counts the samples of each class.
func (s *Set) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d samples of %d features", s.name, s.Len(), s.Features())
	if s.image.size() > 0 {
		fmt.Fprintf(&b, " (%d×%d pixels", s.image.Height, s.image.Width)
		if s.image.Channels > 1 {
			fmt.Fprintf(&b, ", %d channels", s.image.Channels)
		}
		b.WriteString(")")
	}
	fmt.Fprintf(&b, ", %d classes", len(s.classes))
	sep := ": "
	for c, n := range s.Counts() {
		if c == mostListed {
			b.WriteString(", …")
			break
		}
		fmt.Fprintf(&b, "%s%s %d", sep, s.classes[c], n)
		sep = ", "
	}
	return b.String()
}

// String counts the samples of each class of both sets.
func (s *Split) String() string { return s.Train.String() + "\n" + s.Test.String() }

// MIMEBundle shows the first samples of each class and how many there are: pictures as they
// are, two features as points in a plane, others as numbers.
func (s *Set) MIMEBundle() (data, metadata map[string]any) { return bundle(s.String(), s) }

// MIMEBundle shows both sets.
func (s *Split) MIMEBundle() (data, metadata map[string]any) {
	return bundle(s.String(), s.Train, s.Test)
}

// String gives the shape of a batch and its first classes.
func (b Batch) String() string {
	const most = 20
	text := fmt.Sprintf("a batch of %d samples of %d features", b.Len(), b.X.Cols)
	if b.of != nil {
		text = fmt.Sprintf("%s: %s", b.of.name, text)
	}
	sep := "; classes "
	for i, l := range b.Labels {
		if i == most {
			return text + ", …"
		}
		name := fmt.Sprint(l)
		if b.of != nil && l >= 0 && l < len(b.of.classes) {
			name = b.of.classes[l]
		}
		text, sep = text+sep+name, ", "
	}
	return text
}

// MIMEBundle shows the samples of a batch by class, as a set is shown.
func (b Batch) MIMEBundle() (data, metadata map[string]any) {
	if b.of != nil {
		if s, err := New(b.of.name+", a batch", b.X, b.Labels, b.of.classes, b.of.image); err == nil {
			return bundle(b.String(), s)
		}
	}
	return map[string]any{"text/plain": b.String()}, map[string]any{} // put together or changed by somebody
}

// String gives the number of batches, their size and their order.
func (b *Batches) String() string {
	n := b.set.Len()
	text := fmt.Sprintf("%s: %d samples in %d batches of %d", b.set.name, n, b.Len(), b.size)
	if rest := n % b.size; rest > 0 {
		text += fmt.Sprintf(", the last of %d", rest)
	}
	return text + b.how
}

func bundle(text string, sets ...*Set) (data, metadata map[string]any) {
	data = map[string]any{"text/plain": text}
	var h strings.Builder
	for _, s := range sets {
		h.WriteString(s.html())
	}
	data["text/html"] = h.String()
	metadata = map[string]any{}
	if m := sets[0].picture(); m != nil {
		data["image/png"] = page.PNG(m)
		size := m.Bounds().Size()
		metadata["image/png"] = map[string]any{"width": size.X, "height": size.Y}
	}
	return data, metadata
}

// html is a table with a row per class.
func (s *Set) html() string {
	t := &page.Table{}
	n := fmt.Sprintf("%s: %d samples", s.name, s.Len())
	t.Head(n, 3)
	plane := s.plane()
	counts, first := s.Counts(), s.first(shownSamples)
	for c, name := range s.classes {
		if c == shownClasses {
			t.Row("…", fmt.Sprintf("%d classes more", len(s.classes)-c), "")
			break
		}
		cell := ""
		switch {
		case s.image.size() > 0:
			cell = page.Img(s.strip(first[c]), s.scale(), fmt.Sprintf("%d samples of class %s", len(first[c]), name))
		case plane:
			cell = fmt.Sprintf(`<span style="color:%s">●</span>`, hex(classColor(c)))
		case len(first[c]) > 0:
			cell = page.Text(numbers(s.Row(first[c][0])))
		}
		t.Row(page.Text(name), fmt.Sprint(counts[c]), cell)
	}
	if plane {
		return t.HTML() + page.Img(s.points(), 1, s.String())
	}
	return t.HTML()
}

// scale enlarges small pictures to about 40 pixels.
func (s *Set) scale() float64 { return math.Max(1, math.Round(40/float64(max(s.image.Height, 1)))) }

// first lists the first samples of each class.
func (s *Set) first(n int) [][]int {
	of := make([][]int, len(s.classes))
	missing := len(s.classes)
	for i := 0; i < s.Len() && missing > 0; i++ {
		if c := s.Label(i); len(of[c]) < n {
			if of[c] = append(of[c], i); len(of[c]) == n {
				missing--
			}
		}
	}
	return of
}

// picture is the grid or the plane as one picture, nil for other features.
func (s *Set) picture() image.Image {
	if s.plane() {
		return s.points()
	}
	if s.image.size() == 0 || s.Len() == 0 {
		return nil
	}
	first := s.first(shownSamples)
	first = first[:min(len(first), shownClasses)]
	h := s.image.Height + 1
	m := image.NewRGBA(image.Rect(0, 0, shownSamples*(s.image.Width+1), len(first)*h))
	for c, samples := range first {
		strip := s.strip(samples)
		draw.Draw(m, strip.Bounds().Add(image.Pt(0, c*h)), strip, image.Point{}, draw.Src)
	}
	return m
}

// strip is samples side by side, one pixel apart.
func (s *Set) strip(samples []int) image.Image {
	w, h := s.image.Width, s.image.Height
	m := image.NewRGBA(image.Rect(0, 0, len(samples)*(w+1), h))
	for k, i := range samples {
		row := s.Row(i)
		for y := range h {
			for x := range w {
				m.SetRGBA(k*(w+1)+x, y, s.image.At(row, x, y))
			}
		}
	}
	return m
}

// At returns a pixel of a row; numbers outside 0 to 1 are cut off.
func (m Image) At(row []float32, x, y int) color.RGBA {
	var rgb [3]uint8
	for c := range rgb {
		ch := min(c, m.Channels-1)
		i := (y*m.Width+x)*m.Channels + ch
		if m.Planes {
			i = (ch*m.Height+y)*m.Width + x
		}
		if v := row[i]; v > 0 { // not NaN
			rgb[c] = uint8(min(v, 1)*255 + 0.5)
		}
	}
	return color.RGBA{rgb[0], rgb[1], rgb[2], 255}
}

func (s *Set) plane() bool { return s.image.size() == 0 && s.Features() == 2 && s.Len() > 0 }

// points draws at most 5,000 samples of two features: the first to the right, the second upwards.
func (s *Set) points() image.Image {
	const most, margin, radius = 5000, 8, 2
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	n := min(s.Len(), most)
	for i := range n {
		for j, v := range s.Row(i) {
			if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
				lo[j], hi[j] = min(lo[j], f), max(hi[j], f)
			}
		}
	}
	span := max(hi[0]-lo[0], hi[1]-lo[1])
	if !(span > 0) || math.IsInf(span, 0) {
		span = 1
	}
	m := image.NewRGBA(image.Rect(0, 0, plotSide, plotSide)) // clear: fits both themes
	for i := range n {
		row := s.Row(i)
		x := margin + (float64(row[0])-lo[0])/span*(plotSide-2*margin)
		y := plotSide - margin - (float64(row[1])-lo[1])/span*(plotSide-2*margin)
		if !(x >= 0 && x < plotSide && y >= 0 && y < plotSide) {
			continue // NaN or infinite
		}
		for dy := -radius; dy <= radius; dy++ {
			for dx := -radius; dx <= radius; dx++ {
				if dx*dx+dy*dy <= radius*radius+1 {
					m.SetRGBA(int(x)+dx, int(y)+dy, classColor(s.Label(i)))
				}
			}
		}
	}
	return m
}

// classColor tells classes apart for colour-blind readers too (Okabe, Ito, 2002); there are
// seven of these.
func classColor(class int) color.RGBA {
	return [...]color.RGBA{
		{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
		{230, 159, 0, 255}, {86, 180, 233, 255}, {140, 140, 140, 255},
	}[class%7]
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func numbers(row []float32) string {
	const most = 8
	s := strings.Trim(fmt.Sprintf("%.3g", row[:min(len(row), most)]), "[]")
	if len(row) > most {
		s += " …"
	}
	return s
}

// Picture returns sample i as a picture; nil if the set's samples are none.
func (s *Set) Picture(i int) image.Image {
	if s.image.size() == 0 {
		return nil
	}
	m := image.NewRGBA(image.Rect(0, 0, s.image.Width, s.image.Height))
	row := s.Row(i)
	for y := range s.image.Height {
		for x := range s.image.Width {
			m.SetRGBA(x, y, s.image.At(row, x, y))
		}
	}
	return m
}
