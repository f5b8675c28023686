package release

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/rows"
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
	const columns = 2
	for _, size := range []struct{ rows, dim int }{{60, 5}, {20, 2100}} {
		n, dim := size.rows, size.dim
		eachFrame(t, dim, func(t *testing.T, r *rand.Rand, kind RowType, f Standardization) {
			all := thorough || f.Center != nil && f.Intercept > 0
			if f.Whitening != nil && dim > 1000 && (kind != Bit || !all) {
				t.Skip("wide whitened rows of bits, of which alone measures are kept, stand for all")
			}
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
			back, err := ReadRows(bytes.NewReader(text), int64(len(text)), f)
			if err != nil {
				t.Fatal(err)
			}
			weights := make([]float64, columns*memory.Dim())
			for j := range weights {
				weights[j] = r.NormFloat64()
			}
			list := r.Perm(n)[:n/2]
			for _, records := range [][]int{nil, list, {3}, {}} {
				want, wantScores := sumAndScores(t, memory, weights, records)
				for name, rows := range map[string]*Rows{"in a file": file, "from a file": back} {
					got, gotScores := sumAndScores(t, rows, weights, records)
					if !slices.Equal(got, want) {
						t.Fatalf("%s, records %v: another sum", name, records)
					}
					if !slices.Equal(gotScores, wantScores) {
						t.Fatalf("%s, records %v: other scores, labels or norms", name, records)
					}
				}
			}
		})
	}
}

