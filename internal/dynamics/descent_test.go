package dynamics

import (
	"math"
	"testing"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/network"
)

// clipTo is flat clipping of each group to a norm.
func clipTo(name string, norm float64, groups ...int) Clipping {
	return Clipping{Name: name, Groups: groups, Bound: norm * math.Sqrt(float64(len(groups))), Weight: func(_ int, v float64) float64 {
		if v <= norm {
			return 1
		}
		return norm / v
	}}
}

// opposed is v·tanh(u·x) at u = v = 1, with labels on both sides of what it gives for two records. The gradients of
// each layer are one number a record, and those of the two records have opposite signs.
func opposed(t *testing.T) Problem {
	t.Helper()
	n, err := network.New(network.Shape{1}, network.Linear{Outputs: 1, NoBias: true}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 1, NoBias: true})
	if err != nil {
		t.Fatal(err)
	}
	return Problem{Network: n, Loss: squared{}, Inputs: []float64{0.5, 2}, Labels: []float64{0.7, 0.8}, Weights: []float64{1, 1}}
}

// TestLayerwiseClippingRestsElsewhere: with every layer's gradients clipped to one norm and of opposite signs, the
// sum of each layer is 0, so that nothing moves although the loss is not 0 and the kernel has an inverse. Flat
// clipping goes on to a loss of 0, as its kernel keeps the inverse.
func TestLayerwiseClippingRestsElsewhere(t *testing.T) {
	p := opposed(t)
	rate, err := StableRate(p)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Steps: 20000, LearningRate: rate, Looks: 3}
	none, err := Descend(p, Clipping{Name: "none", Groups: []int{2}}, o)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := Descend(p, clipTo("flat", 0.02, 2), o)
	if err != nil {
		t.Fatal(err)
	}
	layerwise, err := Descend(p, clipTo("layerwise", 0.01, 1, 1), o)
	if err != nil {
		t.Fatal(err)
	}
	if none.Verdict() != ReachedZero || flat.Verdict() != ReachedZero || !none.Monotone() {
		t.Errorf("without clipping the loss went from %v to %v, with flat clipping to %v, want 0 for both", none.Start, none.End, flat.End)
	}
	if !none.Characters[0].Regular() || !flat.Characters[0].Regular() {
		t.Errorf("kernels: got %+v without and %+v with flat clipping, want both to have an inverse", none.Characters[0], flat.Characters[0])
	}
	if layerwise.Verdict() != AtRest || !(math.Abs(layerwise.End-layerwise.Start) <= 1e-12*layerwise.Start) || layerwise.Characters[0].Regular() {
		t.Errorf("layerwise clipping: the loss went from %v to %v and the kernel is %+v, want no move and a kernel without an inverse", layerwise.Start, layerwise.End, layerwise.Characters[0])
	}
}

// TestLayerwiseKernelMayHaveNegativeEigenvalues clips the first layer only. With a and b the derivatives of the two
// outputs by the weight of each layer, M = [[a₁²s₁+b₁², a₁a₂s₂+b₁b₂], [a₁a₂s₁+b₁b₂, a₂²s₂+b₂²]] has the determinant
// (a₁b₂ - a₂b₁)·(a₁b₂s₁ - a₂b₁s₂), which is negative where the first record is clipped so much more than the second.
func TestLayerwiseKernelMayHaveNegativeEigenvalues(t *testing.T) {
	p := opposed(t)
	p.Labels = []float64{2, 0.9}
	c := Clipping{Groups: []int{1, 1}, Weight: func(r int, norm float64) float64 {
		if r == 0 {
			return min(1, 0.005/norm)
		}
		return 1
	}}
	tangent, err := NewKernel(p, c.Groups)
	if err != nil {
		t.Fatal(err)
	}
	scales, err := Scales(p, c)
	if err != nil {
		t.Fatal(err)
	}
	f1, f2 := math.Tanh(0.5), math.Tanh(2)
	a1, a2, b1, b2 := 0.5*(1-f1*f1), 2*(1-f2*f2), f1, f2
	s1, s2 := 0.005/(a1*(2-f1)), 0.005/(a2*(f2-0.9))
	trace, determinant := a1*a1*s1+b1*b1+a2*a2*s2+b2*b2, (a1*b2-a2*b1)*(a1*b2*s1-a2*b1*s2)
	want := trace/2 - math.Sqrt(trace*trace/4-determinant)
	got, err := Describe(tangent.Clipped(scales))
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(got.Least-want) <= 1e-12) || got.Positive() || got.Symmetric() || got.PositiveForm() {
		t.Errorf("got %+v, want a least eigenvalue of %v", got, want)
	}
	if whole, failed := Describe(tangent.Clipped(scales[:1])); failed != nil || !whole.Regular() {
		t.Errorf("with the weights of the first layer for both: got %+v and error %v, want positive eigenvalues", whole, failed)
	}
}

