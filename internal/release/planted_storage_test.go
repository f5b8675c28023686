package release

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// mislaid is storage that gives other rows than it is asked for, once.
type mislaid struct {
	storage
	wait  *int            // calls before the wrong one
	other func(i int) int // the row that it gives then for row i
	last  *storage        // what it gave last, if the wrong call gives that again
}

func (m mislaid) wrong() bool {
	*m.wait--
	return *m.wait == -1
}

// given returns x, or what was given last in its place.
func (m mislaid) given(x storage) storage {
	if m.last == nil {
		return x
	}
	stale := *m.last
	*m.last = x
	if m.wrong() && stale != nil && stale.Count() == x.Count() {
		return stale
	}
	return x
}

func (m mislaid) Part(first, n int) storage {
	if m.other == nil || !m.wrong() {
		return m.given(m.storage.Part(first, n))
	}
	rows := make([]int, n)
	for k := range rows {
		rows[k] = first + k
	}
	rows[n/2] = m.other(rows[n/2])
	return m.storage.Take(nil, rows)
}

func (m mislaid) Take(_ storage, rows []int) storage {
	if m.other != nil && m.wrong() {
		rows = slices.Clone(rows)
		rows[len(rows)/2] = m.other(rows[len(rows)/2])
	}
	return m.given(m.storage.Take(nil, rows))
}

// storageFaults are faults of memory that keeps n rows.
var storageFaults = map[string]func(r *rand.Rand, rows *Rows){
	noFault: func(*rand.Rand, *Rows) {},
	"a row returned for another index": func(r *rand.Rand, rows *Rows) {
		wait, shift := r.IntN(4), 1+r.IntN(rows.count-1)
		rows.x = mislaid{storage: rows.x, wait: &wait, other: func(i int) int { return (i + shift) % rows.count }}
	},
	"a stale block": func(r *rand.Rand, rows *Rows) {
		wait := 1 + r.IntN(3)
		rows.x = mislaid{storage: rows.x, wait: &wait, last: new(storage)}
	},
	"two rows swapped": func(r *rand.Rand, rows *Rows) {
		i := r.IntN(rows.count)
		j := (i + 1 + r.IntN(rows.count-1)) % rows.count
		a, b := rows.row(i), rows.row(j)
		rows.x.Put(i, b)
		rows.x.Put(j, a)
	},
	"a byte changed between two readings": func(r *rand.Rand, rows *Rows) {
		i := r.IntN(rows.count)
		row := rows.row(i)
		row[r.IntN(len(row))] ^= 1
		rows.x.Put(i, row)
	},
}

// plantedStorage lets memory give other rows than entered: to sums, when they are seen from another frame, and when one of
// them is looked at alone.
func plantedStorage() map[string]map[string]planting {
	all := map[string]map[string]planting{"storage of a sum": {}, "storage of a frame": {}, "storage of one row": {}}
	for name, plant := range storageFaults {
		all["storage of a sum"][name] = storageOfSum(plant)
		if name != "a stale block" {
			all["storage of a frame"][name] = storageOfFrame(plant)
		}
		all["storage of one row"][name] = storageOfOne(plant)
	}
	return all
}

// storedRows returns rows of dense types, which can be changed where they are kept.
func storedRows(t *testing.T, r *rand.Rand, trial int, f Standardization) *Rows {
	t.Helper()
	const n, dim = 16, 5
	kind := rowTypes[trial%3]
	return typedRows(t, coordinates(r, kind, n, dim), kind, f, 0, n)
}

// storageOfSum sums blocks of rows, and listed rows.
func storageOfSum(plant func(r *rand.Rand, rows *Rows)) planting {
	return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
		all := frames(r, 5)
		rows := storedRows(t, r, trial, all[r.IntN(len(all))])
		p, listed := proposed(r, rows.count), r.IntN(2) == 0
		fill := func() Bounded {
			s := newTestSum(t, rows, fullSample(t, rows.count), 1, 1, rows.count)
			for first := 0; first < rows.count; first += 4 {
				var b Block
				var err error
				if listed {
					b, err = rows.LoadAt([]int{first, first + 1, first + 2, first + 3}, Block{})
				} else {
					b, err = rows.Load(first, 4, Block{})
				}
				if err != nil {
					t.Fatal(err)
				}
				if err = s.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: p[first : first+4]}); err != nil {
					t.Fatal(err)
				}
			}
			return s.Seal()
		}
		want := fill()
		if stops(t, want, nil) {
			return false, true
		}
		plant(r, rows)
		got := fill()
		return !slices.Equal(got.state.values, want.state.values), stops(t, got, nil)
	}
}

// storageOfFrame sees rows from a frame with a center or a whitening, which reads them. Kernels get the same rows as the
// portable code.
func storageOfFrame(plant func(r *rand.Rand, rows *Rows)) planting {
	return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
		var some []Standardization
		for _, f := range frames(r, 5) {
			if f.Center != nil || f.Whitening != nil {
				some = append(some, f)
			}
		}
		rows := storedRows(t, r, trial, Standardization{})
		want := allRows(rows)
		plant(r, rows)
		if m, ok := rows.x.(mislaid); ok { // of what is read alone
			*m.wait = r.IntN(rows.count)
			other, at := m.other, *m.wait
			changed = !slices.Equal(want[at], want[other(at)])
			rows.x = oneReading{m.storage, at, other(at)}
		} else {
			changed = !slices.EqualFunc(want, allRows(rows), func(a, b []int16) bool { return slices.Equal(a, b) })
		}
		_, err := rows.Standardized(some[r.IntN(len(some))])
		return changed, stops(t, Bounded{}, err)
	}
}

