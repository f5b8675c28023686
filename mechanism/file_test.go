package mechanism

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/linalg"
)

// inFile writes rows in memory to a file, in two parts, and returns its bytes.
func inFile(t testing.TB, parts ...*Rows) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewRowsWriter(&out)
	for _, rows := range parts {
		if err := w.Append(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close([]byte(`"a note"`)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// smallBlocks splits the rows of a file into blocks of a few rows, by writing them in parts.
func smallBlocks(t testing.TB, x [][]float64, kind RowType, labels []float32) []byte {
	t.Helper()
	var parts []*Rows
	dim := len(x[0])
	for first := 0; first < len(x); first += 7 {
		n := min(7, len(x)-first)
		rows, err := NewRows(n, RowsOptions{Dim: dim, Step: 1 / float64(kind.Largest()), Type: kind, Labels: labels[first : first+n]}, func(dst []float64, at, k int) {
			for i := range k {
				copy(dst[i*dim:(i+1)*dim], x[first+at+i])
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, rows)
	}
	return inFile(t, parts...)
}

// TestRowsInAFileAreRowsInMemory compares sums, scores, norms and labels of rows of every type in every
// frame, all of them and listed ones; dimensions below and above which measures are kept.
func TestRowsInAFileAreRowsInMemory(t *testing.T) {
	const n, columns = 60, 2
	for _, dim := range []int{5, 2100} {
		eachFrame(t, dim, func(t *testing.T, r *rand.Rand, kind RowType, f Frame) {
			x := coordinates(r, kind, n, dim)
			memory := typedRows(t, x, kind, f, 0, n)
			memory.labels = make([]float32, n)
			for i := range memory.labels {
				memory.labels[i] = r.Float32()
			}
			text := smallBlocks(t, x, kind, memory.labels)
			file, err := OpenRows(bytes.NewReader(text), int64(len(text)), f)
			if err != nil {
				t.Fatal(err)
			}
			weights := make([]float64, columns*memory.Dim())
			for j := range weights {
				weights[j] = r.NormFloat64()
			}
			list := r.Perm(n)[:25]
			for _, records := range [][]int{nil, list, {3}, {}} {
				want, wantScores := sumAndScores(t, memory, weights, records)
				got, gotScores := sumAndScores(t, file, weights, records)
				if !slices.Equal(got, want) {
					t.Fatalf("records %v: another sum", records)
				}
				if !slices.Equal(gotScores, wantScores) {
					t.Fatalf("records %v: other scores, labels or norms", records)
				}
			}
		})
	}
}

// sumAndScores proposes each record's scores, and returns the sum, and the bits of all scores, labels
// and norms.
func sumAndScores(t *testing.T, rows *Rows, weights []float64, records []int) (sum []int64, seen []uint64) {
	t.Helper()
	sample, _ := Full().Draw(rows.total)
	s := newTestSum(t, rows, sample, 2, 1, rows.total)
	scorer := rows.Scorer(weights, 2)
	take := func(b Block) error {
		scores := make([]float32, 2*b.Len())
		scorer.Scores(scores, b)
		c := linalg.Contributions{Columns: 2}
		for i, v := range scores {
			c.Coefficients = append(c.Coefficients, float64(v))
			seen = append(seen, uint64(math.Float32bits(v)), uint64(math.Float32bits(b.Labels()[i/2])), math.Float64bits(b.Norm(i/2)))
		}
		return s.AddBlock(b, c)
	}
	var err error
	if records == nil {
		err = rows.Each(3, rows.Len()-5, take)
	} else {
		var b Block
		if b, err = rows.LoadAt(records, Block{}); err == nil {
			err = take(b)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.Seal().state.values, seen
}

// TestDamagedFilesAreRefused changes every byte of a small file, and cuts it at every length: it is
// refused when it is opened or read.
func TestDamagedFilesAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, kind := range rowTypes {
		x := coordinates(r, kind, 20, 3)
		labels := make([]float32, len(x))
		text := smallBlocks(t, x, kind, labels)
		whole := readAll(t, text)
		for at := range text {
			damaged := slices.Clone(text)
			damaged[at] ^= 1 << r.IntN(8)
			if got := readAll(t, damaged); got != "" {
				t.Fatalf("%v: byte %d of %d was changed and the file was taken", kind, at, len(text))
			}
			if got := readAll(t, text[:at]); got != "" {
				t.Fatalf("%v: %d of %d bytes were taken for a whole file", kind, at, len(text))
			}
		}
		if whole == "" {
			t.Fatalf("%v: the undamaged file was refused", kind)
		}
	}
}

// readAll returns the integers of all rows as text, or nothing when the file is refused.
func readAll(t *testing.T, text []byte) string {
	t.Helper()
	rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Frame{})
	if err != nil {
		return ""
	}
	var out strings.Builder
	err = rows.Each(0, rows.Len(), func(b Block) error {
		row := make([]int16, rows.dim)
		for i := range b.Len() {
			b.CopyRow(row, i)
			for _, v := range row {
				out.WriteString(string(rune(v + 32768/2)))
			}
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return out.String()
}

// TestEachStopsAtAnError holds that reading ahead ends with the first error, of the reader or of what is done.
func TestEachStopsAtAnError(t *testing.T) {
	x := coordinates(rand.New(rand.NewPCG(4, 5)), Uint8, 50, 3)
	text := smallBlocks(t, x, Uint8, make([]float32, len(x)))
	rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Frame{})
	if err != nil {
		t.Fatal(err)
	}
	calls, stop := 0, errors.New("enough")
	if err = rows.Each(0, 50, func(Block) error { calls++; return stop }); !errors.Is(err, stop) || calls != 1 {
		t.Errorf("got %v after %d calls, want the first error", err, calls)
	}
	if err = rows.Each(0, 51, func(Block) error { return nil }); err == nil {
		t.Error("more rows than there are were taken")
	}
}
