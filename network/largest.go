package network

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// maxPool is MaxPool at work. chosen holds the index in its record of each output.
type maxPool[T kernel.Float] struct {
	plain[T]
	views                     views
	size, positions, channels int
	packed, best              []int64 // of one image and of one window
	chosen                    []int32
}

func newMaxPool[T kernel.Float](l MaxPool, in Shape, s *space) *maxPool[T] {
	w, err := l.window(in)
	if err != nil {
		panic(err)
	}
	return &maxPool[T]{views: w.views(), size: in.Size(), positions: w.positions(), channels: w.channels,
		packed: make([]int64, in.Size()), best: make([]int64, w.channels), chosen: make([]int32, s.records*w.positions()*w.channels)}
}

func (p *maxPool[T]) forward(y, x []T, n int) {
	each := p.positions * p.channels
	for record := range n {
		to, chosen, image := y[record*each:][:each], p.chosen[record*each:][:each], x[record*p.size:][:p.size]
		if single, is := any(image).([]float32); is {
			p.largest32(any(to).([]float32), chosen, single)
		} else {
			p.largest64(any(to).([]float64), chosen, any(image).([]float64))
		}
	}
}

// largest32 writes the largest numbers of the windows of one image, and their places. Numbers are
// packed with their places into integers, which are compared without a branch.
func (p *maxPool[T]) largest32(y []float32, chosen []int32, image []float32) {
	pack(p.packed, image)
	best := p.best
	for position := range p.positions {
		places := p.views.of(position)
		copy(best, p.packed[places[0]:])
		for _, at := range places[1:] {
			other := p.packed[at:][:len(best)]
			for j, v := range other {
				best[j] = max(best[j], v)
			}
		}
		to, from := y[position*p.channels:][:len(best)], chosen[position*p.channels:][:len(best)]
		for j, v := range best {
			from[j] = int32(^uint32(v))
			to[j] = image[from[j]]
		}
	}
}

// pack writes numbers and their places as integers in the order of the numbers. Equal numbers have
// the reverse order of their places. The bits of a number become an integer of the same order if
// all bits of a negative number except the sign are inverted.
func pack(dst []int64, src []float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		bits := int32(math.Float32bits(v))
		bits ^= int32(uint32(bits>>31) >> 1)
		dst[i] = int64(bits)<<32 | int64(^uint32(i))
	}
}

// largest64 is largest32 for numbers that are too long to be packed.
func (p *maxPool[T]) largest64(y []float64, chosen []int32, image []float64) {
	for i := range y {
		places, channel := p.views.of(i/p.channels), int32(i%p.channels)
		chosen[i] = places[0] + channel
		for _, at := range places[1:] {
			if image[at+channel] > image[chosen[i]] {
				chosen[i] = at + channel
			}
		}
		y[i] = image[chosen[i]]
	}
}

func (p *maxPool[T]) backward(dx, dy []T, n int) {
	if dx == nil {
		return
	}
	clear(dx)
	each := p.positions * p.channels
	for record := range n {
		image, chosen := dx[record*p.size:][:p.size], p.chosen[record*each:][:each]
		for j, v := range dy[record*each:][:each] {
			image[chosen[j]] += v
		}
	}
}

func (p *maxPool[T]) habits() habits { return habits{} }
