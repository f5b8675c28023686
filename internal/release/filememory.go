package release

import "io"

// ReadRows returns the rows of a file of this size, seen from a frame, in memory: the file is read once,
// and its checksums are held. The rows are all records of their table.
func ReadRows(r io.ReaderAt, size int64, frame Standardization) (*Rows, error) {
	t, err := readTable(r, size)
	if err != nil {
		return nil, err
	}
	o := RowsOptions{Dim: t.Dim, Step: t.Step, Type: t.Type, Frame: frame}
	var x storage
	if x, o.Labels, err = t.inMemory(r); err != nil {
		return nil, err
	}
	rows, err := newRows(t.Count, o)
	if err != nil {
		return nil, err
	}
	rows.x = x
	return rows, rows.measure()
}

// inMemory returns the integers and labels of all rows.
func (t fileTable) inMemory(r io.ReaderAt) (x storage, labels []float32, err error) {
	f, err := newRowsFile(r, t)
	if err != nil {
		return nil, nil, err
	}
	x = newStorage(t.Type, t.Count, t.Dim)
	if t.Type != Sparse {
		x = x.part(0, 0) // no rows yet, in memory for all
	}
	form, own := newStorage(t.Type, 0, t.Dim), &blockMemory{}
	for k, b := range t.Blocks {
		if err = f.read(k, form, own, nil); err != nil {
			return nil, nil, err
		}
		all := make([]int, b.Rows)
		for i := range all {
			all[i] = i
		}
		x, labels = x.extend(own.x, all), append(labels, own.labels...)
	}
	return x, labels, nil
}
