package data_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// blocksSchema has a column of each kind; many rows are dropped.
func blocksSchema() *data.Schema {
	return &data.Schema{MaxRecords: 5000, Target: data.Target{Column: "y", Levels: []string{"-1", "1"}}, Columns: []data.Column{
		{Name: "a", Kind: data.Numeric, Lower: 0, Upper: 100, OutOfRange: data.Drop, Missing: data.Indicator},
		{Name: "g", Kind: data.Ignored},
		{Name: "b", Kind: data.Categorical, Levels: []string{"0", "7"}, Unknown: data.Other, Missing: data.Drop},
	}}
}

// blockTables writes one table of random integers in every format.
func blockTables(t *testing.T, rows int) map[string]data.Source {
	source := rand.New(rand.NewPCG(11, 12))
	var flat, matrix, fortran, labels []float32
	columns := make([][]float32, 4)
	var csv, general, libsvm strings.Builder
	csv.WriteString("a,g,b,y\n")
	general.WriteString("a+g+b+y\n")
	for range rows {
		a, g, b, y := source.IntN(120), source.IntN(9), 7*source.IntN(3), 2*source.IntN(2)-1
		row := []float32{float32(a), float32(g), float32(b), float32(y)}
		for k, v := range row {
			columns[k] = append(columns[k], v)
		}
		flat, matrix, labels = append(flat, row...), append(matrix, row[:3]...), append(labels, row[3])
		fmt.Fprintf(&csv, "%d,%d,%d,%d\n", a, g, b, y)
		fmt.Fprintf(&general, "%d+%d+%d+%d\n", a, g, b, y)
		fmt.Fprintf(&libsvm, "%d 1:%d 2:%d 3:%d\n", y, a, g, b)
	}
	fortran = slices.Concat(columns...)
	shape, big := fmt.Sprintf("(%d, 4)", rows), func(numbers any) []byte { return idx(0x0d, dims(uint32(rows), 3), numbers) }
	x, y := npy("<f4", fmt.Sprintf("(%d, 3)", rows), matrix), npy("<f4", fmt.Sprintf("(%d,)", rows), labels)
	idxLabels := idx(0x0d, dims(uint32(rows)), labels)
	path := func(name string, content []byte) data.Source { return data.Source{Path: npyFile(t, name, content)} }
	tables := map[string]data.Source{
		"CSV": path("t.csv", []byte(csv.String())), "gzip": path("t.csv.gz", gzipText([]byte(csv.String()))),
		"CSV by rows": path("t.csv", []byte(general.String())), "LIBSVM": path("t.libsvm", []byte(libsvm.String())),
		"NPY": path("t.npy", npy("<f4", shape, flat)), "NPZ": path("t.npz", zipText(t, []string{"x.npy", "y.npy"}, x, y)),
		"NPY in Fortran order":      path("t.npy", npyText(strings.Replace(npyHeaderText("<f4", shape), "False", "True", 1), fortran, binary.LittleEndian)),
		"NPY and labels":            {Path: npyFile(t, "x.npy", x), Labels: npyFile(t, "y.npy", y)},
		"NPY and IDX labels":        {Path: npyFile(t, "x.npy", x), Labels: npyFile(t, "y.idx", idxLabels)},
		"IDX and labels":            {Path: npyFile(t, "x.idx", big(matrix)), Labels: npyFile(t, "y.idx", idxLabels)},
		"IDX and compressed labels": {Path: npyFile(t, "x.idx", big(matrix)), Labels: npyFile(t, "y.idx.gz", gzipText(idxLabels))},
		"IDX and NPY labels":        {Path: npyFile(t, "x.idx", big(matrix)), Labels: npyFile(t, "y.npy", y)},
	}
	tables["CSV by rows"] = data.Source{Path: tables["CSV by rows"].Path, Delimiter: '+'}
	return tables
}

// joined is a table put together again from blocks.
type joined struct {
	columns [][]float32
	target  []float32
	dropped []bool
	codes   []int32
	levels  []string
	sizes   []int
}

