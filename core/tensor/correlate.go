package tensor

import "trivium/core/tensor/internal/simd"

// bandBytes is how much of an image is multiplied at a time; it stays in the second cache
// beside a panel of weights.
const bandBytes = 384 << 10

// tapSteps is how many steps a tile takes at a time, so that its panel of weights and what it
// sees of the image stay in the first cache; mostSteps is how many where the results of some
// steps could not be added to those of others without a copy of all, which costs more.
const (
	tapSteps  = 320
	mostSteps = 1280
)

// A tap is a place of a filter, relative to where the filter lies.
type tap struct{ row, col int }

// A field is the part of an image that taps see from a grid of places, cut into bands of
// rows. A band is copied with zeros around it into rows that hold every step-th pixel: first
// those at columns 0, step, 2·step …, then those at 1, 1+step …; so neighbours on the grid are
// neighbours in memory whatever the step.
type field struct {
	step           int // pixels from one place of the grid to the next
	gridH, gridW   int
	top, left      int // smallest row and column of a tap
	width          int // pixels of a row that are seen
	every          int // of these, those with the same remainder by step
	row, plane     int // elements of a row, of a channel
	bandRows, rows int // rows of the grid in a band, of the image seen from it
	bands          int
}

// newField plans bands for channels channels of elements of size bytes, at least least bands.
func newField(taps []tap, step, gridH, gridW, channels, size, least int) field {
	f := field{step: step, gridH: gridH, gridW: gridW}
	bottom, right := taps[0].row, taps[0].col
	f.top, f.left = bottom, right
	for _, t := range taps {
		f.top, bottom = min(f.top, t.row), max(bottom, t.row)
		f.left, right = min(f.left, t.col), max(right, t.col)
	}
	f.width = (gridW-1)*step + right - f.left + 1
	f.every = (f.width + step - 1) / step
	f.row = f.every * step
	span := bottom - f.top + 1
	most := (bandBytes/(size*f.row*max(channels, 1)) - span) / step
	f.bandRows = max(1, min(gridH, most, (gridH+least-1)/least))
	f.bands = (gridH + f.bandRows - 1) / f.bandRows
	f.bandRows = (gridH + f.bands - 1) / f.bands
	f.bands = (gridH + f.bandRows - 1) / f.bandRows
	f.rows = (f.bandRows-1)*step + span
	f.plane = f.rows * f.row
	return f
}

// see returns where a tap looks from the first place of a band.
func (f *field) see(t tap) int {
	c := t.col - f.left
	return (t.row-f.top)*f.row + c%f.step*f.every + c/f.step
}

// place returns where row u of a band and column v of the grid lie.
func (f *field) place(u, v int) int { return u*f.step*f.row + v }

// load copies what a band sees of a plane of h×w pixels. Up to a vector past the end may be
// written.
func load[T Float](s *simd.Set[T], f *field, dst, plane []T, band, h, w int) {
	top := band*f.bandRows*f.step + f.top
	inside, below := max(0, -top), min(f.rows, h-top) // rows of the band that are in the image
	clear(dst[:min(inside, f.rows)*f.row])
	left, right := -f.left, f.row+f.left-w
	most := s.Block // a vector, where padRows writes whole ones
	switch {
	case inside >= below:
	case f.step == 1 && left >= 0 && left <= most && right >= 0 && right <= most:
		s.PadRows(below-inside, &plane[(top+inside)*w], w, &dst[inside*f.row], f.row, left)
	case f.step == 2 && left >= 0 && left < f.row:
		d := dst[inside*f.row : below*f.row]
		clear(d)
		evens, odds := left%2*f.every+left/2, (left+1)%2*f.every+(left+1)/2
		s.SplitRows(below-inside, min(w, f.row-left), &plane[(top+inside)*w], w, &d[evens], &d[odds], f.row)
	default:
		for r := inside; r < below; r++ {
			deal(f, dst[r*f.row:], plane[(top+r)*w:][:w])
		}
	}
	if below = max(below, inside); below < f.rows {
		clear(dst[below*f.row : f.rows*f.row])
	}
}

// deal copies a row of pixels, those of one remainder by step after the other.
func deal[T Float](f *field, dst, row []T) {
	for phase := range f.step {
		d := dst[phase*f.every:][:f.every]
		x := f.left + phase
		for i := range d {
			if x >= 0 && x < len(row) {
				d[i] = row[x]
			} else {
				d[i] = 0
			}
			x += f.step
		}
	}
}

