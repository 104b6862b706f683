package simd

import "golang.org/x/sys/cpu"

// vectorSets returns the tables of a level, or nil where the processor cannot run it.
func vectorSets(l Level) (*Set[float32], *Set[float64]) {
	switch {
	case l == AVX2 && cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		s, d := set32, set64
		return &s, &d
	case l == AVX512 && cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasAVX512F:
		s, d := set32, set64
		s.Rows, s.Vector, s.PackRow = 14, 16, packRow128F32AVX2
		s.Tile, s.Half, s.TileP = tiles32AVX512, halves32AVX512, tileP14F32AVX512
		s.TileX, s.HalfX = tilesX32AVX512, halvesX32AVX512
		s.Skip, s.SkipEnd, s.Nonzero = skips32AVX512, skipEnds32AVX512, nonzeroF32AVX512
		d.Rows, d.Vector, d.PackRow = 14, 8, packRow128F64AVX2
		d.Tile, d.Half, d.TileP = tiles64AVX512, halves64AVX512, tileP14F64AVX512
		d.TileX, d.HalfX = tilesX64AVX512, halvesX64AVX512
		d.Skip, d.SkipEnd, d.Nonzero = skips64AVX512, skipEnds64AVX512, nonzeroF64AVX512
		return &s, &d
	case l == Shape512 && cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		s, d := set32, set64
		plainTiles(&s, 14, 2, 16)
		plainTiles(&d, 14, 2, 8)
		s.PackRow, d.PackRow = packRow128F32AVX2, packRow128F64AVX2
		return &s, &d
	}
	return nil, nil
}

var set32 = Set[float32]{
	Rows: 6, Vector: 8, Block: 8, Tile: tiles32AVX2, Half: halves32AVX2, TileP: tileP6F32AVX2, TileX: tilesX32AVX2, HalfX: halvesX32AVX2,
	Skip: skips32AVX2, SkipEnd: skipEnds32AVX2, Nonzero: nonzeroF32AVX2,
	PackT:     packTF32AVX2,
	PackG:     packGF32AVX2,
	PackC:     packCF32AVX2,
	PackS:     packSF32AVX2,
	PackRow:   packRow64F32AVX2,
	PadRows:   padRowsF32AVX2,
	SplitRows: splitRowsF32AVX2, SpreadRows: spreadRowsF32AVX2, CopyRows: copyRowsF32AVX2,
	VecMat:      vecMatF32AVX2,
	CopyAhead:   copyAheadF32AVX2,
	Add:         addF32AVX2,
	Sub:         subF32AVX2,
	Mul:         mulF32AVX2,
	MulAdd:      mulAddF32AVX2,
	Axpy:        axpyF32AVX2,
	Axpby:       axpbyF32AVX2,
	Scale:       scaleF32AVX2,
	Affine:      affineF32AVX2,
	AffineRelu:  affineReluF32AVX2,
	Relu:        reluF32AVX2,
	AddRelu:     addReluF32AVX2,
	ReluGrad:    reluGradF32AVX2,
	SigmoidGrad: sigmoidGradF32AVX2,
	TanhGrad:    tanhGradF32AVX2,
	AddSquares:  addSquaresF32AVX2,
	Larger:      largerF32AVX2,
	Exp:         expF32AVX2,
	Sigmoid:     sigmoidF32AVX2,
	Tanh:        tanhF32AVX2,
	GRU:         gruF32AVX2,
	GRUGrad:     gruGradF32AVX2,
	MaxOf4Grad:  maxOf4GradF32AVX2,
	Sum:         sumF32AVX2,
	SumSquares:  sumSquaresF32AVX2,
	SumAbs:      sumAbsF32AVX2,
	Maximum:     maximumF32AVX2,
	Dot:         dotF32AVX2,
	Differences: differencesF32AVX2,
	ExpSum:      expSumF32AVX2,
	ReluGradSum: reluGradSumF32AVX2, AffineReluSquares: affineReluSquaresF32AVX2, Moments: momentsF32AVX2, NormSums: normSumsF32AVX2, NormSumsRelu: normSumsReluF32AVX2, NormGrad: normGradF32AVX2, NormGradRelu: normGradReluF32AVX2,
	SGD:      sgdF32AVX2,
	Momentum: momentumF32AVX2,
	Nesterov: nesterovF32AVX2,
	Adagrad:  adagradF32AVX2,
	RMSProp:  rmspropF32AVX2,
	Adam:     adamF32AVX2,
}

