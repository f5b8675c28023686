package release

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// toyRecord is one record of the tests of minimizers.
type toyRecord struct {
	x     []float64
	label float32
}

// toyRows puts records on a fine grid, seen as they are.
func toyRows(t testing.TB, dim int, records []toyRecord) *Rows {
	t.Helper()
	labels := make([]float32, len(records))
	for i, r := range records {
		labels[i] = r.label
	}
	rows, err := NewRows(len(records), RowsOptions{Dim: dim, Step: 0x1p-14, Labels: labels}, func(dst []float64, first, n int) {
		for i := range n {
			copy(dst[i*dim:], records[first+i].x)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// toyLosses are the losses with a number of scores.
var toyLosses = []struct {
	loss    Loss
	columns int
}{{LogisticLoss(), 1}, {OneVsRestLoss(), 3}, {SoftmaxLoss(), 3}, {HuberLoss(0.25), 1}, {QuantileLoss(0.3, 0.1), 1}, {HingeLoss(0.5), 1}}

// randomRecord draws a record of norm at most 1, often 1.
func randomRecord(r *rand.Rand, dim int, l Loss, columns int) toyRecord {
	x, norm := make([]float64, dim), 0.0
	for j := range x {
		x[j] = r.NormFloat64()
		norm = math.Hypot(norm, x[j])
	}
	size := min(1, 2*r.Float64()) / norm
	for j := range x {
		x[j] *= size
	}
	if l.kind == lossHuber || l.kind == lossQuantile {
		return toyRecord{x, float32(2*r.Float64() - 1)}
	}
	return toyRecord{x, float32(r.IntN(max(2, columns)))}
}

// minimizer returns the integers that Minimize seals, and the sealed value.
func minimizer(t testing.TB, p Problem, rows *Rows, norm Norm) *bounded {
	t.Helper()
	var noise mechanism.Noise = mechanism.Gaussian{NoiseMultiplier: 5}
	if norm.kind != normL2 {
		noise = mechanism.KNorm{NoiseMultiplier: 5}
	}
	b, err := p.Minimize(context.Background(), rows, noise, norm)
	if err != nil {
		t.Fatal(err)
	}
	return b.state
}

// slowGradient is exactGradient of records on the grid of toyRows.
func slowGradient(p Problem, dim int, records []toyRecord, w []float64) []float64 {
	onGrid := make([]toyRecord, len(records))
	for i, r := range records {
		onGrid[i].label = r.label
		for _, x := range r.x {
			onGrid[i].x = append(onGrid[i].x, math.Round(x*0x1p14)*0x1p-14)
		}
	}
	return exactGradient(p, dim, onGrid, w)
}

// exactGradient computes the gradient of J one number after the other, from the definition of the losses.
func exactGradient(p Problem, dim int, records []toyRecord, w []float64) []float64 {
	g := make([]float64, len(w))
	for j := range w {
		g[j] = p.Ridge * w[j]
	}
	for _, r := range records {
		z, total := make([]float64, p.Columns), 0.0
		for k := range z {
			for j, x := range r.x {
				z[k] += x * w[k*dim+j]
			}
			total += math.Exp(z[k])
		}
		for k := range z {
			a, own := 0.0, float64(r.label) == float64(k)
			switch p.Loss.kind {
			case lossHuber:
				a = max(-p.Loss.width, min(p.Loss.width, z[k]-float64(r.label)))
			case lossQuantile:
				a = max(-p.Loss.quantile, min(1-p.Loss.quantile, 0.5-p.Loss.quantile+(z[k]-float64(r.label))/(2*p.Loss.width)))
			case lossHinge:
				y := 2*float64(r.label) - 1
				a = -y * max(0, min(1, 0.5+(1-y*z[k])/(2*p.Loss.width)))
			case lossSoftmax:
				if a = math.Exp(z[k]) / total; own {
					a--
				}
			case lossOneVsRest:
				if a = 1 / (1 + math.Exp(-z[k])); own {
					a--
				}
			default:
				a = 1/(1+math.Exp(-z[k])) - float64(r.label)
			}
			for j, x := range r.x {
				g[k*dim+j] += a * x
			}
		}
	}
	return g
}

// TestMinimizeFindsTheMinimum compares with gradient descent from the definition of the losses: 60000 steps
// of 1/M contract the distance by exp(-60000·Ridge/M) < 1e-12.
func TestMinimizeFindsTheMinimum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const dim = 3
	for _, c := range toyLosses {
		p := Problem{Loss: c.loss, Columns: c.columns, Radius: 1.001, Ridge: 0.3, MaxRecords: 400}
		var records []toyRecord
		for range 300 {
			records = append(records, randomRecord(r, dim, c.loss, c.columns))
		}
		got := minimizer(t, p, toyRows(t, dim, records), L2())
		w := make([]float64, dim*c.columns)
		for range 60000 {
			g := slowGradient(p, dim, records, w)
			size := 0.0
			for j := range w {
				w[j] -= g[j] / (p.Ridge + 300*p.Curvature())
				size = math.Hypot(size, g[j])
			}
			if size < 1e-11 {
				break
			}
		}
		for j, v := range got.values {
			if d := math.Abs(float64(v)*got.unit - w[j]); !(d <= 1e-8) {
				t.Errorf("%v: weight %d is %v, want %v", c.loss, j, float64(v)*got.unit, w[j])
			}
		}
	}
}

// TestMinimizersAreWithinTheirTolerance hands the check of minimizers what a wrong search may return:
// points just beyond the tolerance, numbers that are none, and vectors of another length.
func TestMinimizersAreWithinTheirTolerance(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, c := range toyLosses {
		p := Problem{Loss: c.loss, Columns: c.columns, Radius: 1.001, Ridge: 0.5, MaxRecords: 1000}
		var records []toyRecord
		for range 600 { // more than one chunk
			records = append(records, randomRecord(r, 3, c.loss, c.columns))
		}
		m := newMinimization(p, toyRows(t, 3, records), nil, p.Tolerance(3, 0))
		right, err := m.search(t.Context())
		if right, err = m.holds(right, err); err != nil {
			t.Fatalf("%v: the minimizer is refused: %v", c.loss, err)
		}
		for name, change := range map[string]func(w []float64) []float64{
			"beyond the tolerance":  func(w []float64) []float64 { w[0] += 2 * m.tolerance / p.Ridge; return w },
			"a number that is none": func(w []float64) []float64 { w[0] = math.NaN(); return w },
			"an infinite number":    func(w []float64) []float64 { w[0] = math.Inf(-1); return w },
			"the largest number":    func(w []float64) []float64 { w[0] = math.MaxFloat64; return w },
			"zeros":                 func(w []float64) []float64 { clear(w); return w },
			"a number less":         func(w []float64) []float64 { return w[1:] },
			"a number more":         func(w []float64) []float64 { return append(w, 0) },
			"no numbers":            func([]float64) []float64 { return nil },
		} {
			if w, err := m.holds(change(slices.Clone(right)), nil); w != nil || !errors.Is(err, ErrComputation) {
				t.Errorf("%v, %s: got error %v, want %v and no weights", c.loss, name, err, ErrComputation)
			}
		}
	}
}

// emptied is storage of rows that are zeros after a number of readings.
type emptied struct {
	storage
	left *atomic.Int64
}

func (e emptied) CopyRow(dst []int16, i int) {
	if e.storage.CopyRow(dst, i); e.left.Add(-1) < 0 {
		clear(dst)
	}
}

// TestMinimizersAreCheckedAfterTheSearch lets the one row be zeros after each number of readings. If
// this begins after a search, the release is refused. A search that sees zeros gives up after more than halvings
// further readings, so such refusals do not count. Each search takes from 1 to 40 readings. So all
// 20 runs for each number find none that is refused with a probability of at most exp(-20) < 1e-8.
func TestMinimizersAreCheckedAfterTheSearch(t *testing.T) {
	p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 1, MaxRecords: 10}
	for name, run := range map[string]func(*Rows) error{
		"Minimize": func(rows *Rows) error {
			_, err := p.Minimize(t.Context(), rows, mechanism.Gaussian{NoiseMultiplier: 100}, L2())
			return err
		},
		"SolveObjective": func(rows *Rows) error {
			_, err := SolveObjective(t.Context(), &noted{}, mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.26}, p, rows, mechanism.Gaussian{NoiseMultiplier: 100})
			return err
		},
	} {
		refused := 0
		for trial := range 20 * 40 {
			rows := toyRows(t, 1, []toyRecord{{[]float64{1}, 1}})
			e := emptied{rows.x, new(atomic.Int64)}
			e.left.Store(int64(1 + trial%40))
			rows.x = e
			if stops(t, Bounded{}, run(rows)) && -e.left.Load() <= halvings {
				refused++
			}
		}
		if refused == 0 {
			t.Errorf("%s never refuses a result that its search and its check see otherwise", name)
		}
	}
}

// TestGradientsAreTheirDefinition compares the gradient in portable code, and that of the search,
// with the definition of the losses. The rows are of each type, and of each way to normalize.
func TestGradientsAreTheirDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	const n, dim = 300, 5
	own := slices.DeleteFunc(frames(r, dim), func(f Standardization) bool { return f.Whitening != nil })
	for trial, kind := range slices.Repeat(rowTypes, 12) {
		c, f := toyLosses[trial%len(toyLosses)], own[r.IntN(len(own))]
		rows := typedRows(t, coordinates(r, kind, n, dim), kind, f, 0, n)
		rows.labels = make([]float32, n)
		records := make([]toyRecord, n)
		p := Problem{Loss: c.loss, Columns: c.columns, Radius: 1e6, Ridge: 0.1, MaxRecords: n}
		m := newMinimization(p, rows, nil, 0)
		for i := range records {
			rows.labels[i] = randomRecord(r, 1, c.loss, c.columns).label
			records[i] = toyRecord{make([]float64, m.dim), rows.labels[i]}
			block, err := rows.Load(i, 1, Block{})
			if err != nil {
				t.Fatal(err)
			}
			block.AddTo(records[i].x, 0, []float64{1}, make([]int16, dim))
		}
		w := make([]float64, m.dim*c.columns)
		for j := range w {
			w[j] = 1e-2 * r.NormFloat64()
		}
		want := exactGradient(p, m.dim, records, w)
		for name, g := range map[string][]float64{"portable": m.gradient(w), "search": (&newtonSearch{minimization: m, scores: make([]float64, n*c.columns)}).gradient(w)} {
			if apart := apartBy(g, want); !(apart <= 1e-9*(1+normOf(want))) {
				t.Errorf("%v rows, %+v, %v: the %s gradient is %v, want %v", kind, f, c.loss, name, g, want)
			}
		}
	}
}

