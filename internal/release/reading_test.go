package release

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// shifting is memory whose row is another at each reading, of the same squared norm. Its kernels
// see the last.
type shifting struct {
	storage
	readings *[]storage
}

func (s shifting) part(int, int) storage { return s }

func (s shifting) read(i int, own *room) ([]uint32, []int16, []uint8) {
	now := (*s.readings)[0]
	if len(*s.readings) > 1 {
		*s.readings = (*s.readings)[1:]
	}
	return now.read(i, own)
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

// TestRowsOfTheLargestNormAreTheSame compares what portable code and kernels make of rows of the
// largest norm that counts: no true row stops a run.
func TestRowsOfTheLargestNormAreTheSame(t *testing.T) {
	rows, _ := made(t, [][]float64{{1}}, 1)
	for _, square := range []int64{0, 1, maxSquare - 1, maxSquare, maxSquare + 1, maxSquare + 32, maxSquare + 33, maxSquare + 64, 2 * maxSquare, math.MaxInt64} {
		rows.known, rows.origin.plain = newEntered(make([]int64, 1)), plain{square: []int64{square}, mix: []uint64{5}}
		n2 := rows.frame.measure(square, 0).n2
		if err := rows.enterRow(&n2, rows.x, 0, 0, nil, &reader{}); err != nil {
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