// sumAndScores proposes each record's scores, and returns the sum, and the bits of all scores, labels
// and norms.
func sumAndScores(t *testing.T, rows *Rows, weights []float64, records []int) (sum []int64, seen []uint64) {
	t.Helper()
	sample, _ := Draw(Full(), rows.total)
	s := newTestSum(t, rows, sample, 2, 1, rows.total)
	scorer := rows.Scorer(weights, 2)
	take := func(b Block) error {
		scores := make([]float32, 2*b.Len())
		scorer.Scores(scores, b)
		c := kernel.Contributions{Columns: 2}
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
			if _, err := ReadRows(bytes.NewReader(damaged), int64(len(damaged)), Standardization{}); err == nil {
				t.Fatalf("%v: byte %d of %d was changed and the file was read into memory", kind, at, len(text))
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
	rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
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
	rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
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

// changing is a file whose bytes change under its reader.
type changing struct{ text []byte }

func (c *changing) ReadAt(dst []byte, at int64) (int, error) { return copy(dst, c.text[at:]), nil }

// TestChangedFileKeepsTheBound changes every byte of the rows after the file was opened, to the least and the
// largest integers that fit, and sums one record at a time: each that adds
// something makes a faulty sum. Rows of bits that are long keep
// their measures, and are refused by their checksum; so are bits beyond the end of a row.
func TestChangedFileKeepsTheBound(t *testing.T) {
	for _, kind := range []RowType{Int16, Uint8, Bit} {
		for _, dim := range []int{3, 64, 70, 2112} {
			x := coordinates(rand.New(rand.NewPCG(4, 6)), kind, 9, dim)
			file := &changing{smallBlocks(t, x, kind, make([]float32, len(x)))}
			rows, err := OpenRows(file, int64(len(file.text)), Standardization{})
			if err != nil {
				t.Fatal(err)
			}
			keeps := kind == Bit && dim != 64
			for _, b := range rows.file.Table.Blocks {
				for i := range b.Bytes - 4*b.Rows {
					file.text[b.Offset+int64(i)] = []byte{0x00, 0x80, 0xff, 0xff}[i&1+2*int(b.Offset&1)]
				}
			}
			for record := range len(x) {
				s := newTestSum(t, rows, fullSample(t, len(x)), 1, 1, len(x))
				err = rows.Each(record, 1, func(b Block) error {
					return s.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: []float64{1e9}})
				})
				switch faulty := s.Seal().state.faulty; {
				case keeps && !errors.Is(err, ErrDamaged), !keeps && err != nil:
					t.Fatalf("%v, dim %d, record %d: got %v", kind, dim, record, err)
				case !keeps && !faulty && rows.known.n2[record] > 0:
					t.Fatalf("%v, dim %d, record %d: the sum of a record that adds something and changed is not faulty", kind, dim, record)
				}
			}
		}
	}
}

func fullSample(t testing.TB, records int) Sample {
	t.Helper()
	s, err := Draw(Full(), records)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestChecksumsAreHeldAgain changes a row after a file was opened: it is found within so many passes that add nothing.
func TestChecksumsAreHeldAgain(t *testing.T) {
	x := coordinates(rand.New(rand.NewPCG(4, 7)), Int16, 20, 3)
	file := &changing{smallBlocks(t, x, Int16, make([]float32, len(x)))}
	r, err := OpenRows(file, int64(len(file.text)), Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	pass := func() error { return r.Each(0, len(x), func(Block) error { return nil }) }
	for range 2 * rows.CheckEvery {
		if err = pass(); err != nil {
			t.Fatalf("the undamaged file: %v", err)
		}
	}
	last := r.file.Table.Blocks[len(r.file.Table.Blocks)-1]
	file.text[last.Offset] ^= 1
	for k := range rows.CheckEvery {
		if err = pass(); err != nil {
			break
		}
		if k == rows.CheckEvery-1 {
			t.Fatalf("the damage was not found in %d passes", rows.CheckEvery)
		}
	}
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want that the file is damaged", err)
	}
}

// TestFileThatIsWrittenToIsRefused holds that a file that the operating system says was changed is not read on.
func TestFileThatIsWrittenToIsRefused(t *testing.T) {
	x := coordinates(rand.New(rand.NewPCG(4, 8)), Uint8, 20, 3)
	path := filepath.Join(t.TempDir(), "rows")
	text := smallBlocks(t, x, Uint8, make([]float32, len(x)))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := OpenRows(file, int64(len(text)), Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(Block) error { return nil }
	if err = rows.Each(0, len(x), nothing); err != nil {
		t.Fatalf("a file that nobody wrote to: %v", err)
	}
	if err = os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err = rows.Each(0, len(x), nothing); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want that the file is damaged", err)
	}
}

// TestPassMeetsEveryRowOnce counts the rows that the parts of a pass meet, in memory and in a file, run one
// after another and at the same time.
func TestPassMeetsEveryRowOnce(t *testing.T) {
	const n = 1300
	x := coordinates(rand.New(rand.NewPCG(4, 9)), Uint8, n, 3)
	memory := typedRows(t, x, Uint8, Standardization{}, 0, n)
	text := smallBlocks(t, x, Uint8, make([]float32, n))
	file, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string]*Rows{"memory": memory, "file": file} {
		for _, parts := range []int{1, 3, -1, -2} {
			begin := rows.Scan
			if parts < 0 {
				parts, begin = -parts, rows.LongPass
			}
			met, pass := make([]atomic.Int32, n), begin(parts)
			parallel.Parts(parts, func(from, to int) {
				for p := from; p < to; p++ {
					if failed := pass.Each(p, func(b Block) error {
						for i := range b.Len() {
							met[b.Record(i)].Add(1)
						}
						return nil
					}); failed != nil {
						t.Error(failed)
					}
				}
			})
			for i := range met {
				if got := met[i].Load(); got != 1 {
					t.Fatalf("%s, %d parts: row %d was met %d times, want once", name, parts, i, got)
				}
			}
		}
	}
}

// TestLeastIntegerIsSummedExactly adds -32768 · 2^38 and then -1, which float64 cannot hold in one number:
// memory of 16 bits may hold more than the largest integer of its type.
func TestLeastIntegerIsSummedExactly(t *testing.T) {
	w := newWholeSum(typedRows(t, [][]float64{{0}}, Int16, Standardization{}, 0, 1), 1, make([]int64, 1))
	w.Add(rows.OfInts([]int16{math.MinInt16}, 1), []float64{1 << 38})
	w.Add(rows.OfInts([]int16{-1}, 1), []float64{1})
	w.Flush()
	if want := int64(-1<<53 - 1); w.Total[0] != want {
		t.Errorf("got %d, want %d", w.Total[0], want)
	}
}

// TestRowsThatWereNotOpenedAreInNoFrame damages a file of zeros while it is opened, and mends it:
// rows that were not read at the opening are refused in other frames too.
func TestRowsThatWereNotOpenedAreInNoFrame(t *testing.T) {
	const n, dim = 21, 3
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, dim)
	}
	for _, damage := range []byte{0, 1} {
		file := &changing{smallBlocks(t, x, Uint8, make([]float32, n))}
		file.text[0] = damage
		rows, err := OpenRows(file, int64(len(file.text)), Standardization{})
		if (err != nil) != (damage > 0) {
			t.Fatalf("damage %d: got error %v", damage, err)
		}
		if file.text[0] = 0; rows == nil {
			continue
		}
		if _, err = rows.Standardized(Standardization{Intercept: 1}); errors.Is(err, ErrComputation) != (damage > 0) {
			t.Errorf("damage %d at the opening: another frame gives error %v", damage, err)
		}
	}
}

// TestBlocksOfAFileReuseMemoryOfOthers loads rows of files with and without labels into the memory
// of blocks of the other: labels are those of the listed records, or none.
func TestBlocksOfAFileReuseMemoryOfOthers(t *testing.T) {
	const n, dim = 21, 3
	x, labels := coordinates(rand.New(rand.NewPCG(4, 10)), Int16, n, dim), make([]float32, n)
	for i := range labels {
		labels[i] = float32(i)
	}
	without := inFile(t, typedRows(t, x, Int16, Standardization{}, 0, n))
	with := smallBlocks(t, x, Int16, labels)
	var old Block
	for _, text := range [][]byte{with, with, without, with} {
		rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
		if err != nil {
			t.Fatal(err)
		}
		if old, err = rows.LoadAt([]int{9, 2, 20, 2}, old); err != nil {
			t.Fatal(err)
		}
		want := []float32{9, 2, 20, 2}
		if !rows.file.Table.Labels {
			want = nil
		}
		if got := old.Labels(); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("labels are %v, want %v", got, want)
		}
	}
}
