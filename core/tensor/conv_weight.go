package tensor

import "trivium/core/tensor/internal/simd"

// bandPixels is how many places of a band the weight gradient sums over at a time: so many
// that its running sums are seldom fetched, so few that what it sums stays near.
const bandPixels = 384

// ConvWeightGrad computes the gradient of ConvForward's filters, dw = beta·dw + Σ dy·x over images and
// places, from its images x and the gradient dy of its result. With beta 0 dw is not read.
//
// A sample restricts the sum to some of the images, scaled; nil means all. only restricts
// the input channels that are computed: it is the sample that the forward pass used, the
// other channels get beta·dw; nil means all. live are the channels of dy that are not all 0, if some are known to be:
// the filters of the others get beta·dw, without a look at dy; nil means that any may be.
func ConvWeightGrad[T Float](p *Pool, dw, x, dy Images[T], o Window, s, only *Sample[T], live []int32, beta T) error {
	const op = "ConvWeightGrad"
	if err := fitConv(op, dy, x, dw, o); err != nil {
		return err
	}
	if err := fitSample(op, s, x.N); err != nil {
		return err
	}
	if err := fitSample(op, only, x.C); err != nil {
		return err
	}
	if err := fitSample(op, &Sample[T]{Index: live}, dw.N); err != nil {
		return err
	}
	if c, twice := repeated[T](live); twice {
		return shapeError(op, "channel %d of dy is named twice", c)
	}
	if dw.size() == 0 {
		return nil
	}
	k := reuse[T, weightGrad[T]](&weightGrads)
	k.set, k.x, k.dy, k.images, k.only, k.live, k.outputs = simd.Of[T](), x, dy, s, only, live, dw.N
	if live != nil {
		k.outputs = len(live)
	}
	k.plan(dw, o)
	flops := k.flops()
	err := p.run(k, k.divide(p.threads(flops)), flops)
	if err == nil {
		k.writeTo(dw, beta)
	}
	k.x, k.dy, k.images, k.only, k.live = Images[T]{}, Images[T]{}, nil, nil, nil
	giveBack[T](&weightGrads, k)
	return err
}

// A weightGrad sums over places what pairs of an output channel and a tap of an input channel see.
// It is a matrix product whose inner dimension is the places: the left factor is dy,
// packed, and the right one is read from a band of the image through a table of places. A
// vector holds the same tap of neighbouring channels, from a band with its channels
// innermost, or, where channels do not fill vectors, also those of the taps to the right.
type weightGrad[T Float] struct {
	set    *simd.Set[T]
	x, dy  Images[T]
	images *Sample[T]
	only   *Sample[T]
	live   []int32 // channels of dy, nil for all
	field
	woven   bool // vectors go on from tap to tap, all channels are one group
	groups  int  // of channels that share vectors
	lanes   int  // channels of a group
	outputs int  // channels of dy that count
	slots   []weightSlot
	share   int   // slots of a part
	rows    int   // output channels of a part
	offset  []int // of the places of a band
	sums    []T   // of an output channel after the other, a vector for each slot
	buffer  workspace[T]
}

// A weightSlot is a vector of filter elements: channels from the first of the group on at one
// tap, or, if woven, the elements from number first on of those that the taps from this one on to the right see.
type weightSlot struct {
	group, tap, first int
	valid             int
	from              int // element of the loaded group
}

func (k *weightGrad[T]) channels() int {
	if k.only != nil {
		return len(k.only.Index)
	}
	return k.x.C
}

// channel returns the c-th channel that is computed, and its factor.
func (k *weightGrad[T]) channel(c int) (int, T) {
	if k.only == nil {
		return c, 1
	}
	if k.only.Scale == nil {
		return int(k.only.Index[c]), 1
	}
	return int(k.only.Index[c]), k.only.Scale[c]
}

