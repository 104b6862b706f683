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
// other channels get beta·dw; nil means all.
func ConvWeightGrad[T Float](p *Pool, dw, x, dy Images[T], o Window, s, only *Sample[T], beta T) error {
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
	if dw.size() == 0 {
		return nil
	}
	k := reuse[T, weightGrad[T]](&weightGrads)
	k.set, k.x, k.dy, k.images, k.only = simd.Of[T](), x, dy, s, only
	k.plan(dw, o)
	flops := k.flops()
	err := p.run(k, k.parts(p.threads(flops)), flops)
	if err == nil {
		k.writeTo(dw, beta)
	}
	k.x, k.dy, k.images, k.only = Images[T]{}, Images[T]{}, nil, nil
	giveBack[T](&weightGrads, k)
	return err
}

// A weightGrad sums over places what pairs of an output channel and a tap of an input channel see.
// It is a matrix product whose inner dimension is the places: the left factor is dy,
// packed, and the right one is read from a band of the image through a table of places. A
// vector holds the same tap of neighbouring channels, from a band with its channels
// innermost, or, where there are few channels, neighbouring taps of one channel.
type weightGrad[T Float] struct {
	set    *simd.Set[T]
	x, dy  Images[T]
	images *Sample[T]
	only   *Sample[T]
	field
	byTap  bool // vectors of neighbouring taps
	groups int  // of channels that share vectors
	lanes  int  // channels of a group
	slots  []weightSlot
	share  int   // slots of a part
	offset []int // of the places of a band
	sums   []T   // of an output channel after the other, a vector for each slot
	buffer workspace[T]
}

// A weightSlot is a vector of filter elements: channels from the first of the group on at one
// tap, or taps of one channel from the first on.
type weightSlot struct {
	group, tap int
	valid      int
	from       int // element of the loaded group
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
	full := func(n int) float64 { return float64(n) / float64((n+v-1)/v*v) }
	k.byTap = o.stride() == 1 && full(dw.W) > full(max(channels, 1))
	k.lanes = v
	if k.byTap {
		k.lanes = 1
	}
	k.groups = (channels + k.lanes - 1) / k.lanes

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
			s := weightSlot{group: g, tap: t, valid: min(v, channels-g*v), from: k.see(taps[t]) * v}
			if k.byTap {
				if t%dw.W%v != 0 {
					continue
				}
				s.valid, s.from = min(v, dw.W-t%dw.W), k.see(taps[t])
			}
			k.slots = append(k.slots, s)
		}
	}
	k.offset = k.offset[:0]
	for u := range k.bandRows {
		for c := range k.gridW {
			k.offset = append(k.offset, k.place(u, c)*k.lanes*sizeOf[T]())
		}
	}
	k.sums = k.buffer.room(k.sums, dw.N*len(k.slots)*v)
	clear(k.sums)
}

func (k *weightGrad[T]) flops() float64 {
	n := k.x.N
	if k.images != nil {
		n = len(k.images.Index)
	}
	return 2 * float64(n) * float64(k.dy.C*k.dy.H*k.dy.W) * float64(len(k.slots)*k.set.Vector)
}

// parts divides the slots for threads workers.
func (k *weightGrad[T]) parts(threads int) int {
	// Whole groups where there are enough, since a part loads all of a group.
	unit := max(1, len(k.slots)/max(k.groups, 1))
	if k.groups < threads {
		unit = 2
	}
	k.share = max(unit, (len(k.slots)+threads*unit-1)/(threads*unit)*unit)
	return (len(k.slots) + k.share - 1) / k.share
}

// part computes some of the slots over all images.
func (k *weightGrad[T]) part(i int) {
	w := reuse[T, workspace[T]](&workspaces)
	first := i * k.share
	slots := k.slots[first:min(first+k.share, len(k.slots))]
	if k.images == nil {
		for n := range k.x.N {
			k.image(w, n, 1, first, slots)
		}
	} else {
		for p, n := range k.images.Index {
			f := T(1)
			if k.images.Scale != nil {
				f = k.images.Scale[p]
			}
			k.image(w, int(n), f, first, slots)
		}
	}
	giveBack[T](&workspaces, w)
}

// image adds what one image gives to the slots, of which the first is number first.
func (k *weightGrad[T]) image(w *workspace[T], n int, factor T, first int, slots []weightSlot) {
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
		w.panels = split(k.set, w.panels[:0], 0, k.dy.C, pixels)
		w.a = w.room(w.a, (pixels+8)*(k.dy.C+2*k.set.Rows))
		area := k.gridH * k.gridW
		for _, q := range w.panels {
			packAlong(k.set, w, w.a[q.at:], q.height, k.dy.Data[(n*k.dy.C+q.row)*area+row*k.gridW:], area, q.rows, pixels, gather[T]{})
		}
		for _, q := range w.panels {
			for j := 0; j < len(slots); j += 2 {
				s, t := slots[j], slots[min(j+1, len(slots)-1)]
				b0, b1 := &w.b[(s.group-g0)*size+s.from], &w.b[(t.group-g0)*size+t.from]
				c := k.sums[q.row*ld+(first+j)*v:]
				if q.rows == q.height && j+1 < len(slots) {
					k.set.TileX[q.height](pixels, &w.a[q.at], b0, b1, &k.offset[0], &c[0], &c[v], ld, factor, 1)
					continue
				}
				k.edge(w, q, pixels, b0, b1, c, ld, factor, min(2, len(slots)-j)*v)
			}
		}
	}
}

// edge computes a tile of which not all rows or not both vectors are wanted.
func (k *weightGrad[T]) edge(w *workspace[T], q panel, pixels int, b0, b1 *T, c []T, ld int, factor T, cols int) {
	nr := 2 * k.set.Vector
	t := w.borrow(c, ld, q, cols, nr, 1)
	k.set.TileX[q.height](pixels, &w.a[q.at], b0, b1, &k.offset[0], &t[0], &t[k.set.Vector], nr, factor, 1)
	w.bringBack(c, ld, q, cols, nr)
}

// loadGroup copies what a band sees of the channels of a group, pixel after pixel.
func (k *weightGrad[T]) loadGroup(w *workspace[T], dst []T, n, g, band int) {
	if k.byTap {
		c, _ := k.channel(g)
		load(k.set, &k.field, dst, k.x.Plane(n, c), band, k.x.H, k.x.W)
		return
	}
	v := k.set.Vector
	w.x = w.room(w.x, v*k.plane)
	rows := min(v, k.channels()-g*v)
	for i := range rows {
		c, _ := k.channel(g*v + i)
		load(k.set, &k.field, w.x[i*k.plane:], k.x.Plane(n, c), band, k.x.H, k.x.W)
	}
	packAlong(k.set, w, dst, v, w.x, k.plane, rows, k.plane, gather[T]{})
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
	for o := range dw.N {
		for j, s := range k.slots {
			sum := k.sums[(o*len(k.slots)+j)*v:]
			if k.byTap {
				c, f := k.channel(s.group)
				to := d[(o*dw.C+c)*taps+s.tap:]
				for l := range s.valid {
					to[l] += f * sum[l]
				}
				continue
			}
			for l := range s.valid {
				c, f := k.channel(s.group*v + l)
				d[(o*dw.C+c)*taps+s.tap] += f * sum[l]
			}
		}
	}
}
