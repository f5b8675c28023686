package release

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMarks notes runs of records, in one go and as lists, of every place and length near the ends of words, and
// compares with a record of booleans: a run with one record that was noted is refused and notes none.
func TestMarks(t *testing.T) {
	const records = 200
	r := rand.New(rand.NewPCG(61, 1))
	sample, err := Draw(Full(), records)
	if err != nil {
		t.Fatal(err)
	}
	noted, refused := 0, 0
	for range 400 {
		s, want := newSeenSet(sample), make([]bool, records)
		for range 12 {
			first := r.IntN(records)
			n := min(1+r.IntN([]int{3, 70, 140}[r.IntN(3)]), records-first)
			var list []int
			if r.IntN(3) == 0 {
				for i := range n {
					list = append(list, first+i)
				}
			}
			again := slices.Contains(want[first:first+n], true)
			if err = s.mark(first, list, n); (err != nil) != again {
				t.Fatalf("records %d to %d, list %v: error %v, want one: %v", first, first+n, list != nil, err, again)
			}
			if again {
				refused++
			} else {
				noted++
				for i := range n {
					want[first+i] = true
				}
			}
			for i, w := range want {
				if got := s.added[i/64]>>(i%64)&1 == 1; got != w {
					t.Fatalf("records %d to %d: record %d is noted %v, want %v", first, first+n, i, got, w)
				}
			}
		}
	}
	if noted < 100 || refused < 100 {
		t.Errorf("%d runs were noted and %d refused: the test does not probe both", noted, refused)
	}
	s := newSeenSet(sample)
	for _, run := range [][2]int{{-1, 2}, {199, 2}, {200, 1}, {0, 201}} {
		if err = s.mark(run[0], nil, run[1]); err == nil || !s.empty() {
			t.Errorf("%d records from %d of 200: error %v, want one and none noted", run[1], run[0], err)
		}
	}
}