// TestMinimizeSensitivity holds the integers of random neighbors, with and without a record, to the bound,
// in every norm.
func TestMinimizeSensitivity(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range toyLosses {
		largest := 0.0
		for pair := range trials(100, 250) {
			dim := 1 + r.IntN(3)
			norm := []Norm{L2(), L1(), LInfinity()}[pair%3]
			p := Problem{Loss: c.loss, Columns: c.columns, Radius: 1, Ridge: math.Exp(3*r.Float64() - 1.5), MaxRecords: 100}
			var records []toyRecord
			for range 1 + r.IntN(8) {
				records = append(records, randomRecord(r, dim, c.loss, c.columns))
			}
			with, without := minimizer(t, p, toyRows(t, dim, records), norm), minimizer(t, p, toyRows(t, dim, records[1:]), norm)
			largest = max(largest, checkDistance(t, c.loss, with, without))
		}
		if largest < 0.2 {
			t.Errorf("%v: random neighbors move at most %v of the bound, want the test to see movement", c.loss, largest)
		}
	}
}

// checkDistance returns the distance of two sealed vectors in bounds of their grid.
func checkDistance(t testing.TB, l Loss, a, b *bounded) float64 {
	t.Helper()
	q, v := make([]int64, len(a.values)), make([]float64, len(a.values))
	for j := range q {
		q[j] = a.values[j] - b.values[j]
		v[j] = float64(q[j])
	}
	moved := a.grid.norm.float(v) / float64(a.grid.bound)
	if a.grid != b.grid || a.unit != b.unit || !a.grid.norm.within(q, a.grid.bound) {
		t.Errorf("%v in %v: neighbors move by %v bounds, want at most 1", l, a.grid.norm, moved)
	}
	return moved
}

