package network

import (
	"cmp"
	"fmt"
)

// window describes which inputs a convolution or a pooling reads for each place of its output. A
// text, of shape [positions, features], is an image of height 1.
type window struct {
	height, width, channels int // of the input
	kernelRows, kernel      int
	strideRows, stride      int
	paddingRows, padding    int
	dilation                int
	outHeight, outWidth     int
}

// newWindow returns the windows over an input. A stride or dilation of 0 means 1.
func newWindow(in Shape, kernel, stride, padding, dilation int) (window, error) {
	if len(in) != 2 && len(in) != 3 {
		return window{}, fmt.Errorf("input is %v, want an image [height, width, channels] or a text [positions, features]", in)
	}
	stride, dilation = cmp.Or(stride, 1), cmp.Or(dilation, 1)
	if kernel < 1 || stride < 1 || padding < 0 || dilation < 1 {
		return window{}, fmt.Errorf("kernel is %d, stride %d, padding %d and dilation %d, want at least 1, and for padding 0", kernel, stride, padding, dilation)
	}
	w := window{height: 1, width: in[len(in)-2], channels: in.features(), kernelRows: 1, kernel: kernel,
		strideRows: 1, stride: stride, padding: padding, dilation: dilation}
	if len(in) == 3 {
		w.height, w.kernelRows, w.strideRows, w.paddingRows = in[0], kernel, stride, padding
	}
	if kernel > maxSize || stride > maxSize || dilation > maxSize/kernel || padding >= kernel*dilation {
		return window{}, fmt.Errorf("kernel is %d, stride %d, padding %d and dilation %d, want a padding less than the kernel spans, and all below %d", kernel, stride, padding, dilation, maxSize)
	}
	w.outHeight = places(w.height, w.kernelRows, w.strideRows, w.paddingRows, dilation)
	w.outWidth = places(w.width, kernel, stride, padding, dilation)
	if w.outHeight < 1 || w.outWidth < 1 {
		return window{}, fmt.Errorf("kernel is %d and dilation %d for an input of %v with padding %d, want one that fits", kernel, dilation, in, padding)
	}
	return w, nil
}

// places returns how many windows fit in a length.
func places(length, kernel, stride, padding, dilation int) int {
	room := length + 2*padding - dilation*(kernel-1) - 1
	if room < 0 {
		return 0
	}
	return room/stride + 1
}

// shape returns the shape of the output with this number of channels and the dimensions of in.
func (w window) shape(in Shape, channels int) Shape {
	if len(in) == 2 {
		return Shape{w.outWidth, channels}
	}
	return Shape{w.outHeight, w.outWidth, channels}
}

// positions returns the number of windows.
func (w window) positions() int { return w.outHeight * w.outWidth }

// size returns how many numbers a window reads in this number of channels.
func (w window) size(channels int) int { return w.kernelRows * w.kernel * channels }

// row returns the input row that row k of a window at output row y reads, and whether it is inside.
func (w window) row(y, k int) (int, bool) {
	at := y*w.strideRows - w.paddingRows + k*w.dilation
	return at, at >= 0 && at < w.height
}

// columns returns the input column of the first column of a window at output column x. Columns from
// ≤ k < to of the window are inside.
func (w window) columns(x int) (first, from, to int) {
	first = x*w.stride - w.padding
	if first < 0 {
		from = (-first + w.dilation - 1) / w.dilation
	}
	to = min(w.kernel, max(from, (w.width-first+w.dilation-1)/w.dilation))
	return first, min(from, to), to
}