// outlier is one linear layer without bias: f_i = w·x_i. All gradients lie near one direction; that of the first
// record is long, those of the three others short, and they point the other way.
func outlier(t *testing.T) Problem {
	t.Helper()
	n, err := network.New(network.Shape{4}, network.Linear{Outputs: 1, NoBias: true})
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Network: n, Loss: squared{}, Weights: make([]float64, 4), Labels: []float64{4, -1, -1, -1}}
	for i := range 4 {
		x := []float64{1, 0, 0, 0}
		x[3-i%4] += 0.3
		p.Inputs = append(p.Inputs, x...)
	}
	return p
}

// TestFlatClippingTurnsAround: before clipping the long gradient decides, 4 against 3; after it the three short ones
// do, 3·0.1 against 0.1, so that the loss rises at first however short a step is. As H has an inverse, it goes to 0
// all the same. Clipping at a large norm is no clipping, and global clipping is none but for the pace.
func TestFlatClippingTurnsAround(t *testing.T) {
	p := outlier(t)
	rate, err := StableRate(p)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Steps: 20000, LearningRate: rate, Looks: 4}
	run := func(c Clipping) *Trajectory {
		t.Helper()
		out, failed := Descend(p, c, o)
		if failed != nil {
			t.Fatal(failed)
		}
		if out.Verdict() != ReachedZero {
			t.Errorf("%s: the loss went from %v to %v, want 0", c.Name, out.Start, out.End)
		}
		return out
	}
	none, large := run(Clipping{Name: "none", Groups: []int{1}}), run(clipTo("large", 10, 1))
	global := run(Clipping{Name: "global", Groups: []int{1}, Most: 0.01, Weight: func(int, float64) float64 { return 0.01 }})
	for _, other := range []*Trajectory{large, global} {
		if !none.Monotone() || !other.Monotone() || !(math.Abs(none.End-other.End) <= 1e-9*none.Start) || !other.Characters[0].Symmetric() || !other.Characters[0].PositiveForm() {
			t.Errorf("got %+v, want the descent without clipping %+v, which falls only", other, none)
		}
	}
	flat := run(clipTo("flat", 0.1, 1))
	if flat.Monotone() || flat.Against < 10 {
		t.Errorf("flat: the loss rose %d times and %d steps were against the gradient, want it to rise at first", flat.Rises, flat.Against)
	}
	if c := flat.Characters[0]; c.Symmetric() || !c.Regular() || c.PositiveForm() {
		t.Errorf("flat: kernel %+v, want it without symmetry, with positive eigenvalues and a form that is negative somewhere", c)
	}
	last := flat.Characters[len(flat.Characters)-1]
	if !last.Symmetric() || len(flat.Characters) != 4 {
		t.Errorf("flat: the last of %d kernels is %+v, want it symmetric, as all gradients are short by then", len(flat.Characters), last)
	}
}

// TestAgainstIsTheForm holds what a step says of the sum and the gradient to the quadratic form of the kernel: the
// first step is against the gradient if and only if ∂L/∂f·M·∂L/∂fᵀ is negative.
func TestAgainstIsTheForm(t *testing.T) {
	p := outlier(t)
	for norm, against := range map[float64]int{0.1: 1, 1.5: 1, 4: 0, 10: 0} {
		c := clipTo("flat", norm, 1)
		got, err := Descend(p, c, Options{Steps: 1, LearningRate: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		tangent, err := NewKernel(p, []int{1})
		if err != nil {
			t.Fatal(err)
		}
		scales, err := Scales(p, c)
		if err != nil {
			t.Fatal(err)
		}
		w := newPass(p)
		w.at(p.Weights)
		form := kernel.Dot(w.slopes, dense.Apply(tangent.Clipped(scales), w.slopes))
		if got.Against != against || (form < 0) != (against == 1) {
			t.Errorf("clipping norm %v: %d steps against the gradient, form %v, want %d", norm, got.Against, form, against)
		}
	}
}

// TestNoiseKeepsTheLossUp wants noise to take the loss of a curved minimum to a floor that grows with its variance:
// the loss is quadratic here, so that twice the noise makes four times the floor.
func TestNoiseKeepsTheLossUp(t *testing.T) {
	p := outlier(t)
	rate, err := StableRate(p)
	if err != nil {
		t.Fatal(err)
	}
	floor := func(noise float64) float64 {
		t.Helper()
		got, failed := Descend(p, clipTo("large", 10, 1), Options{Steps: 20000, LearningRate: rate, NoiseMultiplier: noise})
		if failed != nil {
			t.Fatal(failed)
		}
		if got.Monotone() || got.Against != 0 {
			t.Errorf("noise %v: the loss rose %d times, %d steps were against the gradient, want it to rise by noise alone", noise, got.Rises, got.Against)
		}
		sum := 0.0
		for _, v := range got.Losses[20:] {
			sum += v
		}
		return sum / 21
	}
	narrow, wide := floor(0.1), floor(0.2)
	if !(narrow > 0) || !(wide > 2*narrow) || !(wide < 8*narrow) {
		t.Errorf("floors are %v and with twice the noise %v, want about four times as much", narrow, wide)
	}
}

// TestVerdict takes the losses of a few shapes: at step t of 1000 the given number.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name string
		loss func(t float64) float64
		want Verdict
	}{
		{"flat", func(float64) float64 { return 2 }, AtRest},
		{"exponential to 1", func(t float64) float64 { return 1 + math.Exp(-t/50) }, AtRest},
		{"exponential to 0", func(t float64) float64 { return math.Exp(-t / 50) }, ReachedZero},
		{"one over t", func(t float64) float64 { return 1 / (1 + t/10) }, UnderWay},
		{"a line", func(t float64) float64 { return 2 - t/1000 }, UnderWay},
		{"a line that falls little", func(t float64) float64 { return 2 - t/1e6 }, UnderWay},
		{"up", func(t float64) float64 { return 1 + t }, AtRest},
	} {
		d := descent{options: Options{Steps: 1000}, out: &Trajectory{Start: c.loss(0)}}
		for step := range 1001 {
			d.tenths[step*10/1000] += c.loss(float64(step))
		}
		if d.finish(); d.out.Verdict() != c.want {
			t.Errorf("%s: got %q for %v, then %v, want %q", c.name, d.out.Verdict(), d.out.Late, d.out.Last, c.want)
		}
	}
}

