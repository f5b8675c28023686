package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
)

// mostTableNumbers bounds the numbers of the tables of a graph.
const mostTableNumbers = 16 << 20

// onnxFile is an ONNX graph of a model.
type onnxFile struct {
	graph
	o *outline
	m *feature.Map
	// kept is a condition on rows: that they have a prediction. It is "" if all have one.
	kept string
}

// writeONNX writes a graph from raw columns to predictions.
func writeONNX(m *model.Model, s statement, _ Request) ([]byte, error) {
	o, err := newOutline(m)
	if err != nil {
		return nil, err
	}
	f := &onnxFile{o: o, m: o.mapped.Map}
	x, err := f.features()
	if err != nil {
		return nil, err
	}
	z, err := f.scored(x)
	if err != nil {
		return nil, err
	}
	f.predicted(f.losses(z))
	return f.file(s), nil
}

// keep adds a condition that rows must meet.
func (f *onnxFile) keep(condition string) {
	if f.kept != "" {
		condition = f.of("And", f.kept, condition)
	}
	f.kept = condition
}

// features appends what makes features of cells, and returns their name. Their shape is [rows, features].
func (f *onnxFile) features() (string, error) {
	numbers := 0
	for n := range f.o.groups {
		g := &f.o.groups[n]
		numbers += g.tableNumbers()
	}
	if numbers > mostTableNumbers {
		return "", fmt.Errorf("the tables of states have %d numbers, want at most %d for ONNX; export --to go, or train with fewer --interactions", numbers, mostTableNumbers)
	}
	states, factors := make([]string, len(f.o.columns)), make([]string, len(f.o.columns))
	var parts []string
	var dates onnxDate
	for i := 0; i < len(f.o.columns); {
		if n := f.o.run(i); n > 1 {
			parts = append(parts, f.run(i, n))
			i += n
			continue
		}
		c := &f.o.columns[i]
		if c.date != nil && !f.o.follows(i) {
			dates = f.date(c)
		}
		switch {
		case c.date != nil && c.number:
			states[i], factors[i] = f.numbers(c, f.of("Where", dates.known, f.days(c, dates), f.double(math.NaN())))
		case c.date != nil:
			states[i] = f.part(c, dates)
		case c.number:
			f.input(c.name, onnxDouble, 0, 1)
			states[i], factors[i] = f.numbers(c, c.name)
		default:
			f.input(c.name, onnxString, 0, 1)
			states[i] = f.levels(c)
		}
		parts = append(parts, f.looked(&f.o.groups[i], states[i], factors[i]))
		i++
	}
	for n := range f.o.groups {
		if g := &f.o.groups[n]; g.b >= 0 {
			parts = append(parts, f.looked(g, f.paired(g, states[g.a], states[g.b]), ""))
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return f.node("Concat", parts, integerAttribute("axis", 1)), nil
}

// shortestRun is the smallest number of columns that are one input.
const shortestRun = 3

// run returns the number of columns from a place on that are one input: numbers with one declaration whose names
// end in consecutive numbers, such as x0 to x9. It is 1 for a column alone.
func (o *outline) run(from int) int {
	first := o.columns[from]
	prefix, start, ok := numbered(first.name)
	n := 1
	ok = ok && first.date == nil
	for ; ok && first.scaled && from+n < len(o.columns); n++ {
		c := o.columns[from+n]
		own, at, is := numbered(c.name)
		if !is || own != prefix || at != start+n || c.date != nil || !c.scaled || c.lower != first.lower ||
			c.upper != first.upper || c.log != first.log || c.missing != first.missing || c.outside != first.outside {
			break
		}
		if len(first.values) > 1 && !sameShifted(o.groups[from], o.groups[from+n]) {
			break
		}
	}
	if n < shortestRun {
		return 1
	}
	return n
}

// sameShifted reports whether the missing cells of two groups have the same features, each at its place.
func sameShifted(g, h group) bool {
	return slices.EqualFunc(g.entries[1], h.entries[1], func(a, b entry) bool { return a.index-g.first == b.index-h.first && a.value == b.value })
}

// numbered splits the number from the end of a name.
func numbered(name string) (prefix string, number int, ok bool) {
	end := len(name)
	for end > 0 && name[end-1] >= '0' && name[end-1] <= '9' {
		end--
	}
	number, err := strconv.Atoi(name[end:])
	return name[:end], number, err == nil && strconv.Itoa(number) == name[end:] && end > 0
}

// levels appends what makes states of texts.
func (f *onnxFile) levels(c *column) string {
	keys, values := slices.Clone(c.marks), make([]int64, len(c.marks))
	for i := range values {
		values[i] = int64(c.missing)
	}
	for k, level := range c.levels {
		if !slices.Contains(c.marks, level) {
			keys, values = append(keys, level), append(values, int64(c.of[k]))
		}
	}
	state := f.node("LabelEncoder", []string{c.name}, textsAttribute("keys_strings", keys), integersAttribute("values_int64s", values), integerAttribute("default_int64", int64(c.unknown)))
	if c.missing < 0 || c.unknown < 0 {
		f.keep(f.of("GreaterOrEqual", state, f.integer(0)))
	}
	return state
}

// numbers appends what makes states and factors of numbers.
func (f *onnxFile) numbers(c *column, in string) (state, factor string) {
	known := f.of("LessOrEqual", f.of("Abs", in), f.double(math.MaxFloat64))
	for _, mark := range c.markNumbers {
		known = f.of("And", known, f.of("Not", f.of("Equal", in, f.double(mark))))
	}
	v := f.of("Where", known, in, f.double(c.lower))
	within := ""
	if c.outside != clamped {
		within = f.of("And", f.of("GreaterOrEqual", v, f.double(c.lower)), f.of("LessOrEqual", v, f.double(c.upper)))
	}
	v = f.of("Max", f.of("Min", v, f.double(c.upper)), f.double(c.lower))
	v = f.cast(f.cast(v, onnxFloat), onnxDouble)
	v = f.of("Max", f.of("Min", v, f.double(c.most)), f.double(c.least))
	switch {
	case c.scaled:
		state = f.integer(0)
		if c.log {
			v = f.logOf(v)
		}
		factor = f.of("Mul", f.of("Sub", v, f.double(c.low)), f.double(c.scale))
		factor = f.of("Max", f.of("Min", factor, f.double(1)), f.double(0))
	case len(c.cuts) == 0:
		state = f.integer(0)
	default:
		passed := f.cast(f.of("GreaterOrEqual", v, f.doubles(c.cuts, 1, len(c.cuts))), onnxInt64)
		state = f.node("ReduceSum", []string{passed, f.list(1)}, integerAttribute("keepdims", 1))
	}
	if within != "" {
		state = f.of("Where", within, state, f.integer(c.outside))
	}
	state = f.of("Where", known, state, f.integer(c.missing))
	if c.missing < 0 || c.outside == dropped {
		f.keep(f.all(f.of("GreaterOrEqual", state, f.integer(0))))
	}
	if c.scaled && len(c.values) > 1 {
		factor = f.of("Where", f.of("Equal", state, f.integer(0)), factor, f.double(1))
	}
	return state, factor
}

// all returns whether a condition holds in all columns of a row.
func (f *onnxFile) all(condition string) string {
	least := f.node("ReduceMin", []string{f.cast(condition, onnxInt64)}, integersAttribute("axes", []int64{1}), integerAttribute("keepdims", 1))
	return f.of("Equal", least, f.integer(1))
}

// logOf returns log(1 + v) for v of at least 0, also for small v (W. Kahan's formula).
func (f *onnxFile) logOf(v string) string {
	one := f.double(1)
	u := f.of("Add", v, one)
	small := f.of("Equal", u, one)
	ratio := f.of("Div", f.of("Mul", f.of("Log", u), v), f.of("Where", small, one, f.of("Sub", u, one)))
	return f.of("Where", small, v, ratio)
}

// looked appends the lookup of a table at a state of shape [rows, 1], times a factor unless it is "".
func (f *onnxFile) looked(g *group, state, factor string) string {
	rows := g.entries
	if g.b >= 0 {
		rows = (&forms{}).rows(g)
	}
	flat := f.of("Reshape", f.of("Max", state, f.integer(0)), f.list(-1)) // dropped rows take any state
	if factor == "" && g.sparse() {
		return f.lookedUp(g, rows, flat)
	}
	table := make([]float64, len(rows)*g.count)
	for s, entries := range rows {
		for _, e := range entries {
			table[s*g.count+e.index-g.first] = e.value
		}
	}
	out := f.of("Gather", f.doubles(table, len(rows), g.count), flat)
	if factor != "" {
		out = f.of("Mul", out, factor)
	}
	return out
}

// mostDense is the most numbers of a table with all features of each state of a pair.
var mostDense = 1 << 18

// most returns the largest number of features of a state.
func (g *group) most() (most int) {
	for _, entries := range g.entries {
		most = max(most, len(entries))
	}
	return most
}

// sparse reports whether the tables of a pair have the places and values of features in place of all features.
func (g *group) sparse() bool {
	return g.b >= 0 && g.count*len(g.entries) > mostDense && g.most() > 0
}

// tableNumbers returns the number of numbers in the tables of a group.
func (g *group) tableNumbers() int {
	if g.sparse() {
		return g.most() * (2*len(g.entries) + g.count)
	}
	return g.count * len(g.entries)
}

// lookedUp is looked for a sparse group. Each state has a few features, and the k-th one of all states has a table
// of places and one of values.
func (f *onnxFile) lookedUp(g *group, rows [][]entry, flat string) (out string) {
	places := make([]int64, g.count)
	for j := range places {
		places[j] = int64(j)
	}
	all := f.integers(places, 1, g.count)
	for k := range g.most() {
		at, values := make([]int64, len(rows)), make([]float64, len(rows))
		for s, entries := range rows {
			if at[s] = -1; k < len(entries) {
				at[s], values[s] = int64(entries[k].index-g.first), entries[k].value
			}
		}
		equal := f.of("Equal", f.of("Gather", f.integers(at, len(rows), 1), flat), all)
		own := f.of("Where", equal, f.of("Gather", f.doubles(values, len(rows), 1), flat), f.double(0))
		if k > 0 {
			own = f.of("Add", out, own)
		}
		out = own
	}
	return out
}

// paired appends the place in the table of a pair.
func (f *onnxFile) paired(g *group, a, b string) string {
	class := func(of []int, none int, state string) string {
		numbers := make([]int64, len(of))
		for s, k := range of {
			if numbers[s] = int64(k); k < 0 {
				numbers[s] = int64(none)
			}
		}
		return f.of("Gather", f.integers(numbers, len(numbers)), f.of("Max", state, f.integer(0)))
	}
	first := class(g.classA, len(g.entries)/max(1, g.classes), a)
	return f.of("Add", f.of("Mul", first, f.integer(g.classes+1)), class(g.classB, g.classes, b))
}

// run appends the features of columns that are one input of shape [rows, n].
func (f *onnxFile) run(from, n int) string {
	c, g := &f.o.columns[from], &f.o.groups[from]
	prefix, start, _ := numbered(c.name)
	in := fmt.Sprintf("%s[%d:%d]", prefix, start, start+n)
	f.input(in, onnxDouble, 0, n)
	state, factor := f.numbers(c, in)
	if len(c.values) == 1 {
		return factor
	}
	number := f.of("Equal", state, f.integer(0))
	var parts []string
	for j := range g.count {
		value := factor
		if j > 0 {
			value = f.double(0)
		}
		otherwise := 0.0
		for _, e := range g.entries[1] {
			if e.index-g.first == j {
				otherwise = e.value
			}
		}
		part := f.of("Where", number, value, f.double(otherwise))
		parts = append(parts, f.of("Reshape", part, f.list(-1, n, 1)))
	}
	return f.of("Reshape", f.node("Concat", parts, integerAttribute("axis", 2)), f.list(-1, n*g.count))
}

// norm returns the squared norms of rows.
func (f *onnxFile) squared(x string) string {
	return f.node("ReduceSum", []string{f.of("Mul", x, x), f.list(1)}, integerAttribute("keepdims", 1))
}

// factor returns the factors of rows with these squared norms.
func (f *onnxFile) factor(square string) string {
	one := f.double(1)
	positive := f.of("Greater", square, f.double(0))
	factor := f.of("Div", one, f.of("Sqrt", f.of("Where", positive, square, one)))
	if f.m.Norm == feature.NormClip {
		factor = f.of("Min", f.of("Mul", factor, f.double(f.m.Radius)), one)
	}
	return f.of("Where", positive, factor, f.double(0))
}

// mapped appends the steps of feature.Map.Apply before the intercept.
func (f *onnxFile) mapped(x string) string {
	normalized := func(x string) string {
		if !f.o.normalized() {
			return x
		}
		return f.of("Mul", x, f.factor(f.squared(x)))
	}
	x = normalized(x)
	if f.m.Center != nil {
		x = normalized(f.of("Sub", x, f.doubles(f.m.Center, 1, f.o.dim)))
	}
	if w := f.m.Whitening; w != nil {
		if w.Scales != nil {
			x = f.of("Mul", x, f.doubles(w.Scales, 1, f.o.dim))
		} else {
			x = f.of("MatMul", x, f.doubles(w.Matrix, f.o.dim, f.o.dim))
		}
		x = normalized(x)
	}
	return x
}

// appended appends the intercept to rows.
func (f *onnxFile) appended(x string) string {
	if f.m.Intercept == 0 {
		return x
	}
	square := f.squared(x)
	last := f.of("Add", f.of("Mul", square, f.double(0)), f.double(f.m.Intercept))
	x = f.node("Concat", []string{x, last}, integerAttribute("axis", 1))
	if f.m.Norm == feature.NormUnit {
		x = f.of("Mul", x, f.factor(f.of("Add", square, f.double(f.m.Intercept*f.m.Intercept))))
	}
	return x
}

// scored appends the scores, of shape [rows, scores].
func (f *onnxFile) scored(x string) (string, error) {
	x = f.mapped(x)
	if f.o.model.Network() != nil {
		return f.networkScores(f.appended(x))
	}
	k := f.o.model.Outputs()
	weights, last := make([]float64, f.o.dim*k), make([]float64, k)
	for n := range k {
		w, own := f.o.weights(n)
		for j, v := range w {
			weights[j*k+n] = v
		}
		last[n] = f.m.Intercept * own
	}
	z := f.of("MatMul", x, f.doubles(weights, f.o.dim, k))
	if f.m.Intercept == 0 {
		return z, nil
	}
	z = f.of("Add", z, f.doubles(last, 1, k))
	if f.m.Norm == feature.NormUnit {
		z = f.of("Mul", z, f.factor(f.of("Add", f.squared(x), f.double(f.m.Intercept*f.m.Intercept))))
	}
	return z, nil
}

// losses appends what turns scores into predictions.
func (f *onnxFile) losses(z string) string {
	one := f.double(1)
	switch l := f.o.loss; l.Name {
	case "logistic":
		return f.of("Sigmoid", z)
	case "hinge":
		return f.of("Sigmoid", f.of("Mul", z, f.double(2)))
	case "one-vs-rest":
		z = f.of("Sub", f.of("Min", z, f.double(0)), f.of("Log", f.of("Add", one, f.of("Exp", f.of("Neg", f.of("Abs", z))))))
		return f.node("Softmax", []string{z}, integerAttribute("axis", 1))
	case "softmax":
		return f.node("Softmax", []string{z}, integerAttribute("axis", 1))
	case "poisson":
		middle, top := f.double(l.Middle), f.double(math.Log1p(1/l.Middle))
		mean := f.of("Sub", f.of("Mul", middle, f.of("Exp", f.of("Min", z, top))), middle)
		return f.of("Where", f.of("GreaterOrEqual", z, top), one, mean)
	case "squared-classes":
		if f.o.model.Outputs() == 1 {
			return f.limited(f.of("Div", f.of("Add", one, z), f.double(2)), 0, 1)
		}
		return f.nearest(z)
	}
	return z
}

// limited moves numbers to the nearest bound.
func (f *onnxFile) limited(x string, low, high float64) string {
	return f.of("Max", f.of("Min", x, f.double(high)), f.double(low))
}

// nearest appends the nearest probabilities.
func (f *onnxFile) nearest(z string) string {
	k := f.o.model.Outputs()
	each, own := f.of("Reshape", z, f.list(-1, 1, k)), f.of("Reshape", z, f.list(-1, k, 1))
	counted := f.cast(f.of("GreaterOrEqual", each, own), onnxDouble)
	sum := f.node("ReduceSum", []string{f.of("Mul", counted, each), f.list(2)}, integerAttribute("keepdims", 0))
	count := f.node("ReduceSum", []string{counted, f.list(2)}, integerAttribute("keepdims", 0))
	cuts := f.of("Div", f.of("Sub", sum, f.double(1)), count)
	cut := f.node("ReduceMax", []string{cuts}, integersAttribute("axes", []int64{1}), integerAttribute("keepdims", 1))
	return f.of("Max", f.of("Sub", z, cut), f.double(0))
}

// predicted appends the outputs. Rows without a prediction have NaN, and the level "".
func (f *onnxFile) predicted(p string) {
	t, k := f.o.target, max(1, len(f.o.target.Levels))
	if t.Regression() {
		p = f.of("Div", f.of("Add", f.double(t.Lower+t.Upper), f.of("Mul", p, f.double(t.Upper-t.Lower))), f.double(2))
		f.ended(f.free("prediction"), f.limited(p, t.Lower, t.Upper))
		f.output(f.free("prediction"), onnxDouble, 0, 1)
		return
	}
	var best string
	if k == 2 {
		second := p
		if f.o.model.Outputs() == 1 {
			p = f.node("Concat", []string{f.of("Sub", f.double(1), p), p}, integerAttribute("axis", 1))
		} else {
			second = f.node("Gather", []string{p, f.list(1)}, integerAttribute("axis", 1))
		}
		best = f.cast(f.of("Greater", second, f.double(f.o.model.Threshold())), onnxInt64)
	} else {
		best = f.node("ArgMax", []string{p}, integerAttribute("axis", 1), integerAttribute("keepdims", 1))
	}
	if f.kept != "" {
		best = f.of("Where", f.kept, best, f.integer(k))
	}
	f.named("Gather", f.free("label"), []string{f.texts(append(slices.Clone(t.Levels), "")), f.of("Reshape", best, f.list(-1))})
	f.ended(f.free("probabilities"), p)
	f.output(f.free("label"), onnxString, 0)
	f.output(f.free("probabilities"), onnxDouble, 0, k)
}

// free returns the name of an output, with more letters where a column has this name.
func (f *onnxFile) free(name string) string {
	for slices.ContainsFunc(f.o.columns, func(c column) bool { return c.name == name || c.source == name }) {
		name += "_out"
	}
	return name
}

// ended gives an output its name, and NaN to rows without a prediction.
func (f *onnxFile) ended(name, x string) {
	if f.kept == "" {
		f.named("Identity", name, []string{x})
		return
	}
	f.named("Where", name, []string{f.kept, x, f.double(math.NaN())})
}
