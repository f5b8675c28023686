package network

import "github.com/ditherml/dither/linalg"

// gather writes what the windows of n records see in one group of channels to rows, of shape
// n · positions × [kernel row, kernel column, channel of the group]. Outside the image there are zeros.
func gather[T linalg.Float](rows, x []T, w window, n, group, groups int) {
	channels := w.channels / groups
	size := w.height * w.width * w.channels
	for record := range n {
		image := x[record*size:][:size]
		for y := range w.outHeight {
			for place := range w.outWidth {
				first, from, to := w.columns(place)
				for k := range w.kernelRows {
					dst := rows[:w.kernel*channels]
					rows = rows[w.kernel*channels:]
					row, inside := w.row(y, k)
					if !inside || from == to {
						clear(dst)
						continue
					}
					clear(dst[:from*channels])
					clear(dst[to*channels:])
					at := (row*w.width+first+from*w.dilation)*w.channels + group*channels
					copyColumns(dst[from*channels:to*channels], image[at:], channels, w.dilation*w.channels)
				}
			}
		}
	}
}

// copyColumns fills dst with groups of channels that stand step numbers apart in src.
func copyColumns[T linalg.Float](dst, src []T, channels, step int) {
	if channels == step {
		copy(dst, src)
		return
	}
	for at := 0; len(dst) > 0; at += step {
		copy(dst[:channels], src[at:])
		dst = dst[channels:]
	}
}

// scatter is the transpose of gather: it adds every number of rows to the input that gather copies it from.
func scatter[T linalg.Float](dx, rows []T, w window, n, group, groups int) {
	channels := w.channels / groups
	size := w.height * w.width * w.channels
	for record := range n {
		image := dx[record*size:][:size]
		for y := range w.outHeight {
			for place := range w.outWidth {
				first, from, to := w.columns(place)
				for k := range w.kernelRows {
					src := rows[:w.kernel*channels]
					rows = rows[w.kernel*channels:]
					row, inside := w.row(y, k)
					if !inside || from == to {
						continue
					}
					at := (row*w.width+first+from*w.dilation)*w.channels + group*channels
					addColumns(image[at:], src[from*channels:to*channels], channels, w.dilation*w.channels)
				}
			}
		}
	}
}

// addColumns adds groups of channels of src to numbers that stand step apart in dst.
func addColumns[T linalg.Float](dst, src []T, channels, step int) {
	if channels == step {
		addTo(dst, src)
		return
	}
	for at := 0; len(src) > 0; at += step {
		addTo(dst[at:], src[:channels])
		src = src[channels:]
	}
}

// addTo adds src to the numbers that dst begins with.
func addTo[T linalg.Float](dst, src []T) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += v
	}
}
