package dynamics

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/network"
	"gonum.org/v1/gonum/mat"
)

// squared is (f - y)²/2, summed over the outputs, with a label for all of them.
type squared struct{}

func (squared) Value(outputs []float64, label float64) float64 {
	sum := 0.0
	for _, v := range outputs {
		sum += (v - label) * (v - label) / 2
	}
	return sum
}

func (squared) Residuals(dst, outputs []float64, label float64) {
	for k, v := range outputs {
		dst[k] = v - label
	}
}

func (squared) Smoothness() float64 { return 1 }

// problems are small networks of all kinds of factors, over random records.
func problems(t *testing.T) map[string]Problem {
	t.Helper()
	tanh := network.Activation{Function: "tanh"}
	out := map[string]Problem{}
	for name, c := range map[string]struct {
		in     network.Shape
		layers network.Layers
	}{
		"mlp":  {network.Shape{4}, network.MLP(2, 5)},
		"cnn":  {network.Shape{4, 4, 1}, network.Layers{network.Conv{Channels: 3, Kernel: 2}, tanh, network.Flatten{}, network.Linear{Outputs: 3}}},
		"text": {network.Shape{4}, network.Layers{network.EmbeddingBag{Vocabulary: 6, Features: 3}, network.Linear{Outputs: 4}, tanh, network.Linear{Outputs: 2}}},
		"frozen": {network.Shape{4}, network.Layers{network.Frozen{Layers: network.Layers{network.Linear{Outputs: 4}, tanh}},
			network.LayerNorm{}, network.Linear{Outputs: 2}}},
	} {
		n, err := network.New(c.in, c.layers...)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(7, 7))
		p := Problem{Network: n, Loss: squared{}, Inputs: make([]float64, 5*n.Input().Size()), Labels: make([]float64, 5), Weights: make([]float64, n.Weights())}
		for i := range p.Inputs {
			if p.Inputs[i] = r.NormFloat64(); name == "text" {
				p.Inputs[i] = float64(r.IntN(7) - 1)
			}
		}
		for i := range p.Labels {
			p.Labels[i] = r.NormFloat64()
		}
		for j := range p.Weights {
			p.Weights[j] = r.NormFloat64() / 2
		}
		out[name] = p
	}
	return out
}

// outputs are those of a network at other weights.
func outputs(p Problem, weights []float64) []float64 {
	tape := network.NewTape[float64](p.Network, len(p.Labels))
	return append([]float64(nil), tape.Forward(p.Inputs, len(p.Labels), weights)...)
}

// TestJacobianIsTheDerivative compares with central differences. Their error is about h²/6 times a third
// derivative and 1e-16/h: below 1e-8 for h = 1e-5.
func TestJacobianIsTheDerivative(t *testing.T) {
	for name, p := range problems(t) {
		jacobian, err := Jacobian(p)
		if err != nil {
			t.Fatal(err)
		}
		const h = 1e-5
		varied := 0
		for j := range p.Network.Trained() {
			w := append([]float64(nil), p.Weights...)
			w[j] += h
			above := outputs(p, w)
			w[j] -= 2 * h
			for i, low := range outputs(p, w) {
				want := (above[i] - low) / (2 * h)
				if got := jacobian.At(i, j); !(math.Abs(got-want) <= 1e-8) {
					t.Fatalf("%s: output %d by weight %d: got %v, want %v", name, i, j, got, want)
				}
				if want != 0 {
					varied++
				}
			}
		}
		if varied < 20 {
			t.Errorf("%s: %d derivatives are not 0, want more", name, varied)
		}
	}
}

// each is one group for each block.
func each(p Problem) []int {
	out := make([]int, len(p.Network.Blocks()))
	for i := range out {
		out[i] = 1
	}
	return out
}

// TestKernelIsSymmetricAndPositive holds H to J·Jᵀ, formed by another order of the same sums, and to the two
// properties that such a matrix has.
func TestKernelIsSymmetricAndPositive(t *testing.T) {
	for name, p := range problems(t) {
		tangent, err := NewKernel(p, each(p))
		if err != nil {
			t.Fatal(err)
		}
		jacobian, err := Jacobian(p)
		if err != nil {
			t.Fatal(err)
		}
		var want, difference mat.Dense
		j := mat.NewDense(jacobian.Rows, jacobian.Columns, jacobian.Data)
		want.Mul(j, j.T())
		difference.Sub(&want, mat.NewDense(jacobian.Rows, jacobian.Rows, tangent.Sum().Data))
		if !(mat.Norm(&difference, 2) <= 1e-12*mat.Norm(&want, 2)) {
			t.Errorf("%s: H differs from J·Jᵀ by %v", name, mat.Norm(&difference, 2))
		}
		ones := make([]float64, len(p.Labels))
		for i := range ones {
			ones[i] = 1
		}
		c, err := Describe(tangent.Clipped([][]float64{ones}))
		if err != nil {
			t.Fatal(err)
		}
		if !(c.Asymmetry <= 1e-12) || !(c.Least >= -1e-12*c.Norm) || !(c.LeastForm >= -1e-12*c.Norm) || !c.Symmetric() || !c.Positive() || !c.PositiveForm() {
			t.Errorf("%s: H has %+v, want it symmetric and positive", name, c)
		}
		if !(math.Abs(c.Trace-mat.Trace(&want)) <= 1e-12*c.Trace) {
			t.Errorf("%s: trace is %v, want %v", name, c.Trace, mat.Trace(&want))
		}
	}
}

