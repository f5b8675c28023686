package neural

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
)

// free pays for everything.
type free struct{}

func (free) Pay(mechanism.Event) error { return nil }

// tokens is how many there are in the rows of texts.
const tokens = 6

// networksUnderTest are networks over 12 numbers with 3 outputs.
func networksUnderTest() map[string]Request {
	out := network.Linear{Outputs: 3}
	return map[string]Request{
		"linear": {Layers: network.Layers{out}},
		"mlp":    {Layers: network.Layers{network.Linear{Outputs: 7}, network.Activation{Function: "tanh"}, out}},
		"positions": {Input: network.Shape{3, 4}, Layers: network.Layers{network.Linear{Outputs: 5}, network.Activation{Function: "relu"}, network.Flatten{},
			network.LayerNorm{}, out}},
		"text":   {Layers: network.Layers{network.EmbeddingBag{Vocabulary: tokens, Features: 3}, network.Linear{Outputs: 4}, network.Activation{Function: "tanh"}, out}},
		"sparse": {Layers: network.Layers{network.SparseLinear{Outputs: 4}, network.Activation{Function: "tanh"}, out}},
		"cnn":    {Input: network.Shape{2, 3, 2}, Layers: network.Layers{network.Conv{Channels: 4, Kernel: 2}, network.Activation{Function: "tanh"}, network.Flatten{}, out}},
	}
}

// clippingsUnderTest holds every rule, of the whole gradient and in groups.
func clippingsUnderTest() map[string]ClippingRequest {
	all := map[string]ClippingRequest{}
	for _, rule := range ruleNames() {
		all[rule] = ClippingRequest{Rule: rule, Norm: 1.5}
		if rule == (projected{}).name() {
			continue
		}
		all[rule+" by layers"] = ClippingRequest{Rule: rule, PerLayer: true, Norm: 0.7, Allocation: option.AllocationDimension}
	}
	return all
}