func (k *weightGrad[T]) plan(dw Images[T], o Window) {
	v, channels := k.set.Vector, k.channels()
	vectors := func(n int) int { return (n + v - 1) / v }
	k.lanes, k.groups = v, vectors(channels)
	if k.woven = o.stride() == 1 && vectors(dw.W*channels) < dw.W*k.groups; k.woven {
		k.lanes, k.groups = channels, 1
	}

	taps := k.buffer.taps[:0]
	for t := range dw.H * dw.W {
		taps = append(taps, tap{t/dw.W - o.Pad, t%dw.W - o.Pad})
	}
	k.buffer.taps = taps
	least := (k.dy.H*k.dy.W + bandPixels - 1) / bandPixels
	k.field = newField(taps, o.stride(), k.dy.H, k.dy.W, channels, sizeOf[T](), max(least, 1))

	k.slots = k.slots[:0]
	for g := range k.groups {
		for t := range taps {
			s := weightSlot{group: g, tap: t, valid: min(v, channels-g*v), from: k.see(taps[t]) * k.lanes}
			if !k.woven {
				k.slots = append(k.slots, s)
				continue
			}
			if t%dw.W != 0 {
				continue
			}
			for start := s.from; s.first < dw.W*channels; s.first += v {
				s.valid, s.from = min(v, dw.W*channels-s.first), start+s.first
				k.slots = append(k.slots, s)
			}
		}
	}
	k.offset = k.offset[:0]
	for u := range k.bandRows {
		for c := range k.gridW {
			k.offset = append(k.offset, k.place(u, c)*k.lanes*sizeOf[T]())
		}
	}
	k.sums = k.buffer.room(k.sums, k.outputs*len(k.slots)*v)
	clear(k.sums)
}

func (k *weightGrad[T]) flops() float64 {
	n := k.x.N
	if k.images != nil {
		n = len(k.images.Index)
	}
	return 2 * float64(n) * float64(k.outputs*k.dy.H*k.dy.W) * float64(len(k.slots)*k.set.Vector)
}

// divide decides what threads workers share, and returns the number of parts: whole groups of
// slots as far as they come out even, since whoever has a part of a group loads all of it, and
// beyond that output channels. Who computes an element changes none of its bits.
func (k *weightGrad[T]) divide(threads int) int {
	if len(k.slots) == 0 || k.outputs == 0 {
		return 0
	}
	across := threads
	for k.groups%across != 0 || threads%across != 0 {
		across--
	}
	k.share = len(k.slots) / across
	down, unit := threads/across, min(k.set.Rows, 2)
	k.rows = (k.outputs + down*unit - 1) / (down * unit) * unit
	return across * ((k.outputs + k.rows - 1) / k.rows)
}

// part computes some slots of some output channels over all images.
func (k *weightGrad[T]) part(i int) {
	w := reuse[T, workspace[T]](&workspaces)
	across := len(k.slots) / k.share
	x := piece{first: i % across * k.share, row: i / across * k.rows}
	x.end = min(x.row+k.rows, k.outputs)
	slots := k.slots[x.first:][:k.share]
	if k.images == nil {
		for n := range k.x.N {
			k.image(w, n, 1, x, slots)
		}
	} else {
		for p, n := range k.images.Index {
			f := T(1)
			if k.images.Scale != nil {
				f = k.images.Scale[p]
			}
			k.image(w, int(n), f, x, slots)
		}
	}
	giveBack[T](&workspaces, w)
}

// A piece is the part of the result that begins with slot number first, for output channels row
// to before end.
type piece struct{ first, row, end int }

