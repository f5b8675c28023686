package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// cellsCase returns a preparation and a model of interactions. The frequencies are those of independent columns in
// which no cell is missing and no level is unknown, in rows of the same number of cells.
func cellsCase(t *testing.T, seed uint64) (*prepared, Plan, *model.Model) {
	t.Helper()
	s := &data.Schema{Name: "made", Row: "one person", MaxRecords: 50000, Target: data.Target{Column: "y", Levels: []string{"no", "yes"}}, Columns: []data.Column{
		{Name: "kind", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Indicator},
		{Name: "size", Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator},
		{Name: "sort", Kind: data.Categorical, Levels: []string{"u", "v", "w"}, Unknown: data.Drop, Missing: data.Zero},
	}}
	setup, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all","bins":4,"pair-bins":4}`)}}}, s)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 8))
	m := &feature.Map{Pipeline: setup.Features.Pipeline, Norm: feature.NormUnit, Intercept: 0.25, Whitening: &feature.Whitening{}}
	shares := map[string]float64{"a": 0.3, "b": 0.7, "u": 0.2, "v": 0.2, "w": 0.6, "0 to 0.5": 0.75, "0.5 to 1": 0.25, "0 to 0.25": 0.5, "0.25 to 0.5": 0.25, "0.5 to 0.75": 0.25, "0.75 to 1": 0}
	var frequencies []float64
	for _, n := range m.Names() {
		product := 0.25
		for level := range strings.SplitSeq(n.Level, ", ") {
			product *= shares[level]
		}
		if strings.Contains(n.Column, "×") {
			product /= 2 // the value of a pair's indicator
		}
		frequencies = append(frequencies, product)
		m.Whitening.Scales = append(m.Whitening.Scales, 0.1+0.9*r.Float64())
	}
	weights := make([]float64, m.Dim())
	for j := range weights {
		weights[j] = r.NormFloat64()
	}
	out, err := model.New(s, m, model.Logistic, weights)
	if err != nil {
		t.Fatal(err)
	}
	return &prepared{frequencies: moment{frequencies, 1e-6}}, setup.Plan, out
}

// effectsOf returns the effect and energy of each feature by its name, divided by the largest energy of a feature that
// no evidence can move.
func effectsOf(m *model.Model) map[string][2]float64 {
	out, largest := map[string][2]float64{}, 0.0
	for j, n := range m.Features().Names() {
		x := 1.0
		if strings.Contains(n.Column, "×") {
			x = 0.5
		}
		x *= m.Features().Whitening.Scales[j]
		out[n.String()] = [2]float64{x * m.Weights()[j], x * x}
		if !strings.Contains(n.Level, "missing") && !strings.Contains(n.Level, "other") {
			largest = max(largest, x*x)
		}
	}
	for name, v := range out {
		out[name] = [2]float64{v[0] / math.Sqrt(largest), v[1] / largest}
	}
	return out
}

// TestCellsWithoutEvidence: the effects and energies of missing cells and unknown levels that never occur are means over
// the other states of their column, alone and in pairs. All other cells keep theirs.
func TestCellsWithoutEvidence(t *testing.T) {
	for seed := range uint64(5) {
		ready, plan, m := cellsCase(t, seed)
		result := &Result{Model: m}
		if err := ready.evidentCells(plan, Options{}, result); err != nil {
			t.Fatal(err)
		}
		if result.Unshrunk != m.Features() || &result.UnshrunkWeights[0] == &result.Model.Weights()[0] {
			t.Error("the result does not hold the model before it was changed")
		}
		before, after := effectsOf(m), effectsOf(result.Model)
		mean := func(name string, shares map[string]float64) (out [2]float64) {
			for level, share := range shares {
				v := before[fmt.Sprintf(name, level)]
				out[0], out[1] = out[0]+share*v[0], out[1]+share*v[1]
			}
			return out
		}
		kinds, halves := map[string]float64{"a": 0.3, "b": 0.7}, map[string]float64{"0 to 0.5": 0.75, "0.5 to 1": 0.25}
		quarters := map[string]float64{"0 to 0.25": 0.5, "0.25 to 0.5": 0.25, "0.5 to 0.75": 0.25}
		whole, fine := mean("size = %s", halves), mean("size = %s", quarters)
		wants := map[string][2]float64{
			"kind = missing": mean("kind = %s", kinds), "kind = other": mean("kind = %s", kinds), "size = missing": {whole[0] + fine[0], whole[1] + fine[1]},
			"kind × sort = missing, v": mean("kind × sort = %s, v", kinds), "kind × sort = other, w": mean("kind × sort = %s, w", kinds),
			"kind × size = a, missing": mean("kind × size = a, %s", quarters), "size × sort = missing, u": mean("size × sort = %s, u", quarters),
		}
		both := [2]float64{}
		for kind, share := range kinds {
			v := mean("kind × size = "+kind+", %s", quarters)
			both[0], both[1] = both[0]+share*v[0], both[1]+share*v[1]
		}
		wants["kind × size = other, missing"] = both
		checked := 0
		for name, v := range after {
			want, moved := wants[name]
			if !moved && (strings.Contains(name, "missing") || strings.Contains(name, "other")) {
				continue
			}
			if !moved {
				want = before[name]
			} else {
				checked++
			}
			if math.Abs(v[0]-want[0]) > 1e-4 || math.Abs(v[1]-want[1]) > 1e-4 {
				t.Errorf("seed %d, %s: got the effect %.6f and the energy %.6f, want %.6f and %.6f", seed, name, v[0], v[1], want[0], want[1])
			}
		}
		if checked != len(wants) {
			t.Errorf("checked %d features, want %d", checked, len(wants))
		}
	}
}

