package release

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// doubled is storage that returns a row in two forms at once, and measures it as the one that is not
// the row.
type doubled struct {
	storage
	bytes []uint8
}

func (d doubled) Part(int, int) storage { return d }

func (d doubled) Read(i int, own *room) ([]uint32, []int16, []uint8) {
	index, values, _ := d.storage.Read(i, own)
	return index, values, d.bytes
}

func (d doubled) Dots(dst []int64, m []int64, narrow []int16) {
	d.storage.Dots(dst, m, narrow)
	for j, v := range d.bytes {
		dst[0] += int64(v) * m[j]
	}
}

// TestRowsOfTwoFormsAreRefused lets storage add bytes to the values of a row: the row has one
// product with the secret, and would have another with a center. Its squared norm would be too
// small.
func TestRowsOfTwoFormsAreRefused(t *testing.T) {
	rows := typedRows(t, [][]float64{{0.5, 0.25}}, Int16, Standardization{}, 0, 1)
	f, own := Standardization{Center: []float64{0.5, 0.5}}, rows.x
	for _, bytes := range [][]uint8{nil, {200, 200}, {200}, {}} {
		rows.x = doubled{own, bytes}
		_, err := rows.Standardized(f)
		if want := len(bytes) > 0; errors.Is(err, ErrComputation) != want || err != nil && !want {
			t.Errorf("a row with %d bytes beside its values: got error %v, want one: %v", len(bytes), err, want)
		}
	}
}

// miscounting is storage that says that it has more rows than it was asked for.
type miscounting struct{ storage }

func (m miscounting) Part(first, n int) storage { return miscounting{m.storage.Part(first, n)} }
func (m miscounting) Take(_ storage, rows []int) storage {
	return miscounting{m.storage.Take(nil, rows)}
}
func (m miscounting) Decode(to storage, text []byte, rows, entries int) (storage, error) {
	if w, ok := to.(miscounting); ok {
		to = w.storage
	}
	x, err := m.storage.Decode(to, text, rows, entries)
	return miscounting{x}, err
}

func (m miscounting) Count() int { return m.storage.Count() + 1 }

// TestStorageDoesNotCount loads blocks from storage that counts one row too many: blocks have the
// rows that were asked for.
func TestStorageDoesNotCount(t *testing.T) {
	rows := typedRows(t, [][]float64{{1, 0}, {0, 1}, {1, 1}}, Int16, Standardization{}, 0, 3)
	rows.x = miscounting{rows.x}
	part, err := rows.Load(0, 2, Block{})
	listed, listErr := rows.LoadAt([]int{0, 2}, Block{})
	alone, aloneErr := part.Alone(1, Block{})
	if err = errors.Join(err, listErr, aloneErr); err != nil {
		t.Fatal(err)
	}
	if part.Len() != 2 || listed.Len() != 2 || alone.Len() != 1 {
		t.Errorf("blocks have %d, %d and %d rows, want 2, 2 and 1", part.Len(), listed.Len(), alone.Len())
	}
}

// hoarding is storage that keeps the memory which it is lent, and writes to what is lent for reading.
type hoarding struct {
	storage
	lock *sync.Mutex // rows are measured on all processors
	lent *[][]int64
}

// keep keeps memory.
func (h hoarding) keep(memory ...[]int64) {
	h.lock.Lock()
	defer h.lock.Unlock()
	*h.lent = append(*h.lent, memory...)
}

func (h hoarding) Part(first, n int) storage {
	return hoarding{h.storage.Part(first, n), h.lock, h.lent}
}

func (h hoarding) Norms2(dst []int64) {
	h.storage.Norms2(dst)
	h.keep(dst)
}

func (h hoarding) Dots(dst []int64, m []int64, narrow []int16) {
	h.storage.Dots(dst, m, narrow)
	h.keep(dst, m)
}

func (h hoarding) Take(to storage, rows []int) storage {
	out := h.storage.Take(nil, rows)
	for k := range rows {
		rows[k] = rows[0]
	}
	return out
}

