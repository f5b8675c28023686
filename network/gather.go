package network

import "github.com/ditherml/dither/internal/kernel"

// run is a part of a row of a window: numbers that are adjacent both in the row and in the image.
type run struct{ row, image, length int32 }

// runs returns the parts of the rows of all windows over one group of channels. The rows have the
// shape positions × [kernel row, kernel column, channel of the group]. Places outside the image
// have no part; the rows have zeros there, which are never overwritten.
func (w window) runs(group, groups int) []run {
	channels := w.channels / groups
	joined := groups == 1 && w.dilation == 1 // columns of a window are adjacent in the image
	var runs []run
	for position := range w.positions() {
		first, from, to := w.columns(position % w.outWidth)
		for k := range w.kernelRows {
			row, inside := w.row(position/w.outWidth, k)
			if !inside || from == to {
				continue
			}
			begin := (position*w.kernelRows + k) * w.kernel
			place := func(column int) int32 {
				return int32((row*w.width+first+column*w.dilation)*w.channels + group*channels)
			}
			if joined {
				runs = append(runs, run{int32((begin + from) * channels), place(from), int32((to - from) * channels)})
				continue
			}
			for column := from; column < to; column++ {
				runs = append(runs, run{int32((begin + column) * channels), place(column), int32(channels)})
			}
		}
	}
	return runs
}

// gather copies the windows of n images to rows. Each image has size numbers, and each matrix of
// rows has each numbers.
func gather[T kernel.Float](rows, x []T, runs []run, n, each, size int) {
	for record := range n {
		to, image := rows[record*each:][:each], x[record*size:][:size]
		for _, r := range runs {
			copyRun(to[r.row:][:r.length], image[r.image:][:r.length])
		}
	}
}

// copyRun copies src to dst, of the same length. Most runs are too short to call copy for.
func copyRun[T kernel.Float](dst, src []T) {
	for len(dst) >= 8 && len(src) >= 8 {
		eight := *(*[8]T)(src)
		*(*[8]T)(dst) = eight
		dst, src = dst[8:], src[8:]
	}
	copy(dst, src)
}

// scatter is the transpose of gather. It adds every number of rows to the input that gather copies
// it from.
func scatter[T kernel.Float](dx, rows []T, runs []run, n, each, size int) {
	for record := range n {
		from, image := rows[record*each:][:each], dx[record*size:][:size]
		for _, r := range runs {
			addTo(image[r.image:][:r.length], from[r.row:][:r.length])
		}
	}
}

// addTo adds src to the first numbers of dst.
func addTo[T kernel.Float](dst, src []T) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += v
	}
}

// views are the places of an image in each window. Window i has the places at[end[i-1]:end[i]]. A
// place is given by the offset of its channels.
type views struct{ at, end []int32 }

// views returns the places in the windows. Each window has at least one place, because the padding
// is less than the kernel.
func (w window) views() views {
	var v views
	for position := range w.positions() {
		first, from, to := w.columns(position % w.outWidth)
		for k := range w.kernelRows {
			if row, inside := w.row(position/w.outWidth, k); inside {
				for column := from; column < to; column++ {
					v.at = append(v.at, int32((row*w.width+first+column)*w.channels))
				}
			}
		}
		v.end = append(v.end, int32(len(v.at)))
	}
	return v
}

// of returns the places in a window.
func (v views) of(position int) []int32 {
	first := int32(0)
	if position > 0 {
		first = v.end[position-1]
	}
	return v.at[first:v.end[position]]
}