// TestCellsWithEvidence: states that are as frequent as others keep their own effects, and so do the models of other
// runs.
func TestCellsWithEvidence(t *testing.T) {
	ready, plan, m := cellsCase(t, 3)
	for j, v := range ready.frequencies.mean {
		ready.frequencies.mean[j] = max(v, 0.01)
	}
	result := &Result{Model: m}
	if err := ready.evidentCells(plan, Options{}, result); err != nil {
		t.Fatal(err)
	}
	after := effectsOf(result.Model)
	for name, want := range effectsOf(m) {
		if v := after[name]; math.Abs(v[0]-want[0]) > 1e-5 || math.Abs(v[1]-want[1]) > 1e-5 {
			t.Errorf("%s: got %v, want %v", name, v, want)
		}
	}
	for name, edit := range map[string]func(*prepared, *Plan, *Options){
		"baseline":       func(_ *prepared, p *Plan, _ *Options) { p.NonPrivate = true },
		"persons":        func(_ *prepared, p *Plan, _ *Options) { p.Person = &PersonUnit{} },
		"no frequencies": func(r *prepared, _ *Plan, _ *Options) { r.frequencies = moment{} },
		"all iterates":   func(_ *prepared, _ *Plan, o *Options) { o.Output = option.OutputAllIterates },
	} {
		options := Options{}
		ready, other, m := cellsCase(t, 4)
		edit(ready, &other, &options)
		result := &Result{Model: m}
		if err := ready.evidentCells(other, options, result); err != nil || result.Model != m || result.Unshrunk != nil {
			t.Errorf("%s: the model was changed (%v)", name, err)
		}
		if released := name == "persons" || name == "all iterates"; released != (result.CellFrequencies != nil) {
			t.Errorf("%s: got %d frequencies of cells", name, len(result.CellFrequencies))
		}
	}
}

// TestCellFrequencies: a result has the released frequencies as far as they stand out of the noise. A missing cell or an
// unknown level counts as far as records seem to have it, alone and in pairs.
func TestCellFrequencies(t *testing.T) {
	const noise = 0.002
	ready, plan, m := cellsCase(t, 6)
	found := map[string]float64{"kind = missing": 0.2 * noise, "kind × sort = missing, u": 0.05, "size = missing": 0.05, "kind = a": 0.9 * noise}
	for j, n := range m.Features().Names() {
		if v, edited := found[n.String()]; edited {
			ready.frequencies.mean[j] = v
		}
	}
	ready.frequencies.noise = noise
	result := &Result{Model: m}
	if err := ready.evidentCells(plan, Options{}, result); err != nil {
		t.Fatal(err)
	}
	own := occurs(0.05, noise, cellScale(m.Features().Names()))
	for j, n := range m.Features().Names() {
		v := ready.frequencies.mean[j]
		want, checked := map[string]float64{"kind = missing": 0, "kind × sort = missing, u": 0, "kind = a": 0, "kind = b": v - noise*noise/v,
			"size = missing": own * (v - noise*noise/v), "sort = u": v - noise*noise/v}[n.String()]
		if got := result.CellFrequencies[j]; checked && math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", n, got, want)
		}
	}
}