// A correlation computes, for every image and every place of a grid, the products of rows of
// weights with what the taps see there: a convolution forward, or the gradient of its input.
// It is a matrix product whose right factor is read where it lies.
type correlation[T Float] struct {
	set      *simd.Set[T]
	src      Images[T]
	channels []int32 // of src, in the order of the weights; nil for all
	count    int     // of channels
	field
	outputs int     // rows of weights
	only    []int32 // which outputs the rows of weights stand for, nil for all in order
	steps   int     // columns of weights
	packed  workspace[T]
	slots   []slot
	through bool // slots go through from row to row of a band
	end     epilogue[T]

	// Where the result of place u, v goes: data[image·n + plane·output + base + row·u + col·v].
	out struct {
		data                         []T
		image, plane, base, row, col int
	}
}

// A slot is a vector of neighbouring places of a band.
type slot struct {
	from  int // element of the loaded band
	to    int // element of the band's result
	valid int // places that exist
}

// plan prepares everything that bands and images have in common. weights is outputs rows of
// count·len(taps) columns, of which s picks.
func (x *correlation[T]) plan(taps []tap, weights Matrix[T], g gather[T]) {
	size := sizeOf[T]()
	w := &x.packed
	x.steps = x.count * len(taps)
	w.panels = split(x.set, w.panels[:0], 0, x.outputs, x.steps)
	w.a = w.room(w.a, (x.steps+8)*(x.outputs+2*x.set.Rows))
	for _, q := range w.panels {
		packAlong(x.set, w, w.a[q.at:], q.height, weights.Data[q.row*weights.Stride:], weights.Stride, q.rows, x.steps, g)
	}
	w.offset = w.offset[:0]
	for c := range x.count {
		for _, t := range taps {
			w.offset = append(w.offset, (c*x.plane+x.see(t))*size)
		}
	}
	x.planSlots()
}

// planSlots divides the places of a band into vectors. Rows of the grid are cut into vectors one by
// one, unless fewer are needed to go through all of what is loaded, with what lies between the rows: results
// there have no meaning, and the others must be brought to where they go.
func (x *correlation[T]) planSlots() {
	v := x.set.Vector
	perRow := (x.gridW + v - 1) / v
	x.slots = x.slots[:0]
	apart, through := x.bandRows*perRow, x.slotsThrough(x.bandRows)
	x.through = x.step == 1 && (8*through <= 7*apart || x.brought() && through < apart)
	if x.through {
		for k := range through {
			x.slots = append(x.slots, slot{from: k * v})
		}
		return
	}
	for u := range x.bandRows {
		for c := 0; c < x.gridW; c += v {
			x.slots = append(x.slots, slot{x.place(u, c), u*x.out.row + c*x.out.col, min(v, x.gridW-c)})
		}
	}
}

// slotsThrough returns the vectors that hold all places of some rows and what lies between.
func (x *correlation[T]) slotsThrough(rows int) int {
	return ((rows-1)*x.row + x.gridW + x.set.Vector - 1) / x.set.Vector
}

// brought tells whether tiles cannot write to where results go in any case: where that has gaps.
func (x *correlation[T]) brought() bool { return x.only != nil || x.out.col != 1 }

// flops returns the work, for deciding who shares it.
func (x *correlation[T]) flops() float64 {
	return 2 * float64(x.src.N) * float64(x.outputs) * float64(x.steps) * float64(x.gridH) * float64(x.gridW)
}

// run computes all images.
func (x *correlation[T]) run(p *Pool) error {
	return p.run(x, x.src.N*x.bands, x.flops())
}

// part computes one band of one image.
func (x *correlation[T]) part(i int) {
	w := reuse[T, workspace[T]](&workspaces)
	n, band := i/x.bands, i%x.bands
	w.b = w.room(w.b, x.count*x.plane+2*x.set.Vector*x.step)
	for c := range x.count {
		from := c
		if x.channels != nil {
			from = int(x.channels[c])
		}
		load(x.set, &x.field, w.b[c*x.plane:], x.src.Plane(n, from), band, x.src.H, x.src.W)
	}
	rows := min(x.bandRows, x.gridH-band*x.bandRows)
	y := layout{rows: rows, row: (x.gridW + x.set.Vector - 1) / x.set.Vector * x.set.Vector}
	count := rows * y.row / x.set.Vector
	if x.through {
		y.row, count = x.row, x.slotsThrough(rows)
	}
	slots := x.slots[:count]
	y.output = (count + 1) * x.set.Vector
	base := n*x.out.image + x.out.base + band*x.bandRows*x.out.row
	// A vector may write beyond the places that exist where what it writes there is
	// overwritten later: within the band, as long as results lie side by side.
	end := rows * x.gridW
	if x.out.col != 1 || x.out.row != x.gridW {
		end = 0
	}
	kc := even(x.steps, tapSteps, 8)
	if end == 0 || x.gridW%x.set.Vector != 0 {
		kc = even(x.steps, mostSteps, 8)
	}
	aside := x.through || x.brought() || kc < x.steps && (end == 0 || x.gridW%x.set.Vector != 0)
	if aside {
		w.y = w.room(w.y, x.set.Rows*y.output)
	}
	for _, q := range x.packed.panels {
		c := x.out.data[base:]
		if aside {
			x.aside(w, q, slots, y, kc)
			x.bringOut(w, q, c, y)
		} else {
			for p := 0; p < x.steps; p += kc {
				for j := 0; j < len(slots); j += 2 {
					x.pair(w, q, c, slots[j:min(j+2, len(slots))], end, p, min(kc, x.steps-p))
				}
			}
		}
		if x.end.bias != nil || x.end.relu {
			x.finish(q, c, rows*x.gridW)
		}
	}
	giveBack[T](&workspaces, w)
}

