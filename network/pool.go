package network

import "cmp"

// MaxPool is a layer that replaces each window by the largest number of each channel in the window.
// A window has Kernel × Kernel places of an image, or Kernel positions of a text. If several
// numbers are the largest, the derivative belongs to the first of them. If a number is NaN, the
// choice is unspecified.
type MaxPool struct {
	// Kernel is the size of a window in each dimension.
	Kernel int `json:"kernel"`
	// Stride is the distance between neighboring windows. 0 means Kernel.
	Stride int `json:"stride,omitempty"`
	// Padding is the distance by which windows extend beyond each side of the image or text. Places
	// outside are ignored.
	Padding int `json:"padding,omitempty"`
}

// AveragePool is a layer that replaces each window by the mean of each channel in the window.
// Places outside the image or text do not count. A window has Kernel × Kernel places of an image,
// or Kernel positions of a text.
type AveragePool struct {
	// Kernel is the size of a window in each dimension.
	Kernel int `json:"kernel"`
	// Stride is the distance between neighboring windows. 0 means Kernel.
	Stride int `json:"stride,omitempty"`
	// Padding is the distance by which windows extend beyond each side of the image or text. Places
	// outside are ignored.
	Padding int `json:"padding,omitempty"`
}

// GlobalAveragePool is a layer that replaces all positions by the mean of each feature over the
// positions. Padding (see Embedding) is ignored.
type GlobalAveragePool struct{}

var _, _, _ Layer = MaxPool{}, AveragePool{}, GlobalAveragePool{}

// kind returns "max-pool".
func (MaxPool) kind() string { return "max-pool" }

// kind returns "average-pool".
func (AveragePool) kind() string { return "average-pool" }

// kind returns "global-average-pool".
func (GlobalAveragePool) kind() string { return "global-average-pool" }

func (l MaxPool) window(in Shape) (window, error) {
	return newWindow(in, l.Kernel, cmp.Or(l.Stride, l.Kernel), l.Padding, 1)
}

func (l AveragePool) window(in Shape) (window, error) { return MaxPool(l).window(in) }

// output returns the shape of the places of the windows, with the channels of in.
func (l MaxPool) output(in Shape) (Shape, error) {
	w, err := l.window(in)
	if err != nil {
		return nil, err
	}
	return w.shape(in, in.features()), nil
}

// output returns the shape of the places of the windows, with the channels of in.
func (l AveragePool) output(in Shape) (Shape, error) { return MaxPool(l).output(in) }

// output returns the features of in.
func (GlobalAveragePool) output(in Shape) (Shape, error) { return Shape{in.features()}, nil }

// blocks returns nil.
func (MaxPool) blocks(Shape) []Block { return nil }

// blocks returns nil.
func (AveragePool) blocks(Shape) []Block { return nil }

// blocks returns nil.
func (GlobalAveragePool) blocks(Shape) []Block { return nil }

func (MaxPool) initial(Shape, [][]float32, float64, *generator)           {}
func (AveragePool) initial(Shape, [][]float32, float64, *generator)       {}
func (GlobalAveragePool) initial(Shape, [][]float32, float64, *generator) {}

func (l MaxPool) worker32(in Shape, s *space) worker[float32] { return newMaxPool[float32](l, in, s) }
func (l MaxPool) worker64(in Shape, s *space) worker[float64] { return newMaxPool[float64](l, in, s) }

func (l AveragePool) worker32(in Shape, _ *space) worker[float32] {
	return newAveragePool[float32](l, in)
}
func (l AveragePool) worker64(in Shape, _ *space) worker[float64] {
	return newAveragePool[float64](l, in)
}

func (GlobalAveragePool) worker32(in Shape, s *space) worker[float32] {
	return newGlobalAveragePool[float32](in, s)
}
func (GlobalAveragePool) worker64(in Shape, s *space) worker[float64] {
	return newGlobalAveragePool[float64](in, s)
}