// TestMinimizeSensitivityIsReached builds neighbors that move by nearly the bound: many short rows push the
// scores to where the losses are linear, with next to no curvature, and one row of norm 1 is wrong there.
func TestMinimizeSensitivityIsReached(t *testing.T) {
	for _, c := range []struct {
		loss           Loss
		columns        int
		ridge          float64
		push, opposite float32
	}{{LogisticLoss(), 1, 1, 1, 0}, {SoftmaxLoss(), 2, 1, 1, 0}, {HuberLoss(0.25), 1, 0.25, 1, -1}, {QuantileLoss(0.5, 0.1), 1, 0.5, 1, -1}, {HingeLoss(0.2), 1, 1, 1, 0}} {
		p := Problem{Loss: c.loss, Columns: c.columns, Radius: 1, Ridge: c.ridge, MaxRecords: 10000}
		records := []toyRecord{{[]float64{1}, c.opposite}}
		for range 5200 {
			records = append(records, toyRecord{[]float64{0x1p-8}, c.push})
		}
		moved := checkDistance(t, c.loss, minimizer(t, p, toyRows(t, 1, records), L2()), minimizer(t, p, toyRows(t, 1, records[1:]), L2()))
		if moved < 0.95 {
			t.Errorf("%v: the worst neighbors move by %v bounds, want 0.95 or more", c.loss, moved)
		}
	}
}

