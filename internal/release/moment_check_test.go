package release

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/mechanism"
)

// momentForms are products of rows of six coordinates.
var momentForms = map[string]Products{
	"all": AllProducts(), "squares": Squares(), "channels": ChannelProducts(2, 3), "places": PlaceProducts(2, 3),
}

// momentRowsOf returns rows of dim coordinates on the grid of second moments; kind chooses adversarial ones.
func momentRowsOf(t testing.TB, n, dim, kind int) *Rows {
	t.Helper()
	o, err := MomentRows(mechanism.Gaussian{NoiseMultiplier: 1}, n, dim, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := NewWholeRows(n, o, func() func(dst []int16, first, count int) {
		return func(dst []int16, first, count int) {
			for j := range dst {
				own := rand.New(rand.NewPCG(uint64(kind), uint64(first*dim+j)))
				switch kind % 5 {
				case 0: // some of them beyond the limit
					dst[j] = int16(own.IntN(1<<15) - 1<<14)
				case 1: // one large entry, at the end of the type
					if dst[j] = 0; j%dim == first%dim {
						dst[j] = math.MaxInt16
					}
				case 2:
					dst[j] = math.MinInt16
				case 3: // sparse
					dst[j] = int16(own.IntN(3)-1) * int16(own.IntN(2)) * 9999
				case 4: // all rows alike
					dst[j] = int16(5000 - 10000*(j%dim%2))
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func momentOf(t testing.TB, p Products, rows *Rows) *bounded {
	t.Helper()
	b, err := SumProducts(fullSample(t, rows.Len()), rows, p, mechanism.Gaussian{NoiseMultiplier: 1}, rows.Len())
	if err != nil {
		t.Fatal(err)
	}
	return b.state
}

// TestTrueSecondMomentsAreNotFaulty wants no alarm on any data; the check is exact, so that none is a chance.
func TestTrueSecondMomentsAreNotFaulty(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 4))
	for trial := range trials(100, 4000) {
		rows := momentRowsOf(t, 1+r.IntN(200), 6, trial)
		for name, p := range momentForms {
			if momentOf(t, p, rows).faulty {
				t.Fatalf("%s, kind %d: a true sum is faulty", name, trial%5)
			}
		}
	}
	rows := momentRowsOf(t, 2*gramRows+77, 6, 0) // several blocks and goroutines
	for name, p := range momentForms {
		if momentOf(t, p, rows).faulty {
			t.Errorf("%s: a true sum of many rows is faulty", name)
		}
	}
}

// TestRowsBeyondTheLimitOfMomentsAreFound lets rows grow in memory after they were measured: their products would be added.
func TestRowsBeyondTheLimitOfMomentsAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 6))
	for range trials(20, 1000) {
		rows := momentRowsOf(t, 40, 6, 4)
		row := momentRow(rows, r.IntN(40))
		for j := range row {
			row[j] = math.MaxInt16
		}
		for form, p := range momentForms {
			if !momentOf(t, p, rows).faulty {
				t.Fatalf("%s: a row beyond the limit was not found", form)
			}
			// the limit finds it by itself too, without the places of rows
			check := newMomentCheck(fullSample(t, 40), p, 6, rows.limit)
			check.note(0, slices.Clone(shorts(rows)))
			if check.agrees(sumOfProducts(rows, p)) {
				t.Fatalf("%s: the check adds up a row beyond the limit", form)
			}
		}
	}
}

// TestMomentsNoteEachRecordOnce wants a sum whose records were noted twice, or not all, never to agree.
func TestMomentsNoteEachRecordOnce(t *testing.T) {
	rows := momentRowsOf(t, 20, 6, 4)
	values, x := momentOf(t, AllProducts(), rows).values, shorts(rows)
	for name, parts := range map[string][][2]int{"all": {{0, 20}}, "twice": {{0, 20}, {3, 4}}, "one is missing": {{0, 19}}, "twice and missing": {{0, 19}, {18, 19}}} {
		c := newMomentCheck(fullSample(t, 20), AllProducts(), 6, rows.limit)
		for _, p := range parts {
			c.note(p[0], x[p[0]*6:p[1]*6])
		}
		if c.agrees(values) != (name == "all") {
			t.Errorf("%s: the sum agrees, or does not", name)
		}
	}
}

// TestRowsAreClearedForTheirOwnNorm wants a row to be beyond the limit only where its own integers are, whatever a kernel
// computed as its norm: that of another record would decide else.
func TestRowsAreClearedForTheirOwnNorm(t *testing.T) {
	x := [][]int16{{3, 4}, {math.MinInt16, math.MinInt16}}
	for _, c := range []struct {
		row         int
		norm, limit int64
		beyond      bool
	}{{0, 25, 25, false}, {0, 25, 24, true}, {0, 1 << 31, 25, false}, {1, 1 << 31, 1<<31 - 1, true}, {1, 1<<31 + 1, 1 << 31, false}} {
		if got := beyond(x[c.row], c.norm, c.limit); got != c.beyond {
			t.Errorf("row %d with norm %d: it is beyond %d: %v, want %v", c.row, c.norm, c.limit, got, c.beyond)
		}
	}
}
