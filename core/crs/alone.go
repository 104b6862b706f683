package crs

import (
	"trivium/core/nn"
	"trivium/core/random"
)

// Each sampler is a product by itself: Product{Sampler: it}.

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s WithReplacement) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s WithReplacement) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s WithoutReplacement) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s WithoutReplacement) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s Bernoulli) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s Bernoulli) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s TopK) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s TopK) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s TopKWeights) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s TopKWeights) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s TopKAdaptive) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s TopKAdaptive) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s WTA) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s WTA) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s Uniform) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s Uniform) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}

// Multiplier32 returns the multiplier of one layer, with its forward product sampled.
func (s Custom) Multiplier32(l nn.Info, r *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](Product{Sampler: s}, l, r)
}

// Multiplier64 returns the multiplier of one layer, with its forward product sampled.
func (s Custom) Multiplier64(l nn.Info, r *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](Product{Sampler: s}, l, r)
}
