package sample

import (
	"math"
	"math/big"
	"testing"
)

// plainBits: numbers of the plain sampler that are no integers are in units of 2^-plainBits.
const plainBits = 320

// plainLayer is a rectangle as the plain sampler has it: points, points that are surely under the curve, and the lower edge
// and the height in units of 2^-128.
type plainLayer struct {
	width, inside *big.Int
	low, span     *big.Int
}

// plainGaussian is the rounded Gaussian sampler in big integers, which takes its words from a function. It shares no table
// and no function with the one that is used.
type plainGaussian struct {
	next   func() uint64
	layers []plainLayer
}

// plainArea is the area of a layer in units of 2^-180: the least for which 512 layers reach a height of 1. TestPlainLayers
// finds that it is.
const plainArea = "a1404f8f23c83ae5d381a1dfa6961fc74404f6b621c"

// plainUnits is plainArea in units of 2^-plainBits.
func plainUnits() *big.Int {
	area, _ := new(big.Int).SetString(plainArea, 16)
	return area.Lsh(area, plainBits-180)
}

// plainLayers covers the curve by layers of an area in units of 2^-plainBits: each has as many points as lie under the curve
// at its lower edge, and one or two more. It returns the height that they reach too, in units of 2^-128.
func plainLayers(area *big.Int) ([]plainLayer, *big.Int) {
	const count, fine = 512, 54
	layers, low, width := make([]plainLayer, count), new(big.Int), big.NewInt(16<<fine)
	for i := range layers {
		span := new(big.Int).Quo(new(big.Int).Lsh(area, 128+fine), width)
		span.Rsh(span, plainBits)
		layers[i] = plainLayer{width: width, inside: new(big.Int), low: low, span: span}
		if low = new(big.Int).Add(low, span); low.BitLen() <= 128 {
			width = plainPoints(low)
			width.Add(width, big.NewInt(2))
		}
		if i+1 < count && width.Cmp(big.NewInt(4)) > 0 {
			layers[i].inside.Sub(width, big.NewInt(4))
		}
	}
	return layers, low
}

// plainPoints is ⌊√(-2·ln y)·2^54⌋ for y in units of 2^-128: Newton's method for the logarithm, from float64.
func plainPoints(y *big.Int) *big.Int {
	f, _ := new(big.Float).SetInt(y).Float64()
	l := plainFixed(-math.Log(f) + 128*math.Ln2) // -ln y, which is not negative
	at := new(big.Int).Lsh(y, plainBits-128)
	for range 3 { // l ← l + 1 - y·exp(l) doubles the digits
		step := new(big.Int).Mul(at, plainExp(l))
		step.Rsh(step, plainBits)
		l.Add(l, step.Sub(new(big.Int).Lsh(big.NewInt(1), plainBits), step))
	}
	l.Lsh(l, 1+2*54)
	return l.Sqrt(l.Rsh(l, plainBits))
}

// plainFixed is x in units of 2^-plainBits.
func plainFixed(x float64) *big.Int {
	n, _ := new(big.Float).SetMantExp(big.NewFloat(max(x, 0)), plainBits).Int(nil)
	return n
}

