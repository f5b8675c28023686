package neural

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// testPersons deals rows to persons with 1 to most rows, whose rows do not stand together.
func testPersons(rows, most int) [][]int {
	r := rand.New(rand.NewPCG(5, 9))
	order := r.Perm(rows)
	var out [][]int
	for len(order) > 0 {
		n := min(len(order), 1+len(out)%most)
		person := slices.Clone(order[:n])
		slices.Sort(person)
		out, order = append(out, person), order[n:]
	}
	return out
}

// personRun is a run over persons with 1 to 4 rows, at random weights.
func personRun(t testing.TB, name string, c ClippingRequest, rows int) *run {
	t.Helper()
	persons := testPersons(rows, 4)
	r := testRunOf(t, networksUnderTest()[name], c, records{rows: testRows(t, rows, 12, name), persons: persons, slots: len(persons)})
	random := rand.New(rand.NewPCG(5, 3))
	for j := range r.weights {
		r.weights[j] = random.NormFloat64()
	}
	r.copyWeights(r.weights)
	return r
}

// TestOnePersonMovesEverySumByAtMostItsBound compares the sums of random persons with the sums without one of them,
// at random weights and levels, for every rule and some networks.
func TestOnePersonMovesEverySumByAtMostItsBound(t *testing.T) {
	pairs, all, far := 15, 0, map[string]float64{}
	if thorough {
		pairs = 150
	}
	for name := range networksUnderTest() {
		for clipping, c := range clippingsUnderTest() {
			if c.Rule == (projected{}).name() {
				continue // internal/release clips, and holds its sum to the bound
			}
			random := rand.New(rand.NewPCG(5, 2))
			r := personRun(t, name, c, 100)
			first := r.levels
			for range pairs {
				all++
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
				some := random.Perm(len(r.persons))[:1+random.IntN(4)]
				without, with := sumsOf(t, r, sorted(some[1:])...), sumsOf(t, r, sorted(some)...)
				for k, bound := range r.bounds() {
					moved := distance(with[k], without[k]) / bound
					if !(moved <= 1+1e-9) {
						t.Fatalf("%s, %s: a person of %d rows moves release %d by %v of its bound", name, clipping, len(r.persons[some[0]]), k, moved)
					}
					far[clipping] = max(far[clipping], moved)
				}
			}
		}
	}
	if all < 1000 {
		t.Errorf("%d pairs were compared, want at least 1000", all)
	}
	for clipping, moved := range far {
		if moved < 0.7 {
			t.Errorf("%s: persons move releases by %v of the bound at most, want one that moves it by 0.7", clipping, moved)
		}
	}
}

func sorted(records []int) []int {
	out := slices.Clone(records)
	slices.Sort(out)
	return out
}

// gradientOf returns the gradient of a row, group by group, from the row's factors alone. It raises largest to the
// largest number in a left and in a right factor of each group.
func gradientOf(t *testing.T, r *run, row int, largest [][2]float64) (out [][]float64) {
	t.Helper()
	alone := *r
	alone.persons = nil
	w := newWorkerOf(&alone, 1)
	factors, err := w.factors([]int{row})
	if err != nil {
		t.Fatal(err)
	}
	for k, g := range r.groups {
		var whole []float64
		for _, f := range factors[g.first:g.end] {
			left := max(kernel.Largest(f.Lefts), kernel.Largest(f.Values))
			if f.Bias || f.Index != nil && f.Values == nil {
				left = max(left, 1)
			}
			largest[k] = [2]float64{max(largest[k][0], float64(left)), max(largest[k][1], float64(kernel.Largest(f.Rights)))}
			gradient := make([]float32, f.Numbers())
			w.space.AddSum(gradient, f, []float32{1})
			for _, v := range gradient {
				whole = append(whole, float64(v))
			}
		}
		out = append(out, whole)
	}
	return out
}

