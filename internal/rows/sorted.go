package rows

import (
	"fmt"
	"io"
	"slices"
	"sort"
)

// Piece is a part of a file that a Writer wrote as a whole, with a key for each of its rows. Keys
// ascend.
type Piece struct {
	Offset, Size int64
	Keys         []uint32
}

// maxSortings bounds how often the pieces are gone through.
const maxSortings = 128

// WriteSorted writes the rows of all pieces in the order of their keys. Rows with equal keys keep
// the order of the pieces, and their order within a piece. There is at least one piece, w has no
// rows yet, and a Writer's Close follows. Memory holds about the given number of bytes, or one of
// maxSortings parts of the rows if that is more.
func (w *Writer) WriteSorted(from io.ReaderAt, pieces []Piece, bytes int64) error {
	files, total := make([]*File, len(pieces)), int64(0)
	for i, p := range pieces {
		section := io.NewSectionReader(from, p.Offset, p.Size)
		t, err := ReadTable(section, p.Size)
		if err != nil {
			return err
		}
		if i == 0 {
			w.Table.Type, w.Table.Dim, w.Table.Step, w.Table.Labels = t.Type, t.Dim, t.Step, t.Labels
		}
		if t.Type != w.Table.Type || t.Dim != w.Table.Dim || t.Step != w.Table.Step || t.Labels != w.Table.Labels || t.Count != len(p.Keys) {
			return fmt.Errorf("rows: piece %d has %d rows of type %v with %d keys, want pieces of one type and a key for each row", i, t.Count, t.Type, len(p.Keys))
		}
		if files[i], err = Open(section, t); err != nil {
			return err
		}
		total += p.Size
	}
	shift := uint(32) // of a key, which leaves the number of its part
	for parts := int64(1); parts < maxSortings && total > parts*bytes; parts *= 2 {
		shift--
	}
	for part := uint64(0); part < 1<<(32-shift); part++ {
		if err := w.writePart(files, pieces, func(key uint32) bool { return uint64(key)>>shift >= part }, func(key uint32) bool { return uint64(key)>>shift > part }); err != nil {
			return err
		}
	}
	return nil
}

// writePart writes the rows whose keys are at least at the one end and not beyond the other.
func (w *Writer) writePart(files []*File, pieces []Piece, reached, beyond func(key uint32) bool) error {
	form := New(w.Table.Type, 0, w.Table.Dim)
	x, labels, keys, own := form.Take(nil, nil), []float32(nil), []uint32(nil), &Memory{}
	for i, f := range files {
		all := pieces[i].Keys
		at := sort.Search(len(all), func(k int) bool { return reached(all[k]) })
		end := sort.Search(len(all), func(k int) bool { return beyond(all[k]) })
		keys = append(keys, all[at:end]...)
		for at < end {
			k := f.BlockOf(at)
			b := f.Table.Blocks[k]
			if err := f.Read(k, form, own); err != nil {
				return err
			}
			var inside []int
			for ; at < min(end, b.First+b.Rows); at++ {
				inside = append(inside, at-b.First)
				if own.Labels != nil && w.Table.Labels {
					labels = append(labels, own.Labels[at-b.First])
				}
			}
			x = x.Extend(own.X, inside)
		}
	}
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(int64(keys[a]) - int64(keys[b])) })
	var sorted []float32
	if w.Table.Labels {
		for _, i := range order {
			sorted = append(sorted, labels[i])
		}
	}
	return w.Append(x.Take(nil, order), sorted)
}