// pair computes one or two slots for the outputs of a panel: k steps from step p, added to
// what is there unless p is 0.
func (x *correlation[T]) pair(w *workspace[T], q panel, c []T, s []slot, end, p, k int) {
	v, a, offset := x.set.Vector, &x.packed.a[q.at+p*q.height], &x.packed.offset[p]
	b0, b1 := &w.b[s[0].from], &w.b[s[len(s)-1].from]
	if q.rows == q.height && len(s) == 2 && s[0].to+v <= end && s[1].to+v <= end {
		at := x.plane0(q, 0)
		x.set.TileX[q.height](k, a, b0, b1, offset, &c[at+s[0].to], &c[at+s[1].to], x.out.plane, 1, p)
		return
	}
	t := w.room(w.tile, q.height*2*v)
	w.tile = t
	if p > 0 {
		for i := range q.rows {
			for l, s := range s {
				copy(t[(2*i+l)*v:][:s.valid], c[x.plane0(q, i)+s.to:])
			}
		}
	}
	x.set.TileX[q.height](k, a, b0, b1, offset, &t[0], &t[v], 2*v, 1, p)
	x.takeOut(t, q, c, s)
}

// plane0 returns where the plane of the i-th output of a panel begins.
func (x *correlation[T]) plane0(q panel, i int) int {
	if x.only != nil {
		return int(x.only[q.row+i]) * x.out.plane
	}
	return (q.row + i) * x.out.plane
}

// A layout is where results lie before they are brought to where they go: so many rows of the grid, one
// output after the other.
type layout struct{ rows, row, output int }

// aside computes all slots of a band for the outputs of a panel, kc steps at a time, in w.y:
// slots side by side, the outputs one below the other. Results with gaps between them, or
// vectors that reach beyond their row, could not be added to where they go.
func (x *correlation[T]) aside(w *workspace[T], q panel, slots []slot, y layout, kc int) {
	v := x.set.Vector
	for p := 0; p < x.steps; p += kc {
		a, k := &x.packed.a[q.at+p*q.height], min(kc, x.steps-p)
		for j := 0; j < len(slots); j += 2 {
			s, t := slots[j], slots[min(j+1, len(slots)-1)]
			c := w.y[j*v:]
			x.set.TileX[q.height](k, a, &w.b[s.from], &w.b[t.from], &x.packed.offset[p], &c[0], &c[v], y.output, 1, p)
		}
	}
}

// bringOut brings the results of aside to where they go.
func (x *correlation[T]) bringOut(w *workspace[T], q panel, c []T, y layout) {
	for i := range q.rows {
		from, to := w.y[i*y.output:], c[x.plane0(q, i):]
		switch x.out.col {
		case 1:
			x.set.CopyRows(y.rows, x.gridW, &from[0], y.row, &to[0], x.out.row)
		case 2:
			x.set.SpreadRows(y.rows, x.gridW, &from[0], y.row, &to[0], x.out.row)
		default:
			for u := range y.rows {
				for l, value := range from[u*y.row:][:x.gridW] {
					to[u*x.out.row+l*x.out.col] = value
				}
			}
		}
	}
}

// takeOut brings slots that lie side by side in t to where they go, in rows without gaps.
func (x *correlation[T]) takeOut(t []T, q panel, c []T, s []slot) {
	v := x.set.Vector
	for i := range q.rows {
		for k, s := range s {
			copy(c[x.plane0(q, i)+s.to:][:s.valid], t[(2*i+k)*v:])
		}
	}
}

// finish adds the bias of each output and cuts off what is below 0.
func (x *correlation[T]) finish(q panel, c []T, n int) {
	for i := range q.rows {
		d, bias := &c[x.plane0(q, i)], T(0)
		if x.end.bias != nil {
			bias = x.end.bias[q.row+i]
		}
		if x.end.relu {
			x.set.AffineRelu(n, d, d, 1, bias)
		} else {
			x.set.Affine(n, d, d, 1, bias)
		}
	}
}