// TestPersonsAreClippedOnce adds up the gradients of a person's rows, which are measured alone, and clips the sum by
// the rule. What the person adds is this vector up to its rounding: 3 % of the norm. Where rows or positions cancel, it
// may be shorter, since its factors have 16 bits. For some persons clipping row by row would give a vector that is half
// as far away as the norm.
func TestPersonsAreClippedOnce(t *testing.T) {
	for name := range networksUnderTest() {
		apart, held, shorter := 0.0, 0, 0
		for clipping, c := range clippingsUnderTest() {
			if c.Rule == (projected{}).name() {
				continue
			}
			r := personRun(t, name, c, 24)
			used, err := ruleOf(c.Rule)
			if err != nil {
				t.Fatal(err)
			}
			for who, rows := range r.persons {
				want, separately, largest := make([][]float64, len(r.groups)), make([][]float64, len(r.groups)), make([][2]float64, len(r.groups))
				for _, row := range rows {
					for k, g := range gradientOf(t, r, row, largest) {
						want[k], separately[k] = plus(want[k], g, 1), plus(separately[k], g, weighted(used, kernel.Norm(g), r.levels[k]))
					}
				}
				got := sumsOf(t, r, who)
				for k := range r.groups {
					l := r.levels[k]
					w := weighted(used, kernel.Norm(want[k]), l)
					clipped, rowwise := plus(nil, want[k], w), separately[k]
					if long := kernel.Norm(rowwise); long > l.norm {
						rowwise = plus(nil, rowwise, l.norm/long) // as package release would shorten it
					}
					if kernel.Norm(want[k]) < largest[k][0]*largest[k][1] {
						long := kernel.Norm(clipped)
						clipped = plus(nil, clipped, min(1, kernel.Norm(got[k])/max(long, 1e-300)))
						shorter++
					} else {
						held++
					}
					if d := distance(got[k], clipped); !(d <= 0.03*l.norm) {
						t.Errorf("%s, %s: a person of %d rows adds a vector that is %v of the norm off", name, clipping, len(rows), d/l.norm)
					}
					apart = max(apart, distance(rowwise, clipped)/l.norm)
				}
			}
		}
		if held < 3*shorter {
			t.Errorf("%s: of %d vectors %d may be shorter, want a few", name, held+shorter, shorter)
		}
		if apart < 0.5 {
			t.Errorf("%s: clipping row by row differs by %v of the norm at most, want persons that tell it apart", name, apart)
		}
	}
}

// plus returns a + by·b. A nil vector is 0.
func plus(a, b []float64, by float64) []float64 {
	out := make([]float64, len(b))
	copy(out, a)
	for j, v := range b {
		out[j] += by * v
	}
	return out
}

// TestPersonsOfOneRowAreRows compares the sums of all rows, and of persons with one row each, bit for bit, and models
// trained on both without noise.
func TestPersonsOfOneRowAreRows(t *testing.T) {
	for name, request := range networksUnderTest() {
		for clipping, c := range clippingsUnderTest() {
			if c.Rule == (projected{}).name() {
				continue // its projections are drawn anew
			}
			of := records{rows: testRows(t, 40, 12, name), slots: 40}
			rows := testRun(t, request, c, of.rows)
			var all []int
			for i := range 40 {
				of.persons, all = append(of.persons, []int{i}), append(all, i)
			}
			persons := testRunOf(t, request, c, of)
			copy(persons.weights, rows.weights)
			persons.copyWeights(rows.weights)
			want, got := sumsOf(t, rows, all...), sumsOf(t, persons, all...)
			for k := range want {
				if !slices.Equal(want[k], got[k]) {
					t.Errorf("%s, %s: release %d differs between rows and persons of one row", name, clipping, k)
				}
			}
		}
	}
	names := make([]string, 120)
	for i := range names {
		names[i] = fmt.Sprint("p", i)
	}
	s, d := circle(t, names)
	fit := func(person *train.PersonUnit) []float32 {
		r := ask()
		r.Epsilon, r.Sampling, r.Epochs, r.Steps, r.Person = math.Inf(1), Sampling{Kind: option.SamplingFull}, 0, 6, person
		setup := setupOf(t, r, s)
		initial := make([]float32, setup.Network.Weights())
		setup.Network.Init(initial, 5)
		result, err := Fit(context.Background(), budget(t, r), setup, d, Options{Initial: initial})
		if err != nil {
			t.Fatal(err)
		}
		return result.Weights
	}
	if !slices.Equal(fit(nil), fit(&train.PersonUnit{Column: "who", MaxRows: 2})) {
		t.Error("training on rows and on persons of one row gives different weights")
	}
}

