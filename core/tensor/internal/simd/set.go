package simd

// A Set is the inner loops for one element type at one level. The comments say what each
// computes; n counts elements and may be anything from 0 unless said otherwise.
type Set[T Float] struct {
	Rows   int // most rows of a tile
	Vector int // elements of a vector; a tile has two vectors of columns

	// Tile[r] computes the tile c = alpha·a·b, or c += alpha·a·b where add is not 0, with
	// r rows: for each of k steps a holds r elements, lda after those of the step before, and b two
	// vectors, ldb after. It may fetch next ahead of its use, two vectors every four steps, step
	// elements on each time. TileP does that with Rows rows, and copies the vectors of b to to, one
	// after the other; it may fetch what lies far elements after each. TileX[r] is for packed a, where lda is r. It reads the
	// vectors of step p off[p] bytes after b0 and b1 and writes to c0 and c1, in each row to c0 first. They are nil
	// for numbers of rows that do not exist; see [Set.Height]. Half is Tile for the first vector of
	// columns alone, HalfX is TileX for the one at b0.
	Tile  tiles[T]
	Half  tiles[T]
	TileP func(k int, a *T, lda int, b *T, ldb int, c *T, ldc int, alpha T, add int, to *T, far int)
	TileX tilesX[T]
	HalfX halvesX[T]

	// Packing, for up to eight rows. They may write eight elements for each step, of which
	// those beyond the rows wanted have no meaning.
	Block   int                                                                      // steps of a block of PackT
	PackT   func(blocks int, src *T, ld, rows int, dst *T, ldd int)                  // dst[p·ldd+i] = src[i·ld+p]
	PackG   func(n int, src *T, ld, rows int, dst *T, ldd int, idx *int32, scale *T) // dst[p·ldd+i] = scale[p]·src[i·ld+idx[p]]; n > 0
	PackC   func(n int, src *T, ld, cols int, dst *T, ldd int)                       // dst[p·ldd+i] = src[p·ld+i]; n > 0
	PackS   func(n int, src *T, ld, cols int, dst *T, ldd int, idx *int32, scale *T) // dst[p·ldd+i] = scale[p]·src[idx[p]·ld+i]; n > 0
	PackRow func(rows, panels int, src *T, ld int, dst *T, stride int)               // deals 2·Vector elements of each row to each panel, stride apart; rows, panels > 0
	PadRows func(rows int, src *T, width int, dst *T, row, left int)                 // dst[r·row+left+i] = src[r·width+i], zeros beside it; rows > 0
	VecMat  func(k, n int, x, w *T, ldw int, y *T, alpha T)                          // y[j] += alpha·Σ x[p]·w[p·ldw+j]

	// Skip[q] multiplies rows of which the elements that are not 0 are listed with b of q·Columns columns,
	// 1 ≤ q ≤ 4: c = a·b, or c += a·b where add is not 0. Row i has count[i] elements in val and off, after
	// those of the row before, each for the step of b that begins off[…] bytes into it. With each row it may
	// fetch as much at next as b has in a row, and next moves on by step. SkipEnd is for the end of the
	// rows: it reads and writes only left of the last Columns columns, 0 < left ≤ Columns. Nonzero makes
	// a list: alpha·x[p] and p·step for the x[p] that are not 0. It returns how many these are, and may
	// write a vector past the last.
	Skip    skips[T]
	SkipEnd skipEnds[T]
	Nonzero func(n int, x *T, alpha T, step int, val *T, off *int32) int

	// Rows of images; rows, n > 0.
	CopyRows   func(rows, n int, src *T, lds int, dst *T, ldd int)         // dst[r·ldd+i] = src[r·lds+i], apart in memory
	SplitRows  func(rows, n int, src *T, lds int, evens, odds *T, ldd int) // evens[r·ldd+i] = src[r·lds+2i], odds[r·ldd+i] = src[r·lds+2i+1]; n elements of each row of src
	SpreadRows func(rows, n int, src *T, lds int, dst *T, ldd int)         // dst[r·ldd+2i] = src[r·lds+i]

	CopyAhead func(n int, dst, x, next *T) // dst = x; n elements at next may be fetched meanwhile

	Add, Sub, Mul         func(n int, dst, x, y *T)
	MulAdd                func(n int, dst, x, y *T)                // dst += x·y
	Axpy                  func(n int, x, y *T, alpha T)            // y += alpha·x
	Axpby                 func(n int, dst, x, y *T, alpha, beta T) // dst = alpha·x + beta·y
	Scale                 func(n int, dst, x *T, alpha T)          // dst = alpha·x
	Affine, AffineRelu    func(n int, dst, x *T, alpha, beta T)    // dst = alpha·x + beta, and not below 0
	Relu                  func(n int, dst, x *T)
	AddRelu               func(n int, dst, x, y *T)  // dst = max(x+y, 0)
	ReluGrad              func(n int, dst, dy, y *T) // dst = dy where y > 0, else 0
	SigmoidGrad, TanhGrad func(n int, dst, dy, y *T)
	AddSquares            func(n int, dst, x *T)    // dst += x²
	Larger                func(n int, dst, x, y *T) // dst = max(x, y), NaN where either is
	Exp, Sigmoid, Tanh    func(n int, dst, x *T)

	GRU     func(n int, r, z, c, u, h, y *T)      // r = σ(r), z = σ(z), c = tanh(c+r·u), y = c + z·(h-c)
	GRUGrad func(n int, r, z, c, u, h, dy, dh *T) // gradients in the place of r, z, c, u, those before the functions; dh = dy·z

	// MaxOf4Grad is for n windows of 2×2 pixels, in rows x0 and x1, with the largest in y: the first
	// pixel that is y[i], or NaN, has dy[i] in d0 or d1, the others have 0.
	MaxOf4Grad func(n int, d0, d1, x0, x1, dy, y *T)

	Sum, SumSquares, SumAbs, Maximum func(n int, x *T) T
	Dot                              func(n int, x, y *T) T
	Differences                      func(n int, dst, x, y *T) T             // dst = x - dst; returns Σ (x-y)²
	ExpSum                           func(n int, dst, x *T, shift T) T       // dst = exp(x-shift); returns Σ dst
	ReluGradSum                      func(n int, dst, dy, y *T) T            // dst = dy where y > 0, else 0; returns Σ dst
	AffineReluSquares                func(n int, dst, x *T, alpha, beta T) T // dst = max(alpha·x + beta, 0); returns Σ dst²

	// Batch norm of a channel of an image, with d = x-mean and g = dy, or, in those with Relu, g = dy where
	// alpha·x+beta > 0 and 0 elsewhere. What is called next is fetched meanwhile.
	Moments      func(n int, x, next *T, shift T) (sum, squares T)         // Σ (x-shift), Σ (x-shift)²
	NormSums     func(n int, dy, x, nextDy, nextX *T, mean T) (sum, dot T) // Σ g, Σ g·d
	NormSumsRelu func(n int, dy, x, nextDy, nextX *T, alpha, beta, mean T) (sum, dot T)
	NormGrad     func(n int, dst, dy, x *T, mean, a, b, c T) // dst = a·g + b·d + c
	NormGradRelu func(n int, dst, dy, x *T, alpha, beta, mean, a, b, c T)

	SGD                func(n int, w, g *T, lr, decay T)
	Momentum, Nesterov func(n int, w, v, g *T, lr, mu, decay T)
	Adagrad            func(n int, w, s, g *T, lr, eps, decay T)
	RMSProp            func(n int, w, s, g *T, lr, rho, rest, eps, decay T)
	Adam               func(n int, w, m, v, g *T, lr, b1, rest1, b2, rest2, corr, eps, decay, shrink T)
}

type (
	tile[T Float]     = func(k int, a *T, lda int, b *T, ldb int, c *T, ldc int, alpha T, add int, next *T, step int)
	tiles[T Float]    = []tile[T]
	tilesX[T Float]   = []func(k int, a, b0, b1 *T, off *int, c0, c1 *T, ldc int, alpha T, add int)
	skips[T Float]    = []func(rows int, count *int32, val *T, off *int32, b, c *T, ldc, add int, next *T, step int)
	skipEnds[T Float] = []func(rows int, count *int32, val *T, off *int32, b, c *T, ldc, add int, next *T, step, left int)
	halvesX[T Float]  = []func(k int, a, b0 *T, off *int, c0 *T, ldc int, alpha T, add int)
)

// Columns is the columns of a tile.
func (s *Set[T]) Columns() int { return 2 * s.Vector }

// Height returns the rows of the smallest tile with at least r rows, 1 ≤ r ≤ s.Rows.
func (s *Set[T]) Height(r int) int {
	for s.Tile[r] == nil {
		r++
	}
	return r
}