// image adds what one image gives to the slots of a piece.
func (k *weightGrad[T]) image(w *workspace[T], n int, factor T, x piece, slots []weightSlot) {
	v, ld := k.set.Vector, len(k.slots)*k.set.Vector
	g0, g1 := slots[0].group, slots[len(slots)-1].group+1
	size := k.plane * k.lanes
	for band := range k.bands {
		row := band * k.bandRows
		pixels := min(k.bandRows, k.gridH-row) * k.gridW
		w.b = w.room(w.b, (g1-g0)*size+2*v)
		for g := g0; g < g1; g++ {
			k.loadGroup(w, w.b[(g-g0)*size:], n, g, band)
		}
		w.panels = split(k.set, w.panels[:0], x.row, x.end, pixels)
		w.a = w.room(w.a, (pixels+8)*(x.end-x.row+2*k.set.Rows))
		area := k.gridH * k.gridW
		for _, q := range w.panels {
			dy, ld := k.dy.Data[(n*k.dy.C+q.row)*area+row*k.gridW:], area
			if k.live != nil {
				dy, ld = k.bringLive(w, n, q, row*k.gridW, pixels), pixels
			}
			packAlong(k.set, w, w.a[q.at:], q.height, dy, ld, q.rows, pixels, gather[T]{})
		}
		for _, q := range w.panels {
			c := k.sums[q.row*ld+x.first*v:]
			for j := 0; j < len(slots); j += 2 {
				pair := slots[j:min(j+2, len(slots))]
				var at [2]*T
				for l, s := range pair {
					at[l] = &w.b[(s.group-g0)*size+s.from]
				}
				k.tile(w, q, pixels, at[:len(pair)], c[j*v:], ld, factor)
			}
		}
	}
}

// bringLive copies pixels of those channels of dy that a panel stands for side by side.
func (k *weightGrad[T]) bringLive(w *workspace[T], n int, q panel, from, pixels int) []T {
	w.y = w.room(w.y, q.rows*pixels)
	for i, c := range k.live[q.row:][:q.rows] {
		copy(w.y[i*pixels:][:pixels], k.dy.Plane(n, int(c))[from:])
	}
	return w.y
}

// tile adds to one or two vectors of columns of c what a panel and the vectors seen from b give.
func (k *weightGrad[T]) tile(w *workspace[T], q panel, pixels int, b []*T, c []T, ld int, factor T) {
	v, cols, t, ldt := k.set.Vector, len(b)*k.set.Vector, c, ld
	if q.rows != q.height { // not all rows of a tile are wanted
		t, ldt = w.borrow(c, ld, q, cols, cols, 1), cols
	}
	if len(b) == 2 {
		k.set.TileX[q.height](pixels, &w.a[q.at], b[0], b[1], &k.offset[0], &t[0], &t[v], ldt, factor, 1)
	} else {
		k.set.HalfX[q.height](pixels, &w.a[q.at], b[0], &k.offset[0], &t[0], ldt, factor, 1)
	}
	if q.rows != q.height {
		w.bringBack(c, ld, q, cols, cols)
	}
}

// loadGroup copies what a band sees of the channels of a group, pixel after pixel.
func (k *weightGrad[T]) loadGroup(w *workspace[T], dst []T, n, g, band int) {
	if k.lanes == 1 {
		c, _ := k.channel(g)
		load(k.set, &k.field, dst, k.x.Plane(n, c), band, k.x.H, k.x.W)
		return
	}
	rows := min(k.lanes, k.channels()-g*k.lanes)
	w.x = w.room(w.x, rows*k.plane)
	for i := range rows {
		c, _ := k.channel(g*k.lanes + i)
		load(k.set, &k.field, w.x[i*k.plane:], k.x.Plane(n, c), band, k.x.H, k.x.W)
	}
	packAlong(k.set, w, dst, k.lanes, w.x, k.plane, rows, k.plane, gather[T]{})
}

// writeTo brings the sums into the order of the filters.
func (k *weightGrad[T]) writeTo(dw Images[T], beta T) {
	d := dw.Data[:dw.size()]
	if beta == 0 {
		clear(d)
	} else if beta != 1 {
		k.set.Scale(len(d), &d[0], &d[0], beta)
	}
	v, taps := k.set.Vector, dw.H*dw.W
	for row := range k.outputs {
		o := row
		if k.live != nil {
			o = int(k.live[row])
		}
		for j, s := range k.slots {
			sum := k.sums[(row*len(k.slots)+j)*v:]
			number, tap := s.group*v, s.tap
			if k.woven {
				number, tap = s.first%k.lanes, tap+s.first/k.lanes
			}
			for l := range s.valid {
				c, f := k.channel(number)
				d[(o*dw.C+c)*taps+tap] += f * sum[l]
				if number++; k.woven && number == k.lanes {
					number, tap = 0, tap+1
				}
			}
		}
	}
}