// TestPersonsLookAtThemselves adds up all persons in chunks of several sizes, on one and several processors, and one
// by one: the sums have the same bits, so no person's vector depends on other persons, chunks or processors. The order
// of a person's rows moves its vector by rounding alone.
func TestPersonsLookAtThemselves(t *testing.T) {
	for name := range networksUnderTest() {
		for clipping, c := range clippingsUnderTest() {
			if c.Rule == (projected{}).name() {
				continue
			}
			r := personRun(t, name, c, 60)
			var all []int
			sums := make([][]float64, len(sumsOf(t, r)))
			for who := range r.persons {
				all = append(all, who)
				for k, v := range sumsOf(t, r, who) {
					sums[k] = plus(sums[k], v, 1)
				}
			}
			for _, chunk := range []int{1, 3, 7, 1000} {
				r.options.Chunk, r.workers = chunk, nil
				for k, v := range sumsOf(t, r, all...) {
					if distance(v, sums[k]) > 1e-9*(1+kernel.Norm(v)) { // the values are integers times a unit
						t.Errorf("%s, %s: chunks of %d rows change release %d", name, clipping, chunk, k)
					}
				}
			}
			r.options.Chunk = 2
			for _, processors := range []int{1, 4} {
				old := runtime.GOMAXPROCS(processors)
				noisy, err := r.release()
				runtime.GOMAXPROCS(old)
				if err != nil {
					t.Fatal(err)
				}
				for k, v := range noisy {
					if distance(v.Values(), sums[k]) > 1e-9*(1+kernel.Norm(v.Values())) {
						t.Errorf("%s, %s: %d processors change release %d", name, clipping, processors, k)
					}
				}
			}
			who := slices.IndexFunc(r.persons, func(rows []int) bool { return len(rows) == 4 })
			want := sumsOf(t, r, who)
			slices.Reverse(r.persons[who])
			for k, v := range sumsOf(t, r, who)[:len(r.groups)] {
				if d := distance(v, want[k]); d > 1e-4*r.levels[k].norm {
					t.Errorf("%s, %s: another order of rows moves release %d by %v", name, clipping, k, d)
				}
			}
		}
	}
}

// TestRowsBeyondTheLimitAddNothing counts the used rows: further rows of a person, and rows of nobody, are not used.
func TestRowsBeyondTheLimitAddNothing(t *testing.T) {
	_, d := circle(t, strings.Split("ann bob eve ann ann kim bob ann NA ann eve", " "))
	p := Plan{Person: &train.PersonUnit{Column: "who", MaxRows: 3}}
	got, err := p.persons(d)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int{{0, 3, 4}, {1, 6}, {2, 10}, {5}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("persons have rows %v, want %v", got, want)
	}
	if none, failed := p.persons(d.Slice(8, 9)); failed != nil || none == nil || len(none) != 0 {
		t.Errorf("rows of nobody are persons %v, %v, want none", none, failed)
	}
	p.Person.Column = "nobody"
	if _, err = p.persons(d); err == nil {
		t.Error("a column that was not read was taken for persons")
	}
}

