package release

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// shifting is memory whose row is another at each reading, of the same squared norm. Its kernels
// see the last.
type shifting struct {
	storage
	readings *[]storage
}

func (s shifting) Part(int, int) storage { return s }

func (s shifting) Read(i int, own *room) ([]uint32, []int16, []uint8) {
	now := (*s.readings)[0]
	if len(*s.readings) > 1 {
		*s.readings = (*s.readings)[1:]
	}
	return now.Read(i, own)
}

// TestRowIsOfOneReading measures a row in memory that changes between readings: what is kept of it
// is the squared norm and the product with the secret of one row, or the row is refused. The row
// that a kernel sees is nearer to the center than the one before it.
func TestRowIsOfOneReading(t *testing.T) {
	f := Standardization{Normalize: NormalizeClip, Radius: 100, Center: []float64{0.3, 0.4}}
	for _, kind := range []RowType{Int16, Uint8, Sparse} {
		far, near := typedRows(t, [][]float64{{0.8, 0.6}}, kind, f, 0, 1), typedRows(t, [][]float64{{0.6, 0.8}}, kind, f, 0, 1)
		if far.n2[0] <= near.n2[0] {
			t.Fatalf("squared norms are %d and %d, want the first to be larger", far.n2[0], near.n2[0])
		}
		for before := range 4 {
			readings := append(slices.Repeat([]storage{far.x}, before), near.x)
			rows := typedRows(t, [][]float64{{0.8, 0.6}}, kind, Standardization{}, 0, 1)
			rows.x, rows.origin.plain = shifting{near.x, &readings}, plain{}
			seen, err := rows.Standardized(f)
			if errors.Is(err, ErrComputation) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range []*Rows{far, near} {
				_, mix := new(reader).mix(row.x, 0, seen.frame.secret)
				is := seen.frame.mixOf(mix, row.beta(0), row.tail(0)) == seen.known.mixes[0]
				if is && seen.known.n2[0] != row.n2[0] {
					t.Errorf("%v, %d readings before: the row has the squared norm %d, want %d", kind, before, seen.known.n2[0], row.n2[0])
				}
			}
		}
	}
}

// TestReaderComputesOfACopy overwrites the memory of a row after it was read: its product with a
// center and its largest magnitude stay those of the row that was measured.
func TestReaderComputesOfACopy(t *testing.T) {
	m := []int64{3, -5}
	for _, kind := range rowTypes {
		first, other := typedRows(t, [][]float64{{1, 0}}, kind, Standardization{}, 0, 1), typedRows(t, [][]float64{{0, 1}}, kind, Standardization{}, 0, 1)
		var own reader
		if _, mix := own.mix(first.x, 0, uniform(2)); mix >= prime {
			t.Fatalf("%v: the row was not read", kind)
		}
		dot, peak := own.dot(m), own.peak()
		if dot != 3*peak || peak < 1 {
			t.Fatalf("%v: product %d and largest magnitude %d, want three times the second", kind, dot, peak)
		}
		if kind == Sparse { // the row is read in the memory of the index and the values
			index, values, _ := first.x.Read(0, &room{})
			index[0], values[0] = 1, -9
		} else {
			first.x.Put(0, other.row(0))
		}
		if own.dot(m) != dot || own.peak() != peak {
			t.Errorf("%v: after a change of memory the product is %d and the largest magnitude %d, want %d and %d", kind, own.dot(m), own.peak(), dot, peak)
		}
	}
}

// TestChangedRowsHaveNoScores changes a row between its measures and its largest magnitude: scores
// would bound a row that the checks do not know.
func TestChangedRowsHaveNoScores(t *testing.T) {
	rows := typedRows(t, [][]float64{{0.25, 1}, {0.5, 0.75}}, Int16, Standardization{Normalize: NormalizeUnit, Intercept: 0.5}, 0, 2)
	if _, err := NewRowsWithMax(rows); err != nil {
		t.Fatal(err)
	}
	shorts(rows)[3]--
	if _, err := NewRowsWithMax(rows); !errors.Is(err, ErrComputation) {
		t.Errorf("a row that changed: got error %v, want %v", err, ErrComputation)
	}
}

// TestRowsOfTheLargestNormAreTheSame compares what portable code and kernels make of rows of the
// largest norm that counts: no true row stops a run.
func TestRowsOfTheLargestNormAreTheSame(t *testing.T) {
	rows, _ := made(t, [][]float64{{1}}, 1)
	for _, square := range []int64{0, 1, maxSquare - 1, maxSquare, maxSquare + 1, maxSquare + 32, maxSquare + 33, maxSquare + 64, 2 * maxSquare, math.MaxInt64} {
		rows.known, rows.origin.plain = newEntered(1), plain{square: []int64{square}, mix: []uint64{5}}
		n2 := rows.frame.measure(square, 0).n2
		if err := rows.enterRow(n2, 0, nil); err != nil {
			t.Errorf("a row of squared norm %d: %v", square, err)
		}
	}
}