// oneReading is storage that reads another row for one, and whose parts do so too.
type oneReading struct {
	storage
	at, other int
}

func (o oneReading) Read(i int, own *room) ([]uint32, []int16, []uint8) {
	if i == o.at {
		i = o.other
	}
	return o.storage.Read(i, own)
}

// allRows returns copies of the integers of all rows.
func allRows(rows *Rows) [][]int16 {
	out := make([][]int16, rows.count)
	for i := range out {
		out[i] = rows.row(i)
	}
	return out
}

// storageOfOne looks at each row of each block alone.
func storageOfOne(plant func(r *rand.Rand, rows *Rows)) planting {
	return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
		rows := storedRows(t, r, trial, Standardization{})
		want := allRows(rows)
		plant(r, rows)
		for first := 0; first < rows.count; first += 4 {
			b, err := rows.Load(first, 4, Block{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 4 {
				got := make([]int16, 5)
				b.CopyRow(got, i)
				other := !slices.Equal(got, want[first+i])
				_, err = b.Alone(i, Block{})
				if found := stops(t, Bounded{}, err); other != found {
					return other, found
				}
				changed = changed || other
			}
		}
		return changed, changed
	}
}

// shuffled is a file that gives the bytes of another block, once it is told to.
type shuffled struct {
	io.ReaderAt
	from, to int64
	on       bool
}

func (s *shuffled) ReadAt(dst []byte, at int64) (int, error) {
	if s.on && at == s.from {
		at = s.to
	}
	return s.ReaderAt.ReadAt(dst, at)
}

// plantedBlocks lets a file give a block for another of its size.
func plantedBlocks() map[string]planting {
	run := func(on bool) planting {
		return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			const n, dim = 21, 4
			kind := rowTypes[trial%3]
			x, labels := coordinates(r, kind, n, dim), make([]float32, n)
			alike := r.IntN(2)
			for i := range labels {
				labels[i] = float32(i * alike)
			}
			text := smallBlocks(t, x, kind, labels)
			file := &shuffled{ReaderAt: &changing{text}}
			all := frames(r, dim)
			rows, err := OpenRows(file, int64(len(text)), all[r.IntN(len(all))])
			if err != nil {
				t.Fatal(err)
			}
			p, later, again := proposed(r, n), r.IntN(2) == 0, r.IntN(3) == 0
			fill := func() (Bounded, error) {
				s := newTestSum(t, rows, fullSample(t, n), 1, 1, n)
				addErr := rows.Each(0, n, func(b Block) error {
					for i, label := range b.labels {
						if label != float32(b.Record(i)*alike) {
							t.Fatalf("record %d has the label %v of another", b.Record(i), label)
						}
					}
					return s.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: p[b.first : b.first+b.Len()]})
				})
				return s.Seal(), addErr
			}
			want := Bounded{}
			if later { // than the first sum
				if want, err = fill(); stops(t, want, err) {
					return false, true
				}
			}
			blocks := rows.file.Table.Blocks
			file.on, file.from, file.to = on, blocks[0].Offset, blocks[1+r.IntN(2)].Offset
			if again {
				_, err = rows.Standardized(all[r.IntN(len(all))])
				return on, stops(t, Bounded{}, err)
			}
			got, err := fill()
			stopped = stops(t, got, err)
			if later {
				return !slices.Equal(got.state.values, want.state.values) || err != nil, stopped
			}
			return on, stopped
		}
	}
	return map[string]planting{noFault: run(false), "a block of a file exchanged for another": run(true)}
}

// TestRowsOfMomentsAreThoseThatEntered swaps two rows in memory: their second moment stays the same, and is refused all the
// same, since rows are at places where others entered.
func TestRowsOfMomentsAreThoseThatEntered(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 9))
	for range trials(20, 1000) {
		rows := momentRowsOf(t, 40, 6, 0)
		i, j := r.IntN(20), 20+r.IntN(20)
		a, b := rows.row(i), rows.row(j)
		rows.x.Put(i, b)
		rows.x.Put(j, a)
		if got, want := momentOf(t, AllProducts(), rows).faulty, !slices.Equal(a, b); got != want {
			t.Fatalf("rows %d and %d were swapped: the sum is faulty: %v, want %v", i, j, got, want)
		}
	}
}

// TestRowsOfABlockKeepTheirPlaces swaps two rows of a block after a file was opened: a new frame is
// refused.
func TestRowsOfABlockKeepTheirPlaces(t *testing.T) {
	const n, dim = 7, 3
	r := rand.New(rand.NewPCG(11, 10))
	for range trials(20, 1000) {
		file := &changing{smallBlocks(t, coordinates(r, Int16, n, dim), Int16, make([]float32, n))}
		rows, err := OpenRows(file, int64(len(file.text)), Standardization{})
		if err != nil {
			t.Fatal(err)
		}
		i := r.IntN(n)
		a, b := file.text[2*dim*i:][:2*dim], file.text[2*dim*((i+1+r.IntN(n-1))%n):][:2*dim]
		was := slices.Clone(a)
		copy(a, b)
		copy(b, was)
		if _, err = rows.Standardized(Standardization{}); stops(t, Bounded{}, err) == slices.Equal(a, b) {
			t.Fatalf("row %d was swapped: got error %v", i, err)
		}
	}
}