// TestStorageKeepsNothingOfUse overwrites all memory that storage was lent after rows were measured:
// squared norms, the center, and the multipliers of listed rows stay those of their records.
func TestStorageKeepsNothingOfUse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for _, f := range append(frames(r, 5), Standardization{}) {
		rows := typedRows(t, coordinates(r, Int16, 7, 5), Int16, f, 0, 7)
		var lent [][]int64
		hostile := *rows
		hostile.x = hoarding{rows.x, new(sync.Mutex), &lent}
		seen, err := hostile.Standardized(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range lent {
			for j := range memory {
				memory[j]++
			}
		}
		if len(lent) == 0 || !slices.Equal(seen.known.n2, rows.known.n2) || !slices.Equal(seen.frame.m, rows.frame.m) {
			t.Errorf("%+v: memory that was lent holds squared norms or the center", f)
		}
		b, err := seen.LoadAt([]int{4, 1, 6}, Block{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range b.Len() {
			if i := b.Record(k); b.multiplier(k, &rows.frame) != rows.measures.multiplier(i, &rows.frame) || b.n2[k] != rows.n2[i] {
				t.Errorf("%+v: record %d has the measures of another", f, i)
			}
		}
	}
}

// TestMomentsAreOfTheRowsThatWereNoted lets memory hold another row only while a second moment is
// summed and noted: each note is held to the row that entered.
func TestMomentsAreOfTheRowsThatWereNoted(t *testing.T) {
	rows := momentRowsOf(t, 40, 6, 0)
	for _, change := range []int16{0, 1} {
		check := newMomentCheck(fullSample(t, 40), AllProducts(), 6, rows.limit)
		at := &shorts(rows)[17]
		*at -= change
		sum := sumOfProducts(rows, AllProducts())
		check.noteRows(rows)
		*at += change
		if got, want := check.agrees(sum), change == 0; got != want {
			t.Errorf("a coordinate is %d less while rows are noted: the sum agrees: %v, want %v", change, got, want)
		}
	}
}

// TestSkippedBlocksAreFound goes through rows of a file whose last block is never given.
func TestSkippedBlocksAreFound(t *testing.T) {
	const n, dim = 14, 3
	text := smallBlocks(t, coordinates(rand.New(rand.NewPCG(4, 7)), Int16, n, dim), Int16, make([]float32, n))
	for _, skipped := range []int{0, 1} {
		rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
		if err != nil {
			t.Fatal(err)
		}
		blocks := &rows.file.Table.Blocks
		*blocks = (*blocks)[:len(*blocks)-skipped]
		nothing := func(Block) error { return nil }
		each, pass := rows.Each(0, n, nothing), rows.Scan(3)
		scan := errors.Join(pass.Each(2, nothing), pass.Each(0, nothing), pass.Each(1, nothing))
		for _, failed := range []error{each, scan} {
			if want := skipped > 0; errors.Is(failed, ErrComputation) != want || failed != nil && !want {
				t.Errorf("%d blocks are skipped: got error %v, want one: %v", skipped, failed, want)
			}
		}
	}
}

// TestSumDoesNotDependOnStorage adds the same records in each form of storage, in memory and in
// files, in blocks of several sizes and in several orders: sums are the same.
func TestSumDoesNotDependOnStorage(t *testing.T) {
	const n = 23
	r := rand.New(rand.NewPCG(9, 1))
	var x [][]float64
	var p []float64
	var want []int64
	for trial := range 2 * len(rowTypes) {
		dim, kind := []int{70, 2100}[trial/len(rowTypes)], rowTypes[trial%len(rowTypes)]
		if kind == rowTypes[0] {
			x, p, want = coordinates(r, Bit, n, dim), proposed(r, n), nil
		}
		memory, err := NewRows(n, RowsOptions{Dim: dim, Step: 1, Type: kind}, func(dst []float64, first, k int) {
			for i := range k {
				copy(dst[i*dim:], x[first+i])
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		text := inFile(t, memory)
		opened, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
		read, readErr := ReadRows(bytes.NewReader(text), int64(len(text)), Standardization{})
		if err = errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		for _, rows := range []*Rows{memory, opened, read} {
			for _, size := range []int{1, 5, n} {
				s, order := newTestSum(t, rows, fullSample(t, n), 1, 1, n), r.Perm(n)
				for from := 0; from < n; from += size {
					records := order[from:min(from+size, n)]
					b, loadErr := rows.LoadAt(records, Block{})
					if err = errors.Join(loadErr, s.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: pickOf(p, records)})); err != nil {
						t.Fatal(err)
					}
				}
				sealed := s.Seal().state
				if want == nil {
					want = sealed.values
				}
				if sealed.faulty || !slices.Equal(sealed.values, want) {
					t.Errorf("%v, in a file: %v, blocks of %d: another sum, or one that is faulty", kind, rows.file != nil, size)
				}
			}
		}
	}
}

// pickOf returns the entries at these places.
func pickOf(p []float64, places []int) []float64 {
	out := make([]float64, len(places))
	pick(out, p, places, 0)
	return out
}

// lying is storage whose rows all have a squared norm of 1.
type lying struct{ storage }

func (l lying) Part(first, n int) storage { return lying{l.storage.Part(first, n)} }

func (l lying) Norms2(dst []int64) {
	for i := range dst {
		dst[i] = 1
	}
}

// TestRowsAreMeasuredOnce measures rows a second time where their squared norms are kept, with
// storage that lies: what was entered would be overwritten. Then the rows are refused.
func TestRowsAreMeasuredOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	for _, f := range append(frames(r, 5), Standardization{}) {
		rows := typedRows(t, coordinates(r, Int16, 7, 5), Int16, f, 0, 7)
		if err := rows.measureSome(rows.measures.part(2, 3), lying{rows.x.Part(2, 3)}, 2); !errors.Is(err, ErrComputation) {
			t.Errorf("%+v: got error %v, want %v; the squared norms are %v", f, err, ErrComputation, rows.known.n2)
		}
	}
}

// TestBlocksOfAFileAreAsLongAsItsTableSays lets each block of a file whose measures are kept count
// rows of the next.
func TestBlocksOfAFileAreAsLongAsItsTableSays(t *testing.T) {
	const n, dim = 14, 2100
	x := coordinates(rand.New(rand.NewPCG(3, 7)), Bit, n, dim)
	text := smallBlocks(t, x, Bit, make([]float32, n))
	rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(rows.n2)
	rows.form = miscounting{rows.form}
	if rows, err = rows.Standardized(Standardization{}); err != nil || !slices.Equal(rows.n2, want) {
		t.Errorf("got squared norms %v and error %v, want %v", rows.n2, err, want)
	}
}