// TestBlocksOfNothingAreRefused hands sums and groups a block that nobody loaded.
func TestBlocksOfNothingAreRefused(t *testing.T) {
	rows, sample := made(t, [][]float64{{1, 2}, {3, 4}}, 0.01)
	s, none := newTestSum(t, rows, sample, 1, 1, 2), kernel.Contributions{Columns: 1}
	if err := s.AddBlock(Block{}, none); !errors.Is(err, errOtherKind) {
		t.Errorf("a sum took a block of nothing with error %v, want %v", err, errOtherKind)
	}
	g, err := NewGroup(s)
	if err != nil {
		t.Fatal(err)
	}
	if err = g.AddBlock([]Block{{}}, []kernel.Contributions{none}); !errors.Is(err, errOtherKind) {
		t.Errorf("a group took a block of nothing with error %v, want %v", err, errOtherKind)
	}
}

// late is an adder that changes its sum after it was sealed.
type late struct {
	adder
	last []int64
}

func (l *late) values() []int64 {
	l.last = l.adder.values()
	return l.last
}

// TestSealedSumsStayAsTheyWereChecked changes the memory of an adder after its sum was sealed, and
// adds records to a copy of a sealed sum: what is released stays what was checked.
func TestSealedSumsStayAsTheyWereChecked(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 15))
	for _, f := range append(frames(r, 3), Standardization{}) {
		rows := typedRows(t, coordinates(r, Int16, 4, 3), Int16, f, 0, 4)
		s := newTestSum(t, rows, fullSample(t, 4), 1, 1, 4)
		l := &late{adder: s.adder}
		s.adder = l
		again := *s
		if err := s.Add(0, kernel.Contributions{Columns: 1, Coefficients: []float64{0.5, 0.25}}); err != nil {
			t.Fatal(err)
		}
		sealed := s.Seal().state
		checked := slices.Clone(sealed.values)
		if err := again.Add(2, kernel.Contributions{Columns: 1, Coefficients: []float64{0.5, 0.25}}); err != nil {
			t.Fatal(err)
		}
		again.Seal()
		for j := range l.last {
			l.last[j] += 7
		}
		if sealed.faulty || !slices.Equal(sealed.values, checked) {
			t.Errorf("frame %+v: a sealed sum became %v, want %v", f, sealed.values, checked)
		}
	}
}