// TestNormals compares the first moments of the stream with those of a normal distribution; over 10⁶ numbers their
// errors have standard deviations of 0.001, 0.0014 and 0.01, and five of them are a false alarm of 6e-7 each, once
// and for all, as the stream is fixed.
func TestNormals(t *testing.T) {
	var g unsafeNormals
	var one, two, four float64
	const n = 1_000_000
	for range n {
		v := g.next()
		one, two, four = one+v/n, two+v*v/n, four+v*v*v*v/n
	}
	if !(math.Abs(one) <= 0.005) || !(math.Abs(two-1) <= 0.0075) || !(math.Abs(four-3) <= 0.05) {
		t.Errorf("mean %v, variance %v, fourth moment %v, want 0, 1 and 3", one, two, four)
	}
}

// TestNorms counts by hand.
func TestNorms(t *testing.T) {
	n := NewNorms("part", []float64{4, 0, 1, 2, 3, 20, 5, 6, 7, 8})
	if got := n.Quantile(0.5); got != 4 {
		t.Errorf("median: got %v, want 4", got)
	}
	if a, b, c := n.Clipped(4), n.Clipped(0), n.Clipped(20); a != 0.5 || b != 0.9 || c != 0 {
		t.Errorf("clipped at 4, 0 and 20: got %v, %v and %v, want 0.5, 0.9 and 0", a, b, c)
	}
	// Edges are 0, then 1, 1.47, 2.15, 3.16, 4.64, 6.81, 10, 14.7, 21.5.
	want := []int{1, 1, 1, 1, 1, 2, 2, 0, 1}
	sum := 0
	for i, count := range n.Counts {
		sum += count
		if i >= len(want) || count != want[i] {
			t.Errorf("histogram: got %v at edges %v, want %v", n.Counts, n.Edges, want)
			break
		}
	}
	if sum != 10 || len(n.Edges) != 10 || n.Edges[1] != 1 {
		t.Errorf("histogram: %d numbers at edges %v, want 10", sum, n.Edges)
	}
	if zeros := NewNorms("part", []float64{0, 0}); zeros.Counts[0] != 2 || zeros.Clipped(0) != 0 {
		t.Errorf("zeros: got %+v", zeros)
	}
}

// TestGradientNormsAreThoseOfTheGradients compares with gradients that are formed from the Jacobian.
func TestGradientNormsAreThoseOfTheGradients(t *testing.T) {
	for name, p := range problems(t) {
		jacobian, err := Jacobian(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := GradientNorms(p, each(p))
		if err != nil {
			t.Fatal(err)
		}
		k, f := p.Network.Output().Size(), outputs(p, p.Weights)
		for i, label := range p.Labels {
			from, whole := 0, 0.0
			for b, block := range p.Network.Blocks() {
				norm := 0.0
				for j := range block.Numbers() {
					v := 0.0
					for o := range k {
						v += (f[i*k+o] - label) * jacobian.At(i*k+o, from+j)
					}
					norm = math.Hypot(norm, v)
				}
				from += block.Numbers()
				whole = math.Hypot(whole, norm)
				if !(math.Abs(got[b+1][i]-norm) <= 1e-9*(norm+1e-3)) {
					t.Errorf("%s: record %d, block %s: got %v, want %v", name, i, block.Name, got[b+1][i], norm)
				}
			}
			if !(math.Abs(got[0][i]-whole) <= 1e-9*whole) || !(whole > 0) {
				t.Errorf("%s: record %d: got %v, want %v", name, i, got[0][i], whole)
			}
		}
	}
}
