package network

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// gated is an activation x·g(x) at work. It keeps its input, which must therefore stay, and the
// gates g. The function gate fills g from x. The function slope turns g into the derivatives g +
// x·g', once for each forward pass.
type gated[T kernel.Float] struct {
	plain[T]
	gate, slope func(g, x []T)
	x, g        []T
	sloped      bool
}

func newGated[T kernel.Float](function string, numbers int) *gated[T] {
	w := &gated[T]{g: make([]T, numbers)}
	switch function {
	case "silu":
		w.gate, w.slope = sigmoidOf[T], siluSlope[T]
	case "gelu":
		w.gate, w.slope = normalOf[T], geluSlope[T]
	default:
		w.gate, w.slope = geluTanhGate[T], geluTanhSlope[T]
	}
	return w
}

func (w *gated[T]) forward(y, x []T, _ int) {
	w.x, w.sloped = x, false
	g := w.g[:len(x)]
	w.gate(g, x)
	for i, v := range x {
		y[i] = v * g[i]
	}
}

func (w *gated[T]) backward(dx, dy []T, _ int) {
	if dx == nil {
		return
	}
	g := w.g[:len(dx)]
	if !w.sloped {
		w.slope(g, w.x)
		w.sloped = true
	}
	for i, v := range g {
		dx[i] = dy[i] * v
	}
}

func (w *gated[T]) habits() habits { return habits{} }

// siluSlope uses g' = g·(1-g) for g = σ(x).
func siluSlope[T kernel.Float](g, x []T) {
	for i, v := range x {
		g[i] += v * g[i] * (1 - g[i])
	}
}

// normalOf writes Φ(x) = (1 + erf(x/√2))/2.
func normalOf[T kernel.Float](g, x []T) {
	for i, v := range x {
		g[i] = T(math.Erfc(-float64(v)/math.Sqrt2) / 2)
	}
}

// geluSlope uses the density Φ' = e^(-x²/2)/√(2π).
func geluSlope[T kernel.Float](g, x []T) {
	for i, v := range x {
		g[i] += v * T(math.Exp(-float64(v)*float64(v)/2)/math.Sqrt(2*math.Pi))
	}
}

// These are the constants of the approximate GELU: √(2/π), and the weight of the cube.
const geluInner, geluCube = 0.79788456080286535588, 0.044715

// geluTanhGate writes g = (1 + tanh(√(2/π)·(x + 0.044715·x³)))/2.
func geluTanhGate[T kernel.Float](g, x []T) {
	for i, v := range x {
		g[i] = geluInner * (v + geluCube*v*v*v)
	}
	tanhOf(g, g)
	for i, v := range g {
		g[i] = (1 + v) / 2
	}
}

// geluTanhSlope uses that tanh is 2g - 1, with derivative 4g·(1-g). Then g' is half of that times
// the inner derivative.
func geluTanhSlope[T kernel.Float](g, x []T) {
	for i, v := range x {
		if rest := g[i] * (1 - g[i]); rest != 0 { // far from zero, where v² may overflow, the rest is 0
			g[i] += v * 2 * rest * geluInner * (1 + 3*geluCube*v*v)
		}
	}
}