// TestBlocksOfOtherRowsAreRefused hands a sum blocks that its secret or its frame does not explain,
// and proposals of another shape. Each is an error of the caller, and leaves no mark: the block of
// its own rows is added after them, and the sum is right.
func TestBlocksOfOtherRowsAreRefused(t *testing.T) {
	x := [][]float64{{0.5, 0.25}, {0.125, 1}}
	rows, twin := typedRows(t, x, Int16, Standardization{}, 0, 2), typedRows(t, x, Int16, Standardization{}, 0, 2)
	clipped, err := rows.Standardized(Standardization{Normalize: NormalizeClip, Radius: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	s, reference := newTestSum(t, rows, fullSample(t, 2), 1, 1, 2), newTestSum(t, rows, fullSample(t, 2), 1, 1, 2)
	proposals := kernel.Contributions{Columns: 1, Coefficients: []float64{0.5, 0.25}}
	for name, of := range map[string]*Rows{"another secret": twin, "another frame": clipped} {
		b, failed := of.Load(0, 2, Block{})
		if failed != nil {
			t.Fatal(failed)
		}
		if err = s.AddBlock(b, proposals); !errors.Is(err, errOtherKind) {
			t.Errorf("a block of rows of %s: got error %v, want %v", name, err, errOtherKind)
		}
	}
	b, err := rows.Load(0, 2, Block{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []kernel.Contributions{{Columns: 2, Coefficients: proposals.Coefficients}, {Columns: 1, Coefficients: proposals.Coefficients[:1]}, {Columns: 1, Coefficients: make([]float64, 3)}} {
		if err = s.AddBlock(b, c); err == nil {
			t.Errorf("%d coefficients of %d columns were taken for 2 records of 1", len(c.Coefficients), c.Columns)
		}
	}
	if err = errors.Join(s.AddBlock(b, proposals), reference.AddBlock(b, proposals)); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Seal().state, reference.Seal().state; got.faulty || !slices.Equal(got.values, want.values) {
		t.Errorf("after blocks that were refused the sum is %v, want %v", got.values, want.values)
	}
	o := SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Columns: 1, Bound: math.Inf(1), MaxRecords: 3}
	if _, err = NewSum(fullSample(t, 2), rows, o); err == nil {
		t.Error("an infinite bound: got a sum, want an error")
	}
	o.Bound = 1
	if _, err = NewSum(fullSample(t, 3), rows, o); err == nil {
		t.Error("a sample of 3 records for 2 rows: got a sum, want an error")
	}
}

// TestSumsOfOtherGridsAreNotMerged merges sums, by themselves and in groups, with sums for another
// noise, of other columns or with another bound, over the same sample. Each is refused, in both
// orders: a record of the one could pass the bound of the other.
func TestSumsOfOtherGridsAreNotMerged(t *testing.T) {
	rows, sample := made(t, [][]float64{{1, 2}, {3, 4}}, 0.01)
	o := SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 2}, Columns: 2, Bound: 1, MaxRecords: 2}
	of := func(o SumOptions) *Sum {
		s, err := NewSum(sample, rows, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	group := func(o SumOptions) *Group {
		g, err := NewGroup(of(o))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for name, change := range map[string]func(o *SumOptions){
		"noise":   func(o *SumOptions) { o.Noise = mechanism.Gaussian{NoiseMultiplier: 1} },
		"columns": func(o *SumOptions) { o.Columns = 3 },
		"bound":   func(o *SumOptions) { o.Bound = 2 },
		"records": func(o *SumOptions) { o.MaxRecords = 1 << 20 },
		"grid":    func(o *SumOptions) { o.Coarse = true },
	} {
		other := o
		change(&other)
		for _, pair := range [][2]SumOptions{{o, other}, {other, o}} {
			if err := of(pair[0]).Merge(of(pair[1])); !errors.Is(err, errOtherKind) {
				t.Errorf("a sum of another %s was merged with error %v, want %v", name, err, errOtherKind)
			}
			if err := group(pair[0]).Merge(group(pair[1])); !errors.Is(err, errOtherKind) {
				t.Errorf("a group of another %s was merged with error %v, want %v", name, err, errOtherKind)
			}
		}
	}
	if err := errors.Join(of(o).Merge(of(o)), group(o).Merge(group(o))); err != nil {
		t.Errorf("sums of one kind are refused: %v", err)
	}
}

// TestMergedSumsAreEmptyAgain merges a sum, of the same rows or of twins with another secret, and
// fills it once more: nothing of what it held and noted is left, so that both sums are right.
func TestMergedSumsAreEmptyAgain(t *testing.T) {
	x := [][]float64{{0.5, 0.25}, {0.125, 1}, {0.75, 0}}
	rows, twin := typedRows(t, x, Int16, Standardization{}, 0, 3), typedRows(t, x, Int16, Standardization{}, 0, 3)
	for name, other := range map[string]*Rows{"the same rows": rows, "a twin": twin} {
		sample, one := fullSample(t, 3), kernel.Contributions{Columns: 1, Coefficients: []float64{0.5}}
		s, reference := newTestSum(t, rows, sample, 1, 1, 3), newTestSum(t, rows, sample, 1, 1, 3)
		part, err := emptyOf(s, other)
		for i := 0; i < 3 && err == nil; i++ {
			if err = errors.Join(reference.Add(i, one), part.Add(i, one)); err == nil {
				err = s.Merge(part)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		got, want, rest := s.Seal().state, reference.Seal().state, part.Seal().state
		if got.faulty || rest.faulty || !slices.Equal(got.values, want.values) || slices.Max(rest.values) != 0 {
			t.Errorf("%s: the sums are %v (faulty: %v) and %v (faulty: %v), want %v and zeros", name, got.values, got.faulty, rest.values, rest.faulty, want.values)
		}
	}
}

// TestRowsOfAFileAreForSumsAlone hands rows of a file to mechanisms that read rows themselves: no check sees
// what a later reading holds there.
func TestRowsOfAFileAreForSumsAlone(t *testing.T) {
	rows := toyRows(t, 1, []toyRecord{{[]float64{1}, 1}, {[]float64{-0.5}, 0}})
	text := inFile(t, rows)
	file, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, noise := context.Background(), mechanism.Gaussian{NoiseMultiplier: 100}
	p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 1, MaxRecords: 2}
	for name, run := range map[string]func(*Rows) error{
		"minimizer": func(rows *Rows) error { _, failed := p.Minimize(ctx, rows, noise, L2()); return failed },
		"descent": func(rows *Rows) error {
			_, failed := GradientDescent{p, 0.1, 2}.Run(ctx, rows, noise, L2())
			return failed
		},
		"permuted descent": func(rows *Rows) error {
			_, failed := PermutedDescent{p, 2, 1, 1, 0}.Run(ctx, rows, noise, L2())
			return failed
		},
		"objective": func(rows *Rows) error {
			_, failed := SolveObjective(ctx, &noted{}, mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.26}, p, rows, noise)
			return failed
		},
		"scores": func(rows *Rows) error { _, failed := NewRowsWithMax(rows); return failed },
	} {
		if failed := run(rows); failed != nil {
			t.Errorf("%s of rows in memory: %v", name, failed)
		}
		if run(file) == nil {
			t.Errorf("%s took rows of a file", name)
		}
	}
}