// TestCellsWithSomeEvidence: a state between noise and evidence keeps a share of its own effect and energy. The rest is the
// mean over the declared levels, where a level counts as far as it stands out of the noise. In a pair, the records beside the same
// state of the other column decide, and the whole column where there are none.
func TestCellsWithSomeEvidence(t *testing.T) {
	const noise = 0.02
	found := map[string]float64{
		"kind = a": 0.03, "kind = b": 0.2, "kind = missing": 0.045, "kind = other": 0.035,
		"kind × sort = a, u": 0.1, "kind × sort = b, u": 0.025, "kind × sort = a, v": 0.03, "kind × sort = b, v": 0.2,
		"kind × sort = missing, v": 0.07, "kind × sort = other, v": 0.05,
	}
	for seed := range uint64(5) {
		ready, plan, m := cellsCase(t, seed)
		for j, n := range m.Features().Names() {
			ready.frequencies.mean[j] = found[n.String()]
		}
		ready.frequencies.noise = noise
		result := &Result{Model: m}
		if err := ready.evidentCells(plan, Options{}, result); err != nil {
			t.Fatal(err)
		}
		before, after := effectsOf(m), effectsOf(result.Model)
		stands := func(name string) float64 { // beyond the noise
			c := found[name]
			return max(0, c-noise*noise/max(c, noise))
		}
		var column [4]float64
		for k, kind := range []string{"a", "b", "missing", "other"} {
			for _, sort := range []string{"u", "v", "w"} {
				column[k] += stands("kind × sort = " + kind + ", " + sort)
			}
		}
		all := column[0] + column[1] + column[2] + column[3]
		for _, state := range []string{"missing", "other"} {
			share := occurs(found["kind = "+state], noise, cellScale(m.Features().Names()))
			if share < 0.1 || share > 0.9 {
				t.Fatalf("the share of %s is %v, want one between", state, share)
			}
			for _, c := range []struct {
				name string
				a, b float64 // masses of the levels
			}{
				{"kind = %s", stands("kind = a"), stands("kind = b")},
				{"kind × sort = %s, u", stands("kind × sort = a, u") + noise*column[0]/all, stands("kind × sort = b, u") + noise*column[1]/all},
				{"kind × sort = %s, v", stands("kind × sort = a, v") + noise*column[0]/all, stands("kind × sort = b, v") + noise*column[1]/all},
				{"kind × sort = %s, w", column[0], column[1]},
			} {
				own, got := before[fmt.Sprintf(c.name, state)], after[fmt.Sprintf(c.name, state)]
				a, b := before[fmt.Sprintf(c.name, "a")], before[fmt.Sprintf(c.name, "b")]
				for k, v := range got {
					want := share*own[k] + (1-share)*(c.a*a[k]+c.b*b[k])/(c.a+c.b)
					if math.Abs(v-want) > 1e-5 {
						t.Errorf("seed %d, "+c.name+": got %v, want %.6f in place %d", seed, state, got, want, k)
					}
				}
			}
		}
	}
}

// TestCellsWithoutFrequencies: without any frequency a missing cell has no effect. Its energy is the mean over the declared
// levels, which count alike.
func TestCellsWithoutFrequencies(t *testing.T) {
	ready, plan, m := cellsCase(t, 6)
	clear(ready.frequencies.mean)
	result := &Result{Model: m}
	if err := ready.evidentCells(plan, Options{}, result); err != nil {
		t.Fatal(err)
	}
	before, after := effectsOf(m), effectsOf(result.Model)
	for _, name := range []string{"kind = %s", "kind × sort = %s, u"} {
		want := (before[fmt.Sprintf(name, "a")][1] + before[fmt.Sprintf(name, "b")][1]) / 2
		for _, state := range []string{"missing", "other"} {
			if got := after[fmt.Sprintf(name, state)]; got[0] != 0 || math.Abs(got[1]-want) > 1e-6 {
				t.Errorf(name+": got the effect and energy %v, want 0 and %.6f", state, got, want)
			}
		}
	}
}

