package release

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// TestRowsAreThoseOfTheirRecords hands sums the rows of some records under the names of others, in all types and frames: no
// such sum agrees. By chance it fails with a probability below 1e-12: 2^-61 a trial.
func TestRowsAreThoseOfTheirRecords(t *testing.T) {
	const n, dim = 6, 5
	r := rand.New(rand.NewPCG(17, 4))
	for trial := range 200 {
		all := frames(r, dim)
		kind, f := rowTypes[trial%len(rowTypes)], all[trial/len(rowTypes)%len(all)]
		rows := typedRows(t, coordinates(r, kind, n, dim), kind, f, 0, n)
		s := newTestSum(t, rows, fullSample(t, n), 1, 1, n)
		b, err := rows.LoadAt([]int{1, 2}, Block{})
		if err != nil {
			t.Fatal(err)
		}
		b.records = []int{4, 5}
		if err = s.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: []float64{1, -0.5}}); err != nil {
			continue // the proposals are beyond the bound of these records
		}
		// It is right that records which add nothing, or the same, agree.
		if got := s.Seal().state; !got.faulty && !sameRow(rows, s, 1, 4) && !sameRow(rows, s, 2, 5) {
			t.Fatalf("%v, %+v: the rows of records 1 and 2 were added as those of 4 and 5: %v", kind, f, got.values)
		}
	}
}

// sameRow reports whether two records add the same, or nothing was added of the first.
func sameRow(rows *Rows, s *Sum, i, j int) bool {
	return rows.known.mixes[i] == rows.known.mixes[j] || adderOf(s).exact[(i-1)%2] == 0
}

// TestRowsThatWereNotEnteredAddNothing hands a sum a block of rows of which nothing is known: it errs, and is never released.
func TestRowsThatWereNotEnteredAddNothing(t *testing.T) {
	for columns := 1; columns <= 2; columns++ {
		rows, sample := made(t, [][]float64{{1, 2}, {3, 4}}, 0.01)
		s := newTestSum(t, rows, sample, columns, 1, 2)
		b, err := rows.Load(0, 2, Block{})
		if err != nil {
			t.Fatal(err)
		}
		rows.known = &entered{n2: rows.n2, mixes: []uint64{rows.known.mixes[0], notEntered}}
		err = s.AddBlock(b, kernel.Contributions{Columns: columns, Coefficients: make([]float64, 2*columns)})
		if !errors.Is(err, ErrComputation) || !s.Seal().state.faulty {
			t.Errorf("%d columns: a row that was not entered was added with error %v", columns, err)
		}
	}
}

// crooked is memory that gives a row of other coordinates than it has.
type crooked struct {
	storage
	index  []uint32
	values []int16
	bytes  []uint8
}

func (c crooked) Read(int, *room) ([]uint32, []int16, []uint8) { return c.index, c.values, c.bytes }

// TestRowsThatAreNoneAreRefused reads rows with a coordinate that is named twice, out of order or
// beyond the end, and rows of another length. Their integers have the squares that a kernel finds,
// and all the same they do not enter. Rows as they are do.
func TestRowsThatAreNoneAreRefused(t *testing.T) {
	for _, f := range []Standardization{{}, {Intercept: 1}} {
		rows := typedRows(t, [][]float64{{3, 4}, {3, 4}}, Sparse, f, 0, 2)
		x := rows.x
		_, v, _ := x.Read(0, &room{})
		if len(v) != 2 {
			t.Fatalf("the rows are %v, want two integers", v)
		}
		for name, c := range map[string]crooked{
			"right": {index: []uint32{0, 1}, values: v}, "right and dense": {values: v},
			"twice": {index: []uint32{0, 0}, values: v}, "out of order": {index: []uint32{1, 0}, values: v},
			"beyond the end": {index: []uint32{0, 2}, values: v}, "too long": {values: []int16{v[0], v[1], 0}},
			"without a coordinate": {index: []uint32{0}, values: v}, "too few bytes": {bytes: []uint8{5}},
			"both": {index: []uint32{0, 1}, values: v, bytes: []uint8{9, 9}},
		} {
			c.storage, rows.origin = x, newOrigin(2)
			rows.x = c
			err := rows.measure()
			if right := strings.HasPrefix(name, "right"); right != (err == nil) || !right && !errors.Is(err, ErrComputation) {
				t.Errorf("%s in frame %+v: got %v, want %v", name, f, err, ErrComputation)
			}
		}
	}
}