// plainExp is exp(t), t ≥ 0, all in units of 2^-plainBits: the series of t/2^16, squared 16 times.
func plainExp(t *big.Int) *big.Int {
	const halvings, more = 16, 64
	small := new(big.Int).Rsh(new(big.Int).Lsh(t, more), halvings)
	term := new(big.Int).Lsh(big.NewInt(1), plainBits+more)
	sum := new(big.Int).Set(term)
	for k := int64(1); term.Sign() != 0; k++ {
		term.Mul(term, small)
		term.Quo(term.Rsh(term, plainBits+more), big.NewInt(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Rsh(sum.Mul(sum, sum), plainBits+more)
	}
	return sum.Rsh(sum, more)
}

// draw fills dst: six numbers share a word of six layers, of 9 bits, each with a sign.
func (p *plainGaussian) draw(dst []int64, gridBits uint) {
	meta := uint64(0)
	for i := range dst {
		if i%6 == 0 {
			meta = p.next()
		}
		point, negative := p.point(meta >> (10 * (i % 6)) & 1023)
		// (2·point+1)/2^55 standard deviations, times 2^gridBits, plus a half, rounded down.
		v := point.Add(point.Lsh(point, 1), big.NewInt(1))
		if negative {
			v.Neg(v)
		}
		v.Add(v.Lsh(v, gridBits), big.NewInt(1<<54))
		dst[i] = v.Rsh(v, 55).Int64()
	}
}

// point draws a point under the curve, and a sign, for a first layer and sign.
func (p *plainGaussian) point(choice uint64) (*big.Int, bool) {
	two64 := new(big.Int).Lsh(big.NewInt(1), 64)
	for {
		box, negative := p.layers[choice&511], choice>>9&1 == 1
		product := new(big.Int).Mul(plainWord(p.next()), box.width)
		point, rest := new(big.Int).QuoRem(product, two64, new(big.Int))
		if rest.Cmp(new(big.Int).Mod(two64, box.width)) < 0 {
			continue // the incomplete interval: again in the layer
		}
		if point.Cmp(box.inside) < 0 || p.under(box, point) {
			return point, negative
		}
		choice = p.next()
	}
}

func plainWord(w uint64) *big.Int { return new(big.Int).SetUint64(w) }

// under draws a height and compares it with the curve. It panics where the first 64 bits of the height do not decide, which
// happens with probability below 2^-40 a draw.
func (p *plainGaussian) under(box plainLayer, point *big.Int) bool {
	x := new(big.Int).Add(new(big.Int).Lsh(point, 1), big.NewInt(1)) // in units of 2^-55
	curve := plainExp(x.Lsh(x.Mul(x, x), plainBits-111))
	curve.Quo(new(big.Int).Lsh(big.NewInt(1), 2*plainBits), curve)
	height := new(big.Int).Mul(box.span, plainWord(p.next()))
	height.Add(height, new(big.Int).Lsh(box.low, 64))
	curve.Sub(curve, height.Lsh(height, plainBits-192))
	if new(big.Int).Abs(curve).BitLen() <= plainBits-64+9 {
		panic("a height of 64 bits does not decide")
	}
	return curve.Sign() > 0
}

func newPlainGaussian(next func() uint64) *plainGaussian {
	layers, _ := plainLayers(plainUnits())
	return &plainGaussian{next, layers}
}

// TestPlainLayers finds that plainArea is the least area whose layers reach a height of 1, and the layers those of the tables.
func TestPlainLayers(t *testing.T) {
	one := new(big.Int).Lsh(big.NewInt(1), 128)
	made, top := plainLayers(plainUnits())
	if _, below := plainLayers(new(big.Int).Sub(plainUnits(), big.NewInt(1))); top.Cmp(one) < 0 || below.Cmp(one) >= 0 {
		t.Errorf("layers of the area reach %v, and of a unit less %v, want 2^128 or more and less", top, below)
	}
	for i, l := range made {
		words := func(n *big.Int) [2]uint64 {
			return [2]uint64{new(big.Int).Rsh(n, 64).Uint64(), n.Uint64()}
		}
		if l.width.Uint64() != layers[i].width || l.inside.Uint64() != layers[i].inside || words(l.low) != heights[i] || words(l.span) != spans[i] {
			t.Errorf("layer %d is %v, want %v from %x of %x", i, l, layers[i], heights[i], spans[i])
		}
	}
}

// TestGaussianIsThePlainOne draws from one tape by both samplers, number by number, in calls of different lengths and on
// grids of all widths: the numbers and the words that are read are the same.
func TestGaussianIsThePlainOne(t *testing.T) { checkPlainGaussian(t, 100000) }

func checkPlainGaussian(t *testing.T, draws int) {
	t.Helper()
	all, place := &tape{word: numbered}, 0
	s := all.stream(bufferWords)
	plain := newPlainGaussian(func() uint64 { place++; return numbered(place - 1) })
	for k := 0; draws > 0; k++ {
		n := 1 + k%40
		got, want := make([]int64, n), make([]int64, n)
		gridBits := uint(MinGridBits + k%(MaxGridBits-MinGridBits+1))
		s.RoundedGaussian(got, gridBits)
		plain.draw(want, gridBits)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("call %d, number %d of %d, grid 2^%d: got %d, want %d", k, i, n, gridBits, got[i], want[i])
			}
		}
		if all.given(s) != place {
			t.Fatalf("call %d: %d words were read, want %d", k, all.given(s), place)
		}
		draws -= n
	}
}