func TestRowsBeyondTheRadiusAreShortened(t *testing.T) {
	rows := toyRows(t, 2, []toyRecord{{[]float64{1.2, 1.6}, 1}, {[]float64{0.3, 0.4}, 1}})
	m := newMinimization(Problem{Radius: 1}, rows, nil, 0)
	x := make([]float64, 2)
	m.row(x, m.newPart(), 0)
	if n := kernel.Norm(x); !(n <= 1 && n > 0.999999) || math.Abs(x[0]/x[1]-0.75) > 1e-4 {
		t.Errorf("a row of norm 2 is seen as %v, want norm 1", x)
	}
	m.row(x, m.newPart(), 1)
	if math.Abs(x[0]-0.3) > 1e-4 || math.Abs(x[1]-0.4) > 1e-4 {
		t.Errorf("a row of norm 0.5 is seen as %v, want as it is", x)
	}
}

func TestLabelsThatAreNoneContributeNothing(t *testing.T) {
	p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 1, MaxRecords: 10}
	good := []toyRecord{{[]float64{0.5}, 1}, {[]float64{0.25}, 0}}
	want := minimizer(t, p, toyRows(t, 1, good), L2())
	for _, label := range []float32{float32(math.NaN()), -1, 2, 0.5, float32(math.Inf(1))} {
		got := minimizer(t, p, toyRows(t, 1, append(good[:2:2], toyRecord{[]float64{1}, label})), L2())
		if d := math.Abs(float64(got.values[0]-want.values[0])) * got.unit; d > 1e-9 {
			t.Errorf("a record with label %v moves the minimizer by %v, want 0", label, d)
		}
	}
}

func TestProblemRefusals(t *testing.T) {
	good := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 1, MaxRecords: 10}
	rows := toyRows(t, 1, []toyRecord{{[]float64{0.5}, 1}})
	for name, change := range map[string]func(*Problem){
		"loss":        func(p *Problem) { p.Loss = Loss{} },
		"columns":     func(p *Problem) { p.Columns = 2 },
		"radius":      func(p *Problem) { p.Radius = math.NaN() },
		"ridge":       func(p *Problem) { p.Ridge = 0 },
		"max records": func(p *Problem) { p.MaxRecords = 0 },
		"huber":       func(p *Problem) { p.Loss = HuberLoss(-1) },
		"quantile":    func(p *Problem) { p.Loss = QuantileLoss(1, 0.1) },
		"hinge":       func(p *Problem) { p.Loss = HingeLoss(math.Inf(1)) },
	} {
		p := good
		change(&p)
		if _, err := p.Minimize(context.Background(), rows, mechanism.Gaussian{NoiseMultiplier: 1}, L2()); err == nil {
			t.Errorf("%s: %+v was taken", name, p)
		}
	}
	if _, err := good.Minimize(context.Background(), rows, mechanism.Gaussian{NoiseMultiplier: 1}, L1()); err == nil {
		t.Error("gaussian noise in l1 norm was taken")
	}
	whitened := typedRows(t, [][]float64{{0.5}}, Int16, Standardization{Normalize: NormalizeUnit, Whitening: &IntMatrix{Numbers: []int16{1}, Unit: 1}}, 0, 1)
	whitened.labels = []float32{1}
	if _, err := good.Minimize(context.Background(), whitened, mechanism.Gaussian{NoiseMultiplier: 1}, L2()); err == nil {
		t.Error("whitened rows were taken")
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := good.Minimize(stopped, rows, mechanism.Gaussian{NoiseMultiplier: 1}, L2()); err == nil {
		t.Error("a stopped search gave a result")
	}
}