// testRows are records for a network under test, whose numbers are between 0 and 1, mostly zeros, or tokens, with labels of 3 classes, a few without any.
func testRows(t testing.TB, n, dim int, network string) *release.Rows {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 1))
	labels := make([]float32, n)
	for i := range labels {
		if labels[i] = float32(r.IntN(3)); i%17 == 16 {
			labels[i] = float32(math.NaN())
		}
	}
	o, text := release.RowsOptions{Dim: dim, Step: 1.0 / math.MaxInt16, Labels: labels}, network == "text"
	if text {
		o.Step = 1
	}
	if network == "sparse" {
		o.Type = release.Sparse
	}
	rows, err := release.NewRows(n, o, func(dst []float64, first, _ int) {
		r := rand.New(rand.NewPCG(5, uint64(first)))
		for j := range dst {
			if dst[j] = r.Float64(); text {
				dst[j] = float64(r.IntN(tokens+1) - 1)
			}
			if o.Type == release.Sparse && r.IntN(3) > 0 {
				dst[j] = 0
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// testRun returns a run without noise of a network and a clipping over rows, whose sums can be looked at.
func testRun(t testing.TB, r Request, c ClippingRequest, rows *release.Rows) *run {
	t.Helper()
	return testRunOf(t, r, c, records{rows: rows, slots: rows.Len()})
}

// testRunOf is testRun over records, which may be persons.
func testRunOf(t testing.TB, r Request, c ClippingRequest, of records) *run {
	t.Helper()
	rows := of.rows
	input := r.Input
	if input == nil {
		input = network.Shape{rows.Dim()}
	}
	n, err := network.New(input, r.Layers...)
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Subject: certificate.Subject{Records: rows.Len(), MaxRecords: rows.Len()}, Sampling: Sampling{Kind: option.SamplingFull}, Steps: 1, NonPrivate: true}
	if p.Clipping, err = c.clipping(n, 10); err != nil {
		t.Fatal(err)
	}
	if of.persons != nil {
		p.Person = &train.PersonUnit{Column: "who", MaxRows: rows.Len()}
	}
	p.Network.Input, p.Network.Layers, p.Network.Trained = n.Input(), n.Layers(), n.Trained()
	if p.Loss.Name = "softmax"; n.Output().Size() == 1 {
		p.Loss.Name = "logistic"
	}
	if err = p.validateModel(); err != nil {
		t.Fatal(err)
	}
	loss, err := p.Loss.Loss()
	if err != nil {
		t.Fatal(err)
	}
	out, err := newRun(Setup{Plan: p, Loss: loss, Network: n}, Options{}, free{}, free{}, of, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sumsOf returns what some of the records add up to, release by release, before noise.
func sumsOf(t testing.TB, r *run, records ...int) [][]float64 {
	t.Helper()
	sample, err := release.Draw(release.Full(), r.records())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.workers) == 0 {
		r.workers = append(r.workers, newWorker(r))
	}
	w := r.workers[0]
	if w.sums, err = r.newSums(sample); err != nil {
		t.Fatal(err)
	}
	for _, part := range r.parts(records, r.chunk()) {
		if err = w.add(part); err != nil {
			t.Fatal(err)
		}
	}
	var out [][]float64
	for _, sealed := range w.sums.seal() {
		noisy, failed := release.Release(free{}, mechanism.NonPrivate{}, sealed)
		if failed != nil {
			t.Fatal(failed)
		}
		out = append(out, noisy.Values())
	}
	return out
}

// bounds are what one record may move each release of a run by.
func (r *run) bounds() []float64 {
	var out []float64
	for _, l := range r.levels {
		out = append(out, r.Plan.Clipping.bound(l.norm))
	}
	if r.Plan.Clipping.Adaptive != nil {
		out = append(out, r.Plan.Clipping.countRadius())
	}
	return out
}

func distance(a, b []float64) float64 {
	d := make([]float64, len(a))
	for j := range a {
		d[j] = a[j] - b[j]
	}
	return kernel.Norm(d)
}

// TestOneRecordMovesEverySumByAtMostItsBound compares the sums of random batches with those of their neighbors, at
// random weights and levels, for every rule and some networks; and looks for one that moves nearly so much.
func TestOneRecordMovesEverySumByAtMostItsBound(t *testing.T) {
	const records, pairs = 200, 1000
	few := 200 // unless some release needs more to be moved so far
	if thorough {
		few = pairs
	}
	for network, request := range networksUnderTest() {
		for clipping, c := range clippingsUnderTest() {
			if c.Rule == (projected{}).name() {
				continue // internal/release clips, and holds its sum to the bound
			}
			t.Run(fmt.Sprint(network, " ", clipping), func(t *testing.T) {
				random := rand.New(rand.NewPCG(5, 2))
				r := testRun(t, request, c, testRows(t, records, 12, network))
				first, farthest, different, compared := r.levels, make([]float64, len(r.bounds())), 0, 0
				for compared < few || compared < pairs && slices.Min(farthest) < 0.95 {
					compared++
					scale := math.Exp(2 * random.NormFloat64())
					for j := range r.weights {
						r.weights[j] = scale * random.NormFloat64()
					}
					r.copyWeights(r.weights)
					r.levels = append([]level(nil), first...)
					for k := range r.levels {
						by := math.Exp(3 * random.NormFloat64())
						r.levels[k].norm *= by
						r.levels[k].threshold *= by
						r.levels[k].stability *= by
					}
					batch := random.Perm(records)[:random.IntN(4)]
					added := random.IntN(records)
					for contains(batch, added) {
						added = random.IntN(records)
					}
					without, with := sumsOf(t, r, batch...), sumsOf(t, r, append(batch, added)...)
					for k, bound := range r.bounds() {
						moved := distance(with[k], without[k]) / bound
						if !(moved <= 1+1e-9) {
							t.Fatalf("a record moves release %d by %v of its bound", k, moved)
						}
						if farthest[k] = max(farthest[k], moved); moved > 0 {
							different++
						}
					}
				}
				for k, moved := range farthest {
					if moved < 0.95 {
						t.Errorf("records move release %d by %v of its bound at most, want one that moves it by 0.95", k, moved)
					}
				}
				if different < compared/4 {
					t.Errorf("%d of %d neighbors differ, want a good part", different, compared)
				}
			})
		}
	}
}

func contains(batch []int, i int) bool {
	for _, j := range batch {
		if i == j {
			return true
		}
	}
	return false
}

// TestProjectedGradientsAreThoseOfTheRecords compares sums of gradients that are formed record by record with those
// of factors, where nothing is clipped: those are off by 1/510 of the largest number of a record's factor.
func TestProjectedGradientsAreThoseOfTheRecords(t *testing.T) {
	for network, request := range networksUnderTest() {
		rows := testRows(t, 40, 12, network)
		plain, projects := testRun(t, request, ClippingRequest{Norm: 50}, rows), testRun(t, request, ClippingRequest{Norm: 5000, Rule: "projected", Cap: 1000}, rows)
		r := rand.New(rand.NewPCG(5, 2)) // weights of chance make gradients beyond the norm now and then
		for j := range plain.weights {
			plain.weights[j] = 0.3 * r.NormFloat64()
		}
		plain.copyWeights(plain.weights)
		projects.copyWeights(plain.weights)
		var got [2][]float64
		for i, r := range []*run{plain, projects} {
			noisy, err := r.release()
			if err != nil {
				t.Fatal(err)
			}
			got[i] = noisy[0].Values()
		}
		if d, norm := distance(got[0], got[1]), kernel.Norm(got[1]); !(d < 0.02*norm) {
			t.Errorf("%s: the sums, of norm %v, are %v apart, want 2 %% at most", network, norm, d)
		}
	}
}

// testNetwork has two layers.
func testNetwork(t testing.TB) *network.Network {
	t.Helper()
	n, err := network.New(network.Shape{12}, networksUnderTest()["mlp"].Layers...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