func (j *joined) add(tb testing.TB, d *data.Dataset, extra bool) {
	for k := range j.columns {
		j.columns[k] = append(j.columns[k], d.Column(k)...)
	}
	j.target = append(j.target, d.Target()...)
	for i := range d.Records() {
		j.dropped = append(j.dropped, d.Dropped(i))
	}
	j.sizes = append(j.sizes, d.Records())
	if !extra {
		return
	}
	codes, levels, err := d.Group("g")
	if err != nil || len(levels) < len(j.levels) || !slices.Equal(levels[:len(j.levels)], j.levels) {
		tb.Fatalf("block %d: got levels %q, error %v, want %q and more", len(j.sizes), levels, err, j.levels)
	}
	j.codes, j.levels = append(j.codes, codes...), levels
}

// TestReadBlocks joins the blocks of every format and wants what Read returns.
func TestReadBlocks(t *testing.T) {
	const rows = 600
	s, ctx := blocksSchema(), context.Background()
	for name, source := range blockTables(t, rows) {
		for _, o := range []data.ReadOptions{{}, {KeepDropped: true, Extra: []string{"g"}}, {Extra: []string{"g"}}, {WithoutTarget: true}} {
			want, err := data.Read(ctx, s, source, o)
			if err != nil || want.Records() < 100 || (want.Records() < rows) == o.KeepDropped {
				t.Fatalf("%s: Read: got %v, error %v, want some rows dropped", name, want, err)
			}
			for _, records := range []int{1, 7, 500, want.Records(), rows + 1} {
				got := joined{columns: make([][]float32, 2)}
				var kept []*data.Dataset
				err := data.ReadBlocks(ctx, s, source, o, records, func(d *data.Dataset) error {
					kept = append(kept, d)
					return nil
				})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, d := range kept {
					got.add(t, d, o.Extra != nil)
				}
				what := fmt.Sprintf("%s, %+v, %d records", name, o, records)
				for k := range got.columns {
					sameBits(t, what, got.columns[k], want.Column(k))
				}
				sameBits(t, what, got.target, want.Target())
				for i := range want.Records() {
					if got.dropped[i] != want.Dropped(i) {
						t.Fatalf("%s: row %d: got dropped %v", what, i, got.dropped[i])
					}
				}
				for i, size := range got.sizes {
					if size > records || size < 1 || size < records && i < len(got.sizes)-1 {
						t.Fatalf("%s: got blocks of %v", what, got.sizes)
					}
				}
				codes, levels, _ := want.Group("g")
				if !slices.Equal(got.codes, codes) || !slices.Equal(got.levels, levels) {
					t.Fatalf("%s: got codes of %q, want those of %q", what, got.levels, levels)
				}
			}
		}
	}
}

