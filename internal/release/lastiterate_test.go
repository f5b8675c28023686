package release

import (
	"bytes"
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// recursionRows are n random rows of norm about 1, a few of them longer than 1, with labels of columns.
func recursionRows(t testing.TB, r *rand.Rand, n, dim, columns int) *Rows {
	t.Helper()
	x, labels := make([]float64, n*dim), make([]float32, n)
	for i := range n {
		norm := 0.0
		for j := range dim {
			x[i*dim+j] = r.NormFloat64()
			norm = math.Hypot(norm, x[i*dim+j])
		}
		length := []float64{1, 1, 0.7, 0.01, 1.2, 0}[r.IntN(6)] * (1 - 1e-3)
		for j := range dim {
			x[i*dim+j] *= length / norm
		}
		labels[i] = []float32{0, 1, float32(r.IntN(max(2, columns))), float32(math.NaN()), 77}[r.IntN(5)]
	}
	return rowsOf(t, x, labels, dim)
}

func rowsOf(t testing.TB, x []float64, labels []float32, dim int) *Rows {
	t.Helper()
	rows, err := NewRows(len(labels), RowsOptions{Dim: dim, Step: recursionStep, Labels: labels}, func(dst []float64, first, n int) {
		copy(dst, x[first*dim:(first+n)*dim])
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

const recursionStep = 1.0 / (1 << 14)

// recursionOf is a recursion over rows and the event that covers it with this multiplier.
func recursionOf(t testing.TB, rows *Rows, o RecursionOptions, z float64, steps int) (Recursion, mechanism.LastIterate) {
	t.Helper()
	if rows != nil {
		o.Dim = rows.Dim()
	}
	o.RowStep, o.RowBound = recursionStep, 1
	c, err := o.Contraction()
	if err != nil {
		t.Fatal(err)
	}
	return Recursion{Rows: rows, RecursionOptions: o}, mechanism.LastIterate{NoiseMultiplier: z, Contraction: c, Steps: steps}
}

func usualRecursion(derivative LossDerivative, columns int) RecursionOptions {
	return RecursionOptions{Derivative: derivative, Columns: columns, ClippingNorm: 0.4, LearningRate: 3, Ridge: 0.05, Divisor: 6, Reach: 100, MaxRecords: 12}
}

// beforeNoise is A(X), the integers before the noise of a step.
func beforeNoise(t testing.TB, r Recursion, l mechanism.LastIterate, x []int64) ([]int64, recursionGrid) {
	t.Helper()
	g, err := fitRecursion(l, r.RecursionOptions)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Draw(Full(), r.Rows.total)
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.next(g, all, x)
	if err != nil {
		t.Fatal(err)
	}
	return out, g
}

func distance(a, b []int64) float64 {
	sum := 0.0
	for j := range a {
		sum = math.Hypot(sum, float64(a[j]-b[j]))
	}
	return sum
}

// TestStepKeepsItsPromise is the inequality that the proof of LastIterate needs, ‖A(X) - A'(X')‖ ≤
// c·‖X-X'‖ + s, over 1000 random pairs of tables of which one has a record more, or another one in its
// place, and of weights close together and far apart; s is what the event charges.
func TestStepKeepsItsPromise(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	closest := 0.0
	for range 1000 {
		columns := 1 + r.IntN(3)
		derivative := []LossDerivative{LogisticDerivative{}, HuberDerivative{0.3}, HuberDerivative{2}}[r.IntN(3)]
		n, dim := 1+r.IntN(10), 1+r.IntN(6)
		x := recursionRows(t, r, n+1, dim, columns)
		o := usualRecursion(derivative, columns)
		o.LearningRate *= 0.2 + r.Float64()
		c := 2.0
		for ; ; o.LearningRate /= 2 {
			o.Dim, o.RowStep, o.RowBound = dim, recursionStep, 1
			if v, err := o.Contraction(); err == nil {
				c = v
				break
			}
		}
		replaced, moved := r.IntN(2) == 1, 1.0
		without, with := take(t, x, 0, n-1), take(t, x, 0, n)
		if replaced {
			without, moved = take(t, x, 1, n), 2
		}
		one, l := recursionOf(t, with, o, math.Exp(2*r.NormFloat64()), 5)
		two, _ := recursionOf(t, without, o, 1, 5)
		g, err := fitRecursion(l, one.RecursionOptions)
		if err != nil {
			t.Fatal(err)
		}
		a, b := make([]int64, columns*dim), make([]int64, columns*dim)
		spread := math.Exp(6*r.NormFloat64() - 2)
		for j := range a {
			a[j] = int64(max(-1, min(1, r.NormFloat64()/10)) * float64(g.limit))
			b[j] = max(-g.limit, min(g.limit, a[j]+int64(spread*r.NormFloat64()*float64(g.bound))))
		}
		if r.IntN(4) == 0 {
			copy(b, a)
		}
		left, _ := beforeNoise(t, one, l, a)
		right, _ := beforeNoise(t, two, l, b)
		total := float64(g.bound) + one.slack(float64(g.bound)*1.02)
		if got, most := distance(left, right), c*distance(a, b)+moved*total; got > most {
			t.Fatalf("columns %d, derivative %v, learning rate %v: %v apart, want at most %v", columns, derivative, o.LearningRate, got, most)
		} else {
			closest = max(closest, got/most)
		}
	}
	if closest < 0.9 {
		t.Errorf("no pair comes closer than %v of the bound, want pairs that reach 0.9", closest)
	}
}

// TestRecordsStandAlone adds up what single records add, which must be what all of them add, to the bit: no
// record's part depends on the others, nor on how they are divided over processors.
func TestRecordsStandAlone(t *testing.T) {
	const n, dim, columns = 150, 5, 3
	r := rand.New(rand.NewPCG(7, 7))
	rows := recursionRows(t, r, n, dim, columns)
	o := usualRecursion(LogisticDerivative{}, columns)
	o.MaxRecords, o.Divisor = n, n
	rec, l := recursionOf(t, rows, o, 1.5, 3)
	x := make([]int64, dim*columns)
	for j := range x {
		x[j] = int64(r.NormFloat64() * 1e12)
	}
	of := func(rows *Rows) []int64 {
		alone := rec
		alone.Rows = rows
		out, _ := beforeNoise(t, alone, l, x)
		for j, v := range x {
			out[j] = v - shareOf(v, o.decay()) - out[j] // the gradients
		}
		return out
	}
	sum, others := make([]int64, dim*columns), 0
	for i := range n {
		for j, v := range of(take(t, rows, i, i+1)) {
			if sum[j] += v; v != 0 {
				others++
			}
		}
	}
	for j, v := range of(rows) {
		if v != sum[j] || others < n {
			t.Errorf("number %d: all records add %d, one after the other %d", j, v, sum[j])
		}
	}
}

// TestRoundingIsWithinItsSlack moves the weights a little over one table: without rounding a step would keep
// at most the share c of the distance; with it there is at most the slack beside, and more than nothing.
func TestRoundingIsWithinItsSlack(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	largest := 0.0
	for range 300 {
		columns, dim := 1+r.IntN(3), 1+r.IntN(3)
		rows := recursionRows(t, r, 12, dim, columns)
		o := usualRecursion(LogisticDerivative{}, columns)
		o.ClippingNorm = 5 // nothing is cut
		rec, l := recursionOf(t, rows, o, math.Exp(r.NormFloat64()), 5)
		g, err := fitRecursion(l, rec.RecursionOptions)
		if err != nil {
			t.Fatal(err)
		}
		a, b := make([]int64, columns*dim), make([]int64, columns*dim)
		for j := range a {
			a[j] = int64(r.NormFloat64() / g.unit)
			b[j] = a[j] + int64(math.Exp(8*r.Float64())*r.NormFloat64())
		}
		left, _ := beforeNoise(t, rec, l, a)
		right, _ := beforeNoise(t, rec, l, b)
		beyond := (distance(left, right) - l.Contraction*distance(a, b)) / rec.slack(float64(g.bound))
		if largest = max(largest, beyond); beyond > 1 {
			t.Fatalf("a step leaves %v of the slack more than the share of the distance, want at most 1", beyond)
		}
	}
	if largest < 0.01 {
		t.Errorf("rounding shows in %v of the slack, want a test that sees it", largest)
	}
}

// take makes rows of records from … to-1 of others.
func take(t testing.TB, rows *Rows, from, to int) *Rows {
	t.Helper()
	to = max(from, to)
	b, err := rows.Load(from, to-from, Block{})
	if err != nil {
		t.Fatal(err)
	}
	row, x := make([]int16, rows.Dim()), []float64{}
	for i := range to - from {
		b.CopyRow(row, i)
		for _, v := range row {
			x = append(x, float64(v)*recursionStep)
		}
	}
	return rowsOf(t, x, append([]float32{}, b.Labels()...), rows.Dim())
}

// TestRecordReachesTheCharge adds a record that is far on the wrong side, at the same weights: A moves by
// 0.99 of what is charged at least. And without records two points keep the share 1 - η·m of their
// distance.
func TestRecordReachesTheCharge(t *testing.T) {
	for _, columns := range []int{1, 3} {
		x := []float64{0.6, 0.79}
		with, without := rowsOf(t, x, []float32{0}, 2), rowsOf(t, nil, []float32{}, 2)
		o := usualRecursion(LogisticDerivative{}, columns)
		o.ClippingNorm = 0.1
		one, l := recursionOf(t, with, o, 2, 5)
		two, _ := recursionOf(t, without, o, 2, 5)
		g, err := fitRecursion(l, one.RecursionOptions)
		if err != nil {
			t.Fatal(err)
		}
		if total := math.Ldexp(1/l.NoiseMultiplier, int(g.bits)); float64(g.bound)+one.slack(total) > total {
			t.Errorf("one record's bound is %d of %v integers, want room for a slack of %v", g.bound, total, one.slack(total))
		}
		w, zero := make([]int64, 2*columns), make([]int64, 2*columns)
		for j := range w {
			w[j] = int64(math.Copysign(10, float64(columns)-1.5) * -x[j%2] / g.unit)
		}
		if columns == 3 { // of class 0 the other columns are right to fall, and wrong to rise
			for j := range w {
				w[j] = int64([]float64{-10, 10, 10}[j/2] * x[j%2] / g.unit)
			}
		}
		a, _ := beforeNoise(t, one, l, w)
		b, _ := beforeNoise(t, two, l, w)
		if got := distance(a, b) / (float64(g.bound) + one.slack(float64(g.bound))); got < 0.99 || got > 1 {
			t.Errorf("%d columns: the record moves a step by %v of the charge, want 0.99 to 1", columns, got)
		}
		long, _ := recursionOf(t, rowsOf(t, []float64{0.8, 0.7}, []float32{0}, 2), o, 2, 5)
		if a, _ = beforeNoise(t, long, l, w); distance(a, b) != 0 {
			t.Errorf("%d columns: a row beyond the row bound adds %v", columns, distance(a, b))
		}
		c, _ := beforeNoise(t, two, l, zero)
		if got, want := distance(b, c)/distance(w, zero), 1-math.Ldexp(float64(o.decay()), -decayBits); math.Abs(got-want) > 1e-9 {
			t.Errorf("a step keeps %v of a distance, want %v", got, want)
		}
	}
}

// TestLastIterateLaw runs recursions in one dimension whose gradients are all cut, so that the exact law
// of the last iterate is normal: with one record more its mean moves by μ deviations, μ being that of the
// published formula. Of 3000 runs each, the deviation of the difference of means is √(2/3000) = 0.026
// deviations, and that of the variances' ratio √(4/3000) = 0.037; 6 of them are passed with probability
// below 4e-9.
func TestLastIterateLaw(t *testing.T) {
	const runs, steps, z, width = 3000, 6, 1.5, 1000.0
	o := RecursionOptions{Derivative: HuberDerivative{width}, Columns: 1, ClippingNorm: 1, LearningRate: 0.25, Ridge: 1, Divisor: 2, Reach: 50, MaxRecords: 2}
	mean, variance := [2]float64{}, [2]float64{}
	for records := range 2 {
		x, labels := make([]float64, records), make([]float32, records)
		for i := range x {
			x[i], labels[i] = 1, 900 // the gradient is -1 after it is cut, wherever weights may come
		}
		r, l := recursionOf(t, rowsOf(t, x, labels, 1), o, z, steps)
		for range runs {
			out, err := RunRecursion(free{}, l, r)
			if err != nil {
				t.Fatal(err)
			}
			w := out.Values()[0]
			mean[records], variance[records] = mean[records]+w/runs, variance[records]+w*w/runs
		}
		variance[records] -= mean[records] * mean[records]
	}
	c := 0.75
	apart, square := 0.0, 0.0
	for range steps {
		apart, square = c*apart+o.LearningRate/o.Divisor, c*c*square+math.Pow(z*o.LearningRate/o.Divisor, 2)
	}
	if ratio := (variance[0] + variance[1]) / 2 / square; math.Abs(ratio-1) > 6*0.037/math.Sqrt2 {
		t.Errorf("variance is %v times that of the recursion", ratio)
	}
	deviation := math.Sqrt(square)
	got, want := (mean[1]-mean[0])/deviation, apart/deviation
	if math.Abs(got-want) > 6*math.Sqrt(2.0/runs) {
		t.Errorf("one record moves the mean by %v deviations, want %v", got, want)
	}
	// The event's μ is that distance: √((1-c^T)/(1+c^T)·(1+c)/(1-c))/z.
	power := math.Pow(c, steps)
	if mu := math.Sqrt((1-power)/(1+power)*(1+c)/(1-c)) / z; math.Abs(mu-want) > 1e-12 {
		t.Errorf("the formula gives μ %v, the recursion %v", mu, want)
	}
}

// TestLastIterateReachesTheOptimum trains at hardly any noise and compares with Newton's method in
// float64 on the same rows.
func TestLastIterateReachesTheOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const n = 40
	x, labels := make([]float64, n), make([]float32, n)
	for i := range x {
		x[i], labels[i] = math.Round((2*r.Float64()-1)/recursionStep)*recursionStep, float32(r.IntN(2))
	}
	o := RecursionOptions{Derivative: LogisticDerivative{}, Columns: 1, ClippingNorm: 1, LearningRate: 4, Ridge: 0.02, Divisor: n, Reach: 100, MaxRecords: n}
	rec, l := recursionOf(t, rowsOf(t, x, labels, 1), o, 1e-4, 400)
	out, err := RunRecursion(free{}, l, rec)
	if err != nil {
		t.Fatal(err)
	}
	w := 0.0
	for range 50 {
		slope, curve := o.Ridge*w, o.Ridge
		for i := range x {
			p := 1 / (1 + math.Exp(-w*x[i]))
			slope, curve = slope+(p-float64(labels[i]))*x[i]/n, curve+p*(1-p)*x[i]*x[i]/n
		}
		w -= slope / curve
	}
	if got := out.Values()[0]; math.Abs(got-w) > 1e-3 || w == 0 {
		t.Errorf("the last iterate is %v, the optimum %v", got, w)
	}
}

// TestRunPaysOnceBeforeItDraws denies payment, and counts it.
func TestRunPaysOnceBeforeItDraws(t *testing.T) {
	rows := recursionRows(t, rand.New(rand.NewPCG(1, 1)), 5, 3, 1)
	r, l := recursionOf(t, rows, usualRecursion(LogisticDerivative{}, 1), 2, 4)
	paid := &payer{}
	if _, err := RunRecursion(paid, l, r); err != nil || len(paid.events) != 1 || paid.events[0] != l.String() {
		t.Errorf("paid %v, %v, want %v once", paid.events, err, l)
	}
	asked := 0
	r.Before = func(step int) error { asked = step + 1; return nil }
	if out, err := RunRecursion(&purse{}, l, r); err == nil || asked > 0 || out.Values() != nil {
		t.Errorf("without money %d steps were taken, %v", asked, err)
	}
	if _, err := RunRecursion(free{}, l, r); err != nil || asked != 4 {
		t.Errorf("asked before %d steps, %v, want 4", asked, err)
	}
}

// otherDerivative embeds a loss derivative that its owner can exchange after the price was computed.
type otherDerivative struct{ LossDerivative }

func TestRecursionRefusals(t *testing.T) {
	usual := usualRecursion(LogisticDerivative{}, 1)
	for name, c := range map[string]struct {
		change func(*RecursionOptions, *mechanism.LastIterate)
		want   string
	}{
		"no ridge":          {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.Ridge = 0 }, "ridge"},
		"unstable":          {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.LearningRate = 10 }, "learning rate below"},
		"NaN rate":          {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.LearningRate = math.NaN() }, "learning rate"},
		"other contraction": {func(_ *RecursionOptions, l *mechanism.LastIterate) { l.Contraction -= 1e-9 }, "contraction"},
		"no steps":          {func(_ *RecursionOptions, l *mechanism.LastIterate) { l.Steps = 0 }, "1 step"},
		"more records":      {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.MaxRecords *= 2 }, "learning rate"},
		"no derivative":     {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.Derivative = nil }, "derivative"},
		"derivative of others": {func(o *RecursionOptions, _ *mechanism.LastIterate) {
			o.Derivative = &otherDerivative{LogisticDerivative{}}
		}, "derivative"},
		"wide huber":          {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.Derivative = HuberDerivative{math.Inf(1)} }, "width"},
		"infinite scores":     {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.ClippingNorm, o.RowStep = 1e300, 1e30 }, "finite"},
		"far reach":           {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.Reach = 1e13 }, "reach"},
		"fine rows":           {func(o *RecursionOptions, l *mechanism.LastIterate) { o.RowStep, l.NoiseMultiplier = 1e-11, 10 }, "rounding"},
		"rows on other grids": {func(o *RecursionOptions, _ *mechanism.LastIterate) { o.RowStep *= 2 }, "rows of the recursion"},
	} {
		rows := recursionRows(t, rand.New(rand.NewPCG(1, 1)), 5, 3, 1)
		r, l := recursionOf(t, rows, usual, 2, 4)
		c.change(&r.RecursionOptions, &l)
		paid := &payer{}
		if _, err := RunRecursion(paid, l, r); err == nil || !strings.Contains(err.Error(), c.want) || len(paid.events) > 0 {
			t.Errorf("%s: got %v after payment %v, want an error about %q before it", name, err, paid.events, c.want)
		}
	}
	sparse, err := NewRows(1, RowsOptions{Dim: 3, Step: recursionStep, Type: Sparse, Labels: []float32{1}}, func([]float64, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	framed, err := recursionRows(t, rand.New(rand.NewPCG(1, 1)), 5, 2, 1).Standardized(Standardization{Intercept: 1})
	if err != nil {
		t.Fatal(err)
	}
	text := inFile(t, recursionRows(t, rand.New(rand.NewPCG(1, 1)), 5, 3, 1))
	file, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string]*Rows{"sparse": sparse, "framed": framed, "read from a file": file, "none": nil} {
		r, l := recursionOf(t, recursionRows(t, rand.New(rand.NewPCG(1, 1)), 5, 3, 1), usual, 2, 4)
		r.Rows = rows
		if _, err = RunRecursion(free{}, l, r); err == nil {
			t.Errorf("%s rows: got no error", name)
		}
	}
}