// TestClippedKernelMovesTheOutputs takes one small step along clipped gradients. The outputs must move by
// -M·∂L/∂f times the step, up to its square: halving the step halves the rest, relative to the move.
func TestClippedKernelMovesTheOutputs(t *testing.T) {
	for name, p := range problems(t) {
		for _, groups := range [][]int{{len(p.Network.Blocks())}, each(p)} {
			c := Clipping{Groups: groups, Weight: func(r int, norm float64) float64 { return min(1, 0.3*float64(r+1)/norm) }}
			tangent, err := NewKernel(p, groups)
			if err != nil {
				t.Fatal(err)
			}
			scales, err := Scales(p, c)
			if err != nil {
				t.Fatal(err)
			}
			w := newPass(p)
			w.at(p.Weights)
			move := dense.Apply(tangent.Clipped(scales), w.slopes)
			sum := make([]float64, p.Network.Trained())
			w.add(sum, groups, scales)
			before := outputs(p, p.Weights)
			rest := func(h float64) float64 {
				weights := append([]float64(nil), p.Weights...)
				for j, v := range sum {
					weights[j] -= h * v
				}
				off := 0.0
				for i, after := range outputs(p, weights) {
					off = math.Hypot(off, (after-before[i])/h+move[i])
				}
				return off / kernel.Norm(move)
			}
			if wide, narrow := rest(1e-3), rest(5e-4); !(wide < 0.01) || !(narrow < 0.6*wide+1e-10) {
				t.Errorf("%s in groups %v: the outputs move otherwise than the kernel says by %v and with half the step %v, want less than 0.01 and about half", name, groups, wide, narrow)
			}
		}
	}
}

// TestDescribe compares with matrices whose eigenvalues are known: [[a,b],[c,d]] has a trace and a determinant.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name                                 string
		m                                    []float64
		least, form                          float64
		symmetric, positive, positiveForm, r bool
	}{
		{"identity", []float64{1, 0, 0, 1}, 1, 1, true, true, true, true},
		{"semidefinite", []float64{1, 1, 1, 1}, 0, 0, true, true, true, false},
		// λ = 1 and 1; the form has 1 ± 5/2.
		{"triangular", []float64{1, 5, 0, 1}, 1, -1.5, false, true, false, true},
		// λ = 1 ± 2i.
		{"rotation", []float64{1, 2, -2, 1}, 1, 1, false, true, true, true},
		// λ² - 2λ - 3 = 0: 3 and -1.
		{"indefinite", []float64{1, 4, 1, 1}, -1, -1.5, false, false, false, false},
		{"zero", []float64{0, 0, 0, 0}, 0, 0, true, true, true, false},
	} {
		got, err := Describe(kernel.NewMatrix(c.m, 2, 2))
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got.Least-c.least) <= 1e-7) || !(math.Abs(got.LeastForm-c.form) <= 1e-12) ||
			got.Symmetric() != c.symmetric || got.Positive() != c.positive || got.PositiveForm() != c.positiveForm || got.Regular() != c.r {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c)
		}
	}
	// M - Mᵀ has ±4 beside the diagonal, M the norm √10.
	turned, err := Describe(kernel.NewMatrix([]float64{1, 2, -2, 1}, 2, 2))
	if err != nil || !(math.Abs(turned.Asymmetry-math.Sqrt(3.2)) <= 1e-12) {
		t.Errorf("rotation: got asymmetry %v and %v, want √3.2", turned.Asymmetry, err)
	}
	if _, err := Describe(kernel.NewMatrix([]float64{math.NaN()}, 1, 1)); err == nil {
		t.Error("a matrix with NaN: got no error")
	}
}

// TestRefusals wants errors that name what is wrong.
func TestRefusals(t *testing.T) {
	good := problems(t)["mlp"]
	short, frozen := good, good
	short.Weights = good.Weights[1:]
	n, err := network.New(network.Shape{4}, network.Frozen{Layers: network.MLP(2, 5)})
	if err != nil {
		t.Fatal(err)
	}
	frozen.Network = n
	for _, c := range []struct {
		p      Problem
		groups []int
		want   string
	}{
		{Problem{}, []int{2}, "missing"}, {short, []int{2}, "weights"}, {frozen, []int{2}, "to train"}, {good, []int{1}, "groups"}, {good, []int{0, 2}, "groups"},
	} {
		if _, err = NewKernel(c.p, c.groups); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("groups %v: got error %v, want one with %q", c.groups, err, c.want)
		}
	}
	for _, o := range []Options{{}, {Steps: 1}, {Steps: 1, LearningRate: math.Inf(1)}, {Steps: 1, LearningRate: 1, NoiseMultiplier: -1}} {
		if _, err = Descend(good, Clipping{Groups: []int{2}}, o); err == nil || !strings.Contains(err.Error(), "steps") {
			t.Errorf("%+v: got error %v, want one with steps", o, err)
		}
	}
	if _, err = Descend(good, Clipping{Name: "big", Groups: []int{2}}, Options{Steps: 400, LearningRate: 1e6}); err == nil || !strings.Contains(err.Error(), "finite") {
		t.Errorf("a rate that is too large: got error %v", err)
	}
}