// TestReadBlocksOfLargeMatrix reads a matrix in several pieces, beside its labels.
func TestReadBlocksOfLargeMatrix(t *testing.T) {
	const rows = 60000
	s, ctx := blocksSchema(), context.Background()
	s.MaxRecords = rows
	source := rand.New(rand.NewPCG(13, 14))
	matrix, labels := make([]float32, 3*rows), make([]int8, rows)
	for i := range matrix {
		matrix[i] = float32(source.IntN(110))
	}
	for i := range labels {
		labels[i] = int8(source.IntN(3) - 1) // 0 is no level
	}
	table := data.Source{Path: npyFile(t, "x.npy", npy("<f4", fmt.Sprintf("(%d, 3)", rows), matrix)), Labels: npyFile(t, "y.idx", idx(0x09, dims(rows), labels))}
	want, err := data.Read(ctx, s, table, data.ReadOptions{})
	if err != nil || want.Records() < rows/3 || want.Records() == rows {
		t.Fatalf("Read: got %v, error %v, want some rows dropped", want, err)
	}
	got := joined{columns: make([][]float32, 2)}
	err = data.ReadBlocks(ctx, s, table, data.ReadOptions{}, 7001, func(d *data.Dataset) error {
		got.add(t, d, false)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "a", got.columns[0], want.Column(0))
	sameBits(t, "b", got.columns[1], want.Column(1))
	sameBits(t, "target", got.target, want.Target())
	at := 0
	for i := range rows { // the labels of the rows that are kept
		if matrix[3*i] > 100 || labels[i] == 0 {
			continue
		}
		if want.Target()[at] != float32(labels[i]+1)/2 {
			t.Fatalf("row %d: got target %v, want label %d", i, want.Target()[at], labels[i])
		}
		at++
	}
	if at != want.Records() {
		t.Errorf("got %d records, want %d", want.Records(), at)
	}
}

// TestReadBlocksStops wants an error of each, and of the file, to end the reading.
func TestReadBlocksStops(t *testing.T) {
	s, ctx, stop := blocksSchema(), context.Background(), errors.New("enough")
	for name, source := range blockTables(t, 600) {
		for _, at := range []int{1, 3} {
			calls := 0
			err := data.ReadBlocks(ctx, s, source, data.ReadOptions{}, 50, func(*data.Dataset) error {
				if calls++; calls == at {
					return stop
				}
				return nil
			})
			if err != stop || calls != at {
				t.Errorf("%s: got error %v after %d calls, want %v after %d", name, err, calls, stop, at)
			}
		}
		err := data.ReadBlocks(ctx, s, source, data.ReadOptions{MaxRecords: 599}, 50, func(*data.Dataset) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "more rows than max-records, 599") {
			t.Errorf("%s: got error %v, want one about max-records", name, err)
		}
	}
	bad := data.Source{Path: writeFile(t, "t.csv", "a,g,b,y\n1,2,7,1\n2,2,7,1\n3,2\n")}
	calls := 0
	err := data.ReadBlocks(ctx, s, bad, data.ReadOptions{}, 1, func(*data.Dataset) error { calls++; return nil })
	if err == nil || !strings.Contains(err.Error(), "line 4: the row has 2 cells") || calls != 2 {
		t.Errorf("ragged: got error %v after %d blocks, want line 4 after 2", err, calls)
	}
	if err = data.ReadBlocks(ctx, s, bad, data.ReadOptions{}, 0, nil); err == nil || !strings.Contains(err.Error(), "number of records in a block is 0") {
		t.Errorf("no records: got error %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err = data.ReadBlocks(canceled, s, bad, data.ReadOptions{}, 1, nil); err != context.Canceled {
		t.Errorf("canceled: got error %v, want %v", err, context.Canceled)
	}
}

// TestReadBlocksOfDroppedRows wants one block without records of a table whose rows are all dropped. The
// block has the form of the data set that Read returns.
func TestReadBlocksOfDroppedRows(t *testing.T) {
	ctx, people := context.Background(), "person,age,ill\n"+strings.Repeat("4,40,yes\n", 9)
	for name, c := range map[string]struct {
		schema *data.Schema
		source data.Source
		group  string
	}{
		"CSV":     {blocksSchema(), data.Source{Path: writeFile(t, "t.csv", "a,g,b,y\n1000,2,7,1\n1000,3,7,-1\n1000,2,7,1\n")}, "g"},
		"LIBSVM":  {blocksSchema(), data.Source{Path: npyFile(t, "t.libsvm", []byte(strings.Repeat("1 1:1000 3:7\n", 9)))}, "g"},
		"related": {parsed(t, joinedSchema), joinedFiles(t, people, joinedVisits), "person"},
	} {
		for _, o := range []data.ReadOptions{{}, {Extra: []string{c.group}}, {WithoutTarget: true}} {
			want, err := data.Read(ctx, c.schema, c.source, o)
			if err != nil || want.Records() != 0 {
				t.Fatalf("%s: Read: got %v, error %v, want no record", name, want, err)
			}
			for _, records := range []int{1, 2, 100} {
				var blocks []*data.Dataset
				err = data.ReadBlocks(ctx, c.schema, c.source, o, records, func(d *data.Dataset) error {
					blocks = append(blocks, d)
					return nil
				})
				what := fmt.Sprintf("%s, %+v, %d records", name, o, records)
				if err != nil || len(blocks) != 1 {
					t.Fatalf("%s: got %d blocks, error %v, want one", what, len(blocks), err)
				}
				got := blocks[0]
				_, _, failed := got.Group(c.group)
				_, _, asked := want.Group(c.group)
				if got.Records() != 0 || got.Sparse() != want.Sparse() || (got.Target() == nil) != o.WithoutTarget || got.Schema() != c.schema || (failed == nil) != (asked == nil) {
					t.Errorf("%s: got %+v, want the form of %+v", what, got, want)
				}
			}
		}
	}
	stop := errors.New("enough")
	dropped := data.Source{Path: writeFile(t, "t.csv", "a,g,b,y\n1000,2,7,1\n")}
	if err := data.ReadBlocks(ctx, blocksSchema(), dropped, data.ReadOptions{}, 1, func(*data.Dataset) error { return stop }); err != stop {
		t.Errorf("got error %v, want %v", err, stop)
	}
}