// TestRecursionArithmetic compares products, shares and cuts with integers of any size.
func TestRecursionArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for range 2000 {
		dim := 1 + r.IntN(50)
		x, row, want := make([]int64, dim), make([]int16, dim), new(big.Int)
		for j := range x {
			x[j] = (r.Int64N(1<<62) - 1<<61) * 2 >> r.IntN(62)
			row[j] = int16(r.IntN(1<<16) - 1<<15)
			if r.IntN(3) == 0 && j > 0 { // cancels
				x[j], row[j] = -x[j-1], row[j-1]
			}
			want.Add(want, new(big.Int).Mul(big.NewInt(x[j]), big.NewInt(int64(row[j]))))
		}
		high, low := halves(x)
		exact, _ := new(big.Float).SetInt(want).Float64()
		if got := product(high, low, row); math.Abs(got-exact) > 0x1p-51*math.Abs(exact) {
			t.Fatalf("product of %v and %v is %v, want %v", x, row, got, exact)
		}
		decay := r.Uint64N(1 << 32)
		share := new(big.Int).Mul(big.NewInt(x[0]), new(big.Int).SetUint64(decay))
		if twice := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(shareOf(x[0], decay)), 33), new(big.Int).Lsh(share, 1)); twice.CmpAbs(new(big.Int).Lsh(big.NewInt(1), 32)) > 0 {
			t.Fatalf("share %d of %d is off by %v of 2^33", decay, x[0], twice)
		}
		n2, columns, bound := 1+r.Int64N(1<<r.IntN(62)), 1+r.IntN(1<<r.IntN(16)), 1+r.Int64N(1<<(8+r.IntN(43)))
		m := mostOf(n2, columns, bound)
		limit := new(big.Int).Mul(big.NewInt(bound), big.NewInt(bound))
		square := func(m int64) *big.Int {
			v := new(big.Int).Mul(big.NewInt(m), big.NewInt(m))
			return v.Mul(v, new(big.Int).Mul(big.NewInt(n2), big.NewInt(int64(columns))))
		}
		if square(m).Cmp(limit) > 0 || square(m+1).Cmp(limit) <= 0 {
			t.Fatalf("the largest coefficient for n2 %d, %d columns, bound %d is %d", n2, columns, bound, m)
		}
	}
}