// TestCellsStayFinite: frequencies and weights that noise made extreme leave a model.
func TestCellsStayFinite(t *testing.T) {
	for name, edit := range map[string]func(f []float64){
		"no frequency":         func(f []float64) { clear(f) },
		"negative frequencies": func(f []float64) { f[0], f[1], f[2], f[3] = -1, -2, -3, -4 },
		"a large frequency":    func(f []float64) { f[0] = 1e9 },
		"only missing cells":   func(f []float64) { clear(f); f[3] = 1 },
	} {
		ready, plan, m := cellsCase(t, 5)
		edit(ready.frequencies.mean)
		result := &Result{Model: m}
		if err := ready.evidentCells(plan, Options{}, result); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEvidenceOfASingleState serves models of pairs in which a column has one state. Such a line of cells does not show
// by its states which column it is of.
func TestEvidenceOfASingleState(t *testing.T) {
	s := &data.Schema{Name: "made", Row: "one person", MaxRecords: 50000, Target: data.Target{Column: "y", Levels: []string{"no", "yes"}}, Columns: []data.Column{
		{Name: "size", Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator},
		{Name: "flag", Kind: data.Categorical, Levels: []string{"set"}, Unknown: data.Zero, Missing: data.Zero},
		{Name: "mark", Kind: data.Categorical, Levels: []string{"set"}, Unknown: data.Zero, Missing: data.Zero},
		{Name: "kind", Kind: data.Categorical, Levels: []string{"a", "b", "c", "d", "e"}, Unknown: data.Other, Missing: data.Indicator},
	}}
	setup, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all"}`)}}}, s)
	if err != nil {
		t.Fatal(err)
	}
	m := &feature.Map{Pipeline: setup.Features.Pipeline, Norm: feature.NormUnit, Intercept: 0.25, Whitening: &feature.Whitening{}}
	r, found := rand.New(rand.NewPCG(5, 6)), moment{noise: 1e-3}
	weights := make([]float64, m.Dim())
	for j := range m.Names() {
		m.Whitening.Scales, found.mean, weights[j] = append(m.Whitening.Scales, 0.5), append(found.mean, r.Float64()/10), r.NormFloat64()
	}
	trained, err := model.New(s, m, model.Logistic, weights)
	if err != nil {
		t.Fatal(err)
	}
	result := &Result{Model: trained}
	if err := (&prepared{frequencies: found}).evidentCells(setup.Plan, Options{}, result); err != nil || result.Model == trained {
		t.Fatalf("got %v and a model that moved: %v, want one without an error", err, result.Model != trained)
	}
}

// integratedMass is meanMass by a sum over 400 000 masses.
func integratedMass(c, noise, before float64) float64 {
	const steps = 400000
	center := max(0, c-noise*noise/before)
	most, sum, mean := center+noise*min(12, 60/math.Abs(c/noise-noise/before)), 0.0, 0.0
	if center > 0 {
		most = center + 12*noise
	}
	for k := range steps {
		x := (float64(k) + 0.5) * most / steps
		density := math.Exp(-(x-center)/before - ((c-x)*(c-x)-(c-center)*(c-center))/(2*noise*noise))
		sum, mean = sum+density, mean+x*density
	}
	return mean / sum
}

// TestMeanMass compares means of masses with sums over their densities.
func TestMeanMass(t *testing.T) {
	for _, noise := range []float64{1, 1e-3} {
		for _, c := range []float64{-40, -3, 0, 0.5, 2, 9} {
			for _, before := range []float64{1e-3, 0.03, 0.035, 0.2, 1, 50} {
				if got, want := meanMass(c*noise, noise, before*noise), integratedMass(c*noise, noise, before*noise); math.Abs(got/want-1) > 2e-5 {
					t.Errorf("%v with noise %v and mean %v before: got %v, want %v", c*noise, noise, before*noise, got, want)
				}
			}
		}
	}
}

// TestFineCellsDivide: the mean over a line of fine cells follows the frequencies of coarse cells. Frequencies of fine cells
// count as far as noise lets them.
func TestFineCellsDivide(t *testing.T) {
	s := &data.Schema{Name: "made", Row: "one place", MaxRecords: 50000, Target: data.Target{Column: "z", Lower: 0, Upper: 1}}
	for _, name := range []string{"x", "y"} {
		s.Columns = append(s.Columns, data.Column{Name: name, Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator})
	}
	setup, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all","bins":8,"pair-bins":4,"coordinates":"x*y","coordinate-bins":8,"coordinate-weight":1.5}`)}}}, s)
	if err != nil {
		t.Fatal(err)
	}
	m := &feature.Map{Pipeline: setup.Features.Pipeline, Norm: feature.NormUnit, Intercept: 0.25, Whitening: &feature.Whitening{}}
	const noise, high, ratio = 0.001, 0.05, 3.0 // of the values of fine and coarse cells
	// The coarse cells of y's second state are 0 and 2 of x, and stand far out of the noise. In the first, fine cells differ by
	// less than noise. The second has nearly all records in one of them.
	fine := map[[2]int]float64{{0, 2}: 0.8 * noise, {1, 2}: -0.8 * noise, {0, 3}: 0.8 * noise, {1, 3}: -0.8 * noise, {4, 2}: 0.1, {5, 2}: 0.02, {4, 3}: 0, {5, 3}: 0}
	alone := [][]float64{{0.4, 0.2}, {0.4, 0, 0.2, 0}, {0.3, 0.1, 0, 0, 0.1, 0.1, 0, 0}} // of x
	names := m.Names()
	r, weights, frequencies := rand.New(rand.NewPCG(4, 4)), make([]float64, m.Dim()), make([]float64, len(names))
	for j, n := range names {
		m.Whitening.Scales, weights[j] = append(m.Whitening.Scales, 0.1+0.9*r.Float64()), r.NormFloat64()
		switch c := n.Cell; {
		case c.Columns == [2]string{"x"} && c.Grid > 0:
			frequencies[j] = alone[c.Grid-1][c.States[0]]
		case c.Columns[1] == "" || c.Aside != [2]string{}:
		case c.Value == 0.5 && c.States[1] == 1 && c.States[0]%2 == 0:
			frequencies[j] = high
		case c.Value == 1.5:
			if frequencies[j] = fine[c.States]; c.States[0] > 5 { // noise, as large as frequencies of cells with few records
				frequencies[j] = 1.9 * noise * float64(1-2*((c.States[0]+c.States[1])%2))
			}
		}
	}
	trained, err := model.New(s, m, model.Squared, weights)
	if err != nil {
		t.Fatal(err)
	}
	coarse := ratio * (high - noise*noise/high)
	split := func(weight float64, before, c []float64) []float64 {
		out, sum := make([]float64, len(c)), 0.0
		for k, v := range c {
			out[k] = integratedMass(v, noise, weight*before[k])
			sum += out[k]
		}
		for k := range out {
			out[k] *= weight / sum
		}
		return out
	}
	half, want := []float64{0.5, 0.5}, map[[2]int]float64{}
	for k, first := range []int{0, 4} { // of x, in cells of the coarse state k of the column alone
		c := alone[0][k]
		quarters := split(c-noise*noise/c, half, alone[1][2*k:2*k+2])
		x := split(quarters[0], half, alone[2][first:first+2])
		var before, c4 []float64
		for n := range 4 {
			before, c4 = append(before, x[n/2]/quarters[0]/2), append(c4, fine[[2]int{first + n/2, 2 + n%2}])
		}
		for n, v := range split(coarse, before, c4) {
			want[[2]int{first + n/2, 2 + n%2}] = v
		}
	}
	e := newCellEvidence(m, trained, moment{frequencies, noise})
	for j, n := range names {
		if c := n.Cell; c.Value == 1.5 && math.Abs(e.weights[j]-want[c.States]) > 1e-7 && c.Aside == [2]string{} {
			t.Errorf("%v: got the weight %v, want %v", n, e.weights[j], want[c.States])
		}
	}
	before := make([]float64, len(e.effects))
	copy(before, e.effects)
	e.shrink()
	for j, n := range names {
		c := n.Cell
		if c.Value != 1.5 || c.Aside[0] == "" || c.Aside[1] != "" || c.States[1] < 2 || c.States[1] > 3 {
			continue
		}
		effect, line, column := 0.0, 0.0, 2*coarse
		for k, other := range names {
			if o := other.Cell; o.Value == 1.5 && o.States[1] == c.States[1] && o.Aside == [2]string{} {
				whole := want[[2]int{o.States[0], 2}] + want[[2]int{o.States[0], 3}]
				mass := want[o.States] + noise*whole/column
				effect, line = effect+mass*before[k], line+mass
			}
		}
		if got := e.effects[j]; math.Abs(got-effect/line) > 1e-5 {
			t.Errorf("%v: got the effect %v, want %v", n, got, effect/line)
		}
	}
}