// circle is ringData read from text, with a person for each row.
func circle(t testing.TB, names []string) (*data.Schema, *data.Dataset) {
	t.Helper()
	s := ringSchema(t, 0)
	s.Columns = append(s.Columns, data.Column{Name: "who", Kind: data.Ignored})
	points := ringData(t, ringSchema(t, 0), len(names))
	var b strings.Builder
	b.WriteString("east,north,who,inside\n")
	for i, who := range names {
		fmt.Fprintf(&b, "%v,%v,%s,%s\n", points.Column(0)[i], points.Column(1)[i], who, []string{"no", "yes"}[int(points.Target()[i])])
	}
	d, err := data.ReadFrom(context.Background(), s, "circle.csv", strings.NewReader(b.String()), data.ReadOptions{Extra: []string{"who"}})
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// TestEveryRunOfPersonsIsPaid trains a few steps by every rule and sampling: what is released is what was reserved.
func TestEveryRunOfPersonsIsPaid(t *testing.T) {
	samplings := map[string]Sampling{option.SamplingFull: {Kind: option.SamplingFull}, option.SamplingPoisson: {Kind: option.SamplingPoisson, Probability: 0.2}, option.SamplingTruncated: {Kind: option.SamplingTruncated, Probability: 0.2, BatchSize: 9},
		option.SamplingCyclic: {Kind: option.SamplingCyclic, Parts: 3, Probability: 0.5}, option.SamplingPartition: {Kind: option.SamplingPartition, Parts: 3}, option.SamplingShuffle: {Kind: option.SamplingShuffle, Parts: 3}}
	clippings := clippingsUnderTest()
	clippings["micro"] = ClippingRequest{MicroBatch: 4}
	clippings["after averaging"] = ClippingRequest{AfterAveraging: true, Rule: "auto-s"}
	names := make([]string, 58)
	for i := range names {
		names[i] = fmt.Sprint("p", i*i%23)
	}
	s, d := circle(t, names)
	for kind, sampling := range samplings {
		for name, c := range clippings {
			for _, declared := range []int{0, 60} {
				r := ask()
				r.Clipping, r.Sampling, r.Epochs, r.Steps, r.Person = c, sampling, 0, 3, &train.PersonUnit{Column: "who", MaxRows: 3}
				r.Epsilon = math.Inf(1)
				of := *s
				of.Records = declared
				setup := setupOf(t, r, &of)
				r.Epsilon, setup.Plan.NonPrivate, setup.Plan.NoiseMultiplier, setup.Plan.CountNoise = 3, false, 0.8, 4
				result, err := Fit(context.Background(), anyBudget(t, r), setup, d, Options{Chunk: 2})
				unproved := kind == option.SamplingTruncated || kind == option.SamplingCyclic
				if unproved && c.Rule == (projected{}).name() {
					if err == nil {
						t.Errorf("%s, %s: projections are accepted where nothing is proved", kind, name)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s, %s: %v", kind, name, err)
				}
				if slices.ContainsFunc(result.Weights, func(v float32) bool { return v-v != 0 }) {
					t.Errorf("%s, %s: weights are not finite", kind, name)
				}
			}
		}
	}
}

// TestEmptyTablesOfPersonsTrain trains on rows that belong to nobody, and on none.
func TestEmptyTablesOfPersonsTrain(t *testing.T) {
	s, d := circle(t, []string{"NA", "NA"})
	r := ask()
	r.Epsilon, r.Epochs, r.Steps, r.Person = math.Inf(1), 0, 2, &train.PersonUnit{Column: "who", MaxRows: 3}
	for _, table := range []*data.Dataset{d, d.Slice(0, 0)} {
		for _, c := range []ClippingRequest{{}, {Rule: "quantile"}, {MicroBatch: 3}} {
			r.Clipping = c
			setup := setupOf(t, r, s)
			setup.Plan.NonPrivate, setup.Plan.NoiseMultiplier, setup.Plan.CountNoise = false, 0.8, 4
			private := r
			private.Epsilon = 3
			if _, err := Fit(context.Background(), anyBudget(t, private), setup, table, Options{}); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
}

// TestPersonPlans holds the unit, the price and the refusals of plans over persons.
func TestPersonPlans(t *testing.T) {
	s, _ := circle(t, []string{"ann"})
	s.Records = 100
	r := ask()
	r.Epochs, r.Steps, r.Sampling, r.Person = 0, 3, Sampling{Kind: option.SamplingFull}, &train.PersonUnit{Column: "who", MaxRows: 4}
	setup := setupOf(t, r, s)
	p := setup.Plan
	if !strings.HasPrefix(p.Unit, "all rows with one who, of which at most 4") || p.RowsPerPerson != 0 {
		t.Errorf("the unit is %q with %d rows of a person", p.Unit, p.RowsPerPerson)
	}
	if p.CountNoise == 0 || p.noiseDraws() != 3*p.Network.Trained+1 || !strings.HasPrefix(p.Event().String(), "sequence(gaussian(") {
		t.Errorf("the event is %v, want one that begins with the number of persons", p.Event())
	}
	c, err := p.Certificate()
	if err != nil || float64(c.Epsilon) > r.Epsilon || c.Unit != p.Unit || !strings.Contains(strings.Join(c.Assumptions, " "), `A record is a person: all rows with one text in the column "who".`) {
		t.Errorf("the certificate is %+v, %v", c, err)
	}
	m, err := model.NewNetwork(s, setup.Features, setup.Loss, setup.Network, make([]float32, setup.Network.Weights()))
	if err != nil {
		t.Fatal(err)
	}
	if err = CheckModel(p, m); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Plan){
		"rows of a person beside the person": func(p *Plan) { p.RowsPerPerson = 3 },
		"the unit of rows":                   func(p *Plan) { p.Unit = "one person" },
		"no column":                          func(p *Plan) { p.Person = &train.PersonUnit{MaxRows: 4} },
		"no rows":                            func(p *Plan) { p.Person = &train.PersonUnit{Column: "who"} },
		"no count":                           func(p *Plan) { p.CountNoise = 0 },
		"no persons":                         func(p *Plan) { p.Person = nil },
	} {
		changed := p
		if change(&changed); changed.Validate() == nil && CheckModel(changed, m) == nil {
			t.Errorf("%s: the plan and its model are accepted", name)
		}
	}
	related, err := data.ParseSchema("related", []byte("dither-schema: 1\nrow: one person\nmax-records: 50\ntarget: {column: inside, levels: [a, b]}\ncolumns: {who: ignore}\n"+
		"related: {visits: {key: patient, people-key: who, max-rows: 2, features: {visits: {count: true}}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Request) *data.Schema{
		"number of persons is not declared": func(r *Request) *data.Schema {
			r.Sampling, r.Neighboring = Sampling{Kind: option.SamplingFixedSize, BatchSize: 5}, privacy.ReplaceOne
			return s
		},
		"1 to 1048576 rows": func(r *Request) *data.Schema {
			r.Person = &train.PersonUnit{Column: "who", MaxRows: 1<<20 + 1}
			return s
		},
		"1 to 524288 rows": func(r *Request) *data.Schema {
			r.Layers, r.Person = network.Layers{network.SparseLinear{Outputs: 1}}, &train.PersonUnit{Column: "who", MaxRows: 1 << 20}
			return s
		},
		"a schema of related":    func(r *Request) *data.Schema { return related },
		"a column of the schema": func(r *Request) *data.Schema { r.Person = &train.PersonUnit{MaxRows: 2}; return s },
	} {
		changed := r
		if _, err = NewSetup(changed, change(&changed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// TestPositionsAreBoundedByLayers runs networks on two records, and wants no block to have more positions and entries
// than the bound says.
func TestPositionsAreBoundedByLayers(t *testing.T) {
	all := networksUnderTest()
	all["residual"] = Request{Input: network.Shape{4, 3, 1}, Layers: network.Layers{network.Residual{Layers: network.Layers{network.Conv{Channels: 1, Kernel: 3, Padding: 1}}}, network.Flatten{}, network.Linear{Outputs: 3}}}
	for name, request := range all {
		r := testRun(t, request, ClippingRequest{}, testRows(t, 5, 12, name))
		factors, err := newWorker(r).factors([]int{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		most := positionsOf(r.Network.Layers(), r.Network.Input())
		for _, f := range factors {
			if f.Positions*max(1, f.Entries) > most {
				t.Errorf("%s: a block has %d positions and %d entries, want at most %d", name, f.Positions, f.Entries, most)
			}
		}
	}
}

// TestResumedRunsOfPersonsGoOn stops a run over persons and goes on from its checkpoint. The ledger holds the event of
// the plan, which counts the number of persons although a number of rows is declared, and all steps.
func TestResumedRunsOfPersonsGoOn(t *testing.T) {
	names := make([]string, 60)
	for i := range names {
		names[i] = fmt.Sprint("p", i*i%23)
	}
	s, d := circle(t, names)
	s.Records = 60
	r := ask()
	r.Epochs, r.Steps, r.Sampling, r.Person = 0, 8, Sampling{Kind: option.SamplingFull}, &train.PersonUnit{Column: "who", MaxRows: 3}
	setup := setupOf(t, r, s)
	path := filepath.Join(t.TempDir(), "checkpoint")
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Fit(ctx, budget(t, r), setup, d, Options{CheckpointEvery: 1, Checkpoint: func(c *Checkpoint) error {
		if c.Taken == 5 {
			cancel()
		}
		return write(c, path)
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the run stopped", err)
	}
	from, err := ReadCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	from.Ahead = 2
	large := r
	large.Epsilon = 40
	l := budget(t, large)
	result, err := Resume(context.Background(), l, setup, d, Options{}, from)
	if err != nil {
		t.Fatal(err)
	}
	paysForEarlier(t, "persons", result.Plan)
	if entries := l.Event(); len(entries) != 1 || entries[0].String() != result.Plan.Event().String() || !strings.HasPrefix(result.Plan.Event().String(), "sequence(gaussian(") {
		t.Errorf("the ledger holds %v, want the event of the plan %v", entries, result.Plan.Event())
	}
	from.Plan.Person = &train.PersonUnit{Column: "who", MaxRows: 4}
	if _, err = Resume(context.Background(), l, setup, d, Options{}, from); err == nil || !strings.Contains(err.Error(), "of another plan") {
		t.Errorf("a checkpoint of other persons: got %v", err)
	}
}