var set64 = Set[float64]{
	Rows: 6, Vector: 4, Block: 4, Tile: tiles64AVX2, Half: halves64AVX2, TileP: tileP6F64AVX2, TileX: tilesX64AVX2, HalfX: halvesX64AVX2,
	Skip: skips64AVX2, SkipEnd: skipEnds64AVX2, Nonzero: nonzeroF64AVX2,
	PackT:     packTF64AVX2,
	PackG:     packGF64AVX2,
	PackC:     packCF64AVX2,
	PackS:     packSF64AVX2,
	PackRow:   packRow64F64AVX2,
	PadRows:   padRowsF64AVX2,
	SplitRows: splitRowsF64AVX2, SpreadRows: spreadRowsF64AVX2, CopyRows: copyRowsF64AVX2,
	VecMat:      vecMatF64AVX2,
	CopyAhead:   copyAheadF64AVX2,
	Add:         addF64AVX2,
	Sub:         subF64AVX2,
	Mul:         mulF64AVX2,
	MulAdd:      mulAddF64AVX2,
	Axpy:        axpyF64AVX2,
	Axpby:       axpbyF64AVX2,
	Scale:       scaleF64AVX2,
	Affine:      affineF64AVX2,
	AffineRelu:  affineReluF64AVX2,
	Relu:        reluF64AVX2,
	AddRelu:     addReluF64AVX2,
	ReluGrad:    reluGradF64AVX2,
	SigmoidGrad: sigmoidGradF64AVX2,
	TanhGrad:    tanhGradF64AVX2,
	AddSquares:  addSquaresF64AVX2,
	Larger:      largerF64AVX2,
	Exp:         expF64AVX2,
	Sigmoid:     sigmoidF64AVX2,
	Tanh:        tanhF64AVX2,
	GRU:         gruF64AVX2,
	GRUGrad:     gruGradF64AVX2,
	MaxOf4Grad:  maxOf4GradF64AVX2,
	Sum:         sumF64AVX2,
	SumSquares:  sumSquaresF64AVX2,
	SumAbs:      sumAbsF64AVX2,
	Maximum:     maximumF64AVX2,
	Dot:         dotF64AVX2,
	Differences: differencesF64AVX2,
	ExpSum:      expSumF64AVX2,
	ReluGradSum: reluGradSumF64AVX2, AffineReluSquares: affineReluSquaresF64AVX2, Moments: momentsF64AVX2, NormSums: normSumsF64AVX2, NormSumsRelu: normSumsReluF64AVX2, NormGrad: normGradF64AVX2, NormGradRelu: normGradReluF64AVX2,
	SGD:      sgdF64AVX2,
	Momentum: momentumF64AVX2,
	Nesterov: nesterovF64AVX2,
	Adagrad:  adagradF64AVX2,
	RMSProp:  rmspropF64AVX2,
	Adam:     adamF64AVX2,
}

