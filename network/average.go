package network

import "github.com/ditherml/dither/internal/kernel"

// averagePool is AveragePool at work.
type averagePool[T kernel.Float] struct {
	plain[T]
	views                     views
	size, positions, channels int
	padding                   *padding // of a pool over all positions, or nil
}

func newAveragePool[T kernel.Float](l AveragePool, in Shape) *averagePool[T] {
	w, err := l.window(in)
	if err != nil {
		panic(err)
	}
	return &averagePool[T]{views: w.views(), size: in.Size(), positions: w.positions(), channels: w.channels}
}

// newGlobalAveragePool returns GlobalAveragePool at work: one window over every position except
// padding.
func newGlobalAveragePool[T kernel.Float](in Shape, s *space) *averagePool[T] {
	p := &averagePool[T]{padding: s.padding, size: in.Size(), positions: 1, channels: in.features()}
	for at := 0; at < p.size; at += p.channels {
		p.views.at = append(p.views.at, int32(at))
	}
	p.views.end = []int32{int32(len(p.views.at))}
	return p
}

func (p *averagePool[T]) forward(y, x []T, n int) {
	clear(y)
	for out := range n * p.positions {
		image := x[out/p.positions*p.size:][:p.size]
		places := p.views.of(out % p.positions)
		scale := p.scale(out, places)
		for t, at := range places {
			if p.padding.at(out, t) {
				continue
			}
			addScaled(y[out*p.channels:][:p.channels], image[at:], scale)
		}
	}
}

func (p *averagePool[T]) backward(dx, dy []T, n int) {
	if dx == nil {
		return
	}
	clear(dx)
	for out := range n * p.positions {
		image := dx[out/p.positions*p.size:][:p.size]
		places := p.views.of(out % p.positions)
		scale := p.scale(out, places)
		for t, at := range places {
			if p.padding.at(out, t) {
				continue
			}
			addScaled(image[at:][:p.channels], dy[out*p.channels:], scale)
		}
	}
}

// scale returns one over the number of places in the mean of a window. With padding there is one
// window for each record.
func (p *averagePool[T]) scale(out int, places []int32) T {
	if p.padding == nil {
		return 1 / T(len(places))
	}
	return 1 / T(max(1, p.padding.known(out, len(places))))
}

func (p *averagePool[T]) habits() habits { return habits{} }

// addScaled adds scale·src to dst, over the length of dst.
func addScaled[T kernel.Float](dst, src []T, scale T) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] += scale * v
	}
}