// The tiles by their number of rows.
var (
	tiles32AVX2      = tiles[float32]{1: tile1F32AVX2, 2: tile2F32AVX2, 3: tile3F32AVX2, 4: tile4F32AVX2, 5: tile5F32AVX2, 6: tile6F32AVX2}
	halves32AVX2     = tiles[float32]{1: tileHalf1F32AVX2, 2: tileHalf2F32AVX2, 3: tileHalf3F32AVX2, 4: tileHalf4F32AVX2, 5: tileHalf5F32AVX2, 6: tileHalf6F32AVX2}
	tilesX32AVX2     = tilesX[float32]{1: tileX1F32AVX2, 2: tileX2F32AVX2, 3: tileX3F32AVX2, 4: tileX4F32AVX2, 5: tileX5F32AVX2, 6: tileX6F32AVX2}
	halvesX32AVX2    = halvesX[float32]{1: tileHalfX1F32AVX2, 2: tileHalfX2F32AVX2, 3: tileHalfX3F32AVX2, 4: tileHalfX4F32AVX2, 5: tileHalfX5F32AVX2, 6: tileHalfX6F32AVX2}
	tiles32AVX512    = tiles[float32]{2: tile2F32AVX512, 4: tile4F32AVX512, 6: tile6F32AVX512, 8: tile8F32AVX512, 10: tile10F32AVX512, 12: tile12F32AVX512, 14: tile14F32AVX512}
	halves32AVX512   = tiles[float32]{2: tileHalf2F32AVX512, 4: tileHalf4F32AVX512, 6: tileHalf6F32AVX512, 8: tileHalf8F32AVX512, 10: tileHalf10F32AVX512, 12: tileHalf12F32AVX512, 14: tileHalf14F32AVX512}
	tilesX32AVX512   = tilesX[float32]{2: tileX2F32AVX512, 4: tileX4F32AVX512, 6: tileX6F32AVX512, 8: tileX8F32AVX512, 10: tileX10F32AVX512, 12: tileX12F32AVX512, 14: tileX14F32AVX512}
	halvesX32AVX512  = halvesX[float32]{2: tileHalfX2F32AVX512, 4: tileHalfX4F32AVX512, 6: tileHalfX6F32AVX512, 8: tileHalfX8F32AVX512, 10: tileHalfX10F32AVX512, 12: tileHalfX12F32AVX512, 14: tileHalfX14F32AVX512}
	tiles64AVX2      = tiles[float64]{1: tile1F64AVX2, 2: tile2F64AVX2, 3: tile3F64AVX2, 4: tile4F64AVX2, 5: tile5F64AVX2, 6: tile6F64AVX2}
	halves64AVX2     = tiles[float64]{1: tileHalf1F64AVX2, 2: tileHalf2F64AVX2, 3: tileHalf3F64AVX2, 4: tileHalf4F64AVX2, 5: tileHalf5F64AVX2, 6: tileHalf6F64AVX2}
	tilesX64AVX2     = tilesX[float64]{1: tileX1F64AVX2, 2: tileX2F64AVX2, 3: tileX3F64AVX2, 4: tileX4F64AVX2, 5: tileX5F64AVX2, 6: tileX6F64AVX2}
	halvesX64AVX2    = halvesX[float64]{1: tileHalfX1F64AVX2, 2: tileHalfX2F64AVX2, 3: tileHalfX3F64AVX2, 4: tileHalfX4F64AVX2, 5: tileHalfX5F64AVX2, 6: tileHalfX6F64AVX2}
	tiles64AVX512    = tiles[float64]{2: tile2F64AVX512, 4: tile4F64AVX512, 6: tile6F64AVX512, 8: tile8F64AVX512, 10: tile10F64AVX512, 12: tile12F64AVX512, 14: tile14F64AVX512}
	halves64AVX512   = tiles[float64]{2: tileHalf2F64AVX512, 4: tileHalf4F64AVX512, 6: tileHalf6F64AVX512, 8: tileHalf8F64AVX512, 10: tileHalf10F64AVX512, 12: tileHalf12F64AVX512, 14: tileHalf14F64AVX512}
	tilesX64AVX512   = tilesX[float64]{2: tileX2F64AVX512, 4: tileX4F64AVX512, 6: tileX6F64AVX512, 8: tileX8F64AVX512, 10: tileX10F64AVX512, 12: tileX12F64AVX512, 14: tileX14F64AVX512}
	halvesX64AVX512  = halvesX[float64]{2: tileHalfX2F64AVX512, 4: tileHalfX4F64AVX512, 6: tileHalfX6F64AVX512, 8: tileHalfX8F64AVX512, 10: tileHalfX10F64AVX512, 12: tileHalfX12F64AVX512, 14: tileHalfX14F64AVX512}
	skips32AVX2      = skips[float32]{1: skip1F32AVX2, 2: skip2F32AVX2, 3: skip3F32AVX2, 4: skip4F32AVX2}
	skipEnds32AVX2   = skipEnds[float32]{1: skipEnd1F32AVX2, 2: skipEnd2F32AVX2, 3: skipEnd3F32AVX2, 4: skipEnd4F32AVX2}
	skips32AVX512    = skips[float32]{1: skip1F32AVX512, 2: skip2F32AVX512, 3: skip3F32AVX512, 4: skip4F32AVX512}
	skipEnds32AVX512 = skipEnds[float32]{1: skipEnd1F32AVX512, 2: skipEnd2F32AVX512, 3: skipEnd3F32AVX512, 4: skipEnd4F32AVX512}
	skips64AVX2      = skips[float64]{1: skip1F64AVX2, 2: skip2F64AVX2, 3: skip3F64AVX2, 4: skip4F64AVX2}
	skipEnds64AVX2   = skipEnds[float64]{1: skipEnd1F64AVX2, 2: skipEnd2F64AVX2, 3: skipEnd3F64AVX2, 4: skipEnd4F64AVX2}
	skips64AVX512    = skips[float64]{1: skip1F64AVX512, 2: skip2F64AVX512, 3: skip3F64AVX512, 4: skip4F64AVX512}
	skipEnds64AVX512 = skipEnds[float64]{1: skipEnd1F64AVX512, 2: skipEnd2F64AVX512, 3: skipEnd3F64AVX512, 4: skipEnd4F64AVX512}
)
