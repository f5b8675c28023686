package data_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
)

// idx returns an IDX file of this type and shape.
func idx(kind byte, shape []uint32, numbers any) []byte {
	var b bytes.Buffer
	b.Write([]byte{0, 0, kind, byte(len(shape))})
	_ = binary.Write(&b, binary.BigEndian, shape)
	if numbers != nil {
		_ = binary.Write(&b, binary.BigEndian, numbers)
	}
	return b.Bytes()
}

// dims writes a shape.
func dims(n ...uint32) []uint32 { return n }

// TestReadIDXTypes writes the rows (3, 9, 7) and (0, 9, 0) with labels 1 and -1 in every type.
func TestReadIDXTypes(t *testing.T) {
	for _, c := range []struct {
		kind byte
		x, y any
	}{
		{0x09, []int8{3, 9, 7, 0, 9, 0}, []int8{1, -1}},
		{0x0b, []int16{3, 9, 7, 0, 9, 0}, []int16{1, -1}},
		{0x0c, []int32{3, 9, 7, 0, 9, 0}, []int32{1, -1}},
		{0x0d, []float32{3, 9, 7, 0, 9, 0}, []float32{1, -1}},
		{0x0e, []float64{3, 9, 7, 0, 9, 0}, []float64{1, -1}},
	} {
		x, y := idx(c.kind, dims(2, 3), c.x), idx(c.kind, dims(2), c.y)
		for _, src := range []data.Source{
			{Path: npyFile(t, "x", x), Labels: npyFile(t, "y", y)},
			{Path: npyFile(t, "x-idx2-ubyte.gz", gzipText(x)), Labels: npyFile(t, "y-idx1-ubyte.gz", gzipText(y))},
			{Path: npyFile(t, "x.idx", x), Labels: npyFile(t, "y.npy", npy("<i4", "(2,)", []int32{1, -1}))},
		} {
			d, err := data.Read(context.Background(), npySchema(), src, data.ReadOptions{})
			if err != nil {
				t.Fatalf("type %d: %v", c.kind, err)
			}
			wantColumns(t, src.Path, d, []float32{3, 0}, []float32{1, 0}, []float32{1, 0})
		}
	}
}

// TestReadIDXFlat reads images of unsigned bytes, which are laid flat, with the target as
// last column, apart, and left out.
func TestReadIDXFlat(t *testing.T) {
	s := npySchema()
	s.Columns = wide(3)
	s.Columns[0].Upper = 255
	s.Target.Levels = []string{"0", "200"}
	flat := npyFile(t, "x", idx(0x08, dims(2, 2, 2), []byte{255, 1, 2, 200, 10, 101, 12, 0}))
	d, err := data.Read(context.Background(), s, data.Source{Path: flat}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float32{{255, 1, 2}, {10, 100, 12}} { // 101 is clamped
		if got := d.Row(nil, i); !slices.Equal(got, want) {
			t.Errorf("row %d: got %v, want %v", i, got, want)
		}
	}
	if got := d.Target(); !slices.Equal(got, []float32{1, 0}) {
		t.Errorf("got target %v, want 1 0", got)
	}
	s.Columns = wide(4)
	d, err = data.Read(context.Background(), s, data.Source{Path: flat}, data.ReadOptions{WithoutTarget: true})
	if err != nil || d.Target() != nil || !slices.Equal(d.Column(3), []float32{100, 0}) {
		t.Errorf("without target: got error %v, want the last column 100 0 and no target", err)
	}
}

// TestReadIDXErrors wants one line that names the file and tells what is wrong.
func TestReadIDXErrors(t *testing.T) {
	row := make([]byte, 4)
	for _, c := range []struct {
		name, file, want string
		content          []byte
	}{
		{"bad magic", "t.idx", "no IDX file", []byte(secret)},
		{"text as images", "images-idx3-ubyte", "no IDX file", []byte(secret)},
		{"empty", "t.idx", "cut off after offset 0", nil},
		{"short magic", "t.idx", "cut off after offset 0", []byte{0, 0, 8}},
		{"unknown type", "t.idx", "byte at offset 2", []byte{0, 0, 10, 2, 0, 0}},
		{"no dimensions", "t.idx", "byte at offset 3", []byte{0, 0, 8, 0, 0, 0}},
		{"dimensions cut off", "t", "cut off after offset 8", []byte{0, 0, 8, 2, 0, 0, 0, 1, 0, 0}},
		{"overflow of the product", "t", "too large at offset 8", idx(8, dims(1<<31, 1<<31), nil)},
		{"overflow behind zero", "t", "too large at offset 12", idx(8, dims(0, 1<<31, 1<<31), nil)},
		{"overflow to zero", "t", "too large at offset 8", idx(8, dims(1<<31, 1<<31, 4), nil)},
		{"all dimensions", "t", "too large", idx(8, slices.Repeat(dims(2), 255), row)},
		{"numbers cut off", "t", "cut off after offset 19", idx(8, dims(2, 4), make([]byte, 7))},
		{"a number cut off", "t", "cut off after offset 43", idx(14, dims(1, 4), make([]byte, 31))},
		{"bytes behind", "t", "from offset 16", append(idx(8, dims(1, 4), row), secret...)},
		{"gzip cut off", "t", "cut off", gzipText(idx(8, dims(1, 4), row))[:20]},
		{"vector", "t", "vector", idx(8, dims(4), row)},
		{"no target", "t", "no target", idx(8, dims(1, 3), row[:3])},
		{"too wide", "t", "5 columns", idx(8, dims(1, 5), make([]byte, 5))},
		{"no rows", "t", "no records", idx(8, dims(0, 4), nil)},
		{"too many rows", "t", "max-records, 10", idx(8, dims(4711, 4), make([]byte, 4*4711))},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := npyFile(t, c.file, c.content)
			_, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
			wantFileError(t, err, path, c.want)
		})
	}
}

// TestReadIDXLabels checks what can be wrong with labels apart, and that readers of text name
// an IDX file as what it is.
func TestReadIDXLabels(t *testing.T) {
	x := npyFile(t, "x", idx(8, dims(2, 3), make([]byte, 6)))
	for _, c := range []struct {
		name, file, want string
		content          []byte
	}{
		{"longer", "y", "not as many", idx(8, dims(3), make([]byte, 3))},
		{"a matrix", "y", "not as many", idx(8, dims(2, 2), make([]byte, 4))},
		{"text", "y", "neither an IDX nor an NPY file", []byte(secret)},
		{"empty", "y", "neither an IDX nor an NPY file", nil},
		{"called as images", "y-ubyte", "no IDX file", []byte(secret)},
		{"cut off", "y", "cut off after offset 9", idx(8, dims(2), make([]byte, 1))},
		{"bytes behind", "y", "from offset 10", idx(8, dims(2), make([]byte, 3))},
	} {
		labels := npyFile(t, c.file, c.content)
		_, err := data.Read(context.Background(), npySchema(), data.Source{Path: x, Labels: labels}, data.ReadOptions{})
		wantFileError(t, err, labels, c.want)
	}
	_, err := data.Read(context.Background(), npySchema(), data.Source{Path: x, Labels: x + ".none"}, data.ReadOptions{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("labels that do not exist: got error %v, want fs.ErrNotExist", err)
	}
	_, err = data.ReadFrom(context.Background(), npySchema(), x, bytes.NewReader(idx(8, dims(2, 3), make([]byte, 6))), data.ReadOptions{})
	wantFileError(t, err, x, "it is an IDX file")
}

// TestReadIDXLimits wants a stop at the ratio, at the limit of bytes, at a damaged checksum
// and at a context that is done.
func TestReadIDXLimits(t *testing.T) {
	s := npySchema()
	s.Columns, s.MaxRecords = wide(999), 1<<20
	content := idx(8, dims(5000, 1000), make([]byte, 5_000_000))
	packed := npyFile(t, "t.gz", gzipText(content))
	_, err := data.Read(context.Background(), s, data.Source{Path: packed}, data.ReadOptions{})
	wantFileError(t, err, packed, "1000 times")
	plain := npyFile(t, "t", content)
	_, err = data.Read(context.Background(), s, data.Source{Path: plain}, data.ReadOptions{MaxBytes: 1000})
	wantFileError(t, err, plain, "1000 bytes")
	small := gzipText(idx(8, dims(2, 4), make([]byte, 8)))
	small[len(small)-6] ^= 1
	broken := npyFile(t, "t.gz", small)
	_, err = data.Read(context.Background(), npySchema(), data.Source{Path: broken}, data.ReadOptions{})
	wantFileError(t, err, broken, "damaged")
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	if _, err = data.Read(ctx, s, data.Source{Path: plain}, data.ReadOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want context.DeadlineExceeded", err)
	}
}

// FuzzReadIDX reads any bytes as images and as labels: no panic, and no error that quotes
// them. What is read has the shape of the schema and stays within its bounds.
func FuzzReadIDX(f *testing.F) {
	good := idx(0x0e, dims(2, 4), []float64{3, 9, 7, 1, math.NaN(), 9, 0, -1})
	for _, content := range [][]byte{good, good[:20], gzipText(good), idx(8, dims(2, 2, 2), []byte(secret)[:8]), idx(9, dims(2), []int8{-1, 1}),
		idx(11, dims(2, 3), make([]int16, 6)), idx(8, dims(0, 4), nil), idx(8, dims(1<<31, 1<<31, 4), nil), []byte("\x00\x00\x08\xff" + secret)} {
		f.Add(content)
	}
	folder := f.TempDir()
	x := filepath.Join(folder, "x")
	if err := os.WriteFile(x, idx(8, dims(2, 3), make([]byte, 6)), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(folder, "t.idx")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, src := range []data.Source{{Path: path}, {Path: x, Labels: path}} {
			d, err := data.Read(context.Background(), npySchema(), src, data.ReadOptions{KeepDropped: true})
			if err != nil {
				if text := err.Error(); strings.Contains(text, "SECRET") || strings.Contains(text, "\n") {
					t.Fatalf("got %q, want one line that quotes nothing of the file", text)
				}
				continue
			}
			if n := d.Records(); n < 1 || n > 10 || len(d.Column(0)) != n || len(d.Column(1)) != n || len(d.Target()) != n {
				t.Fatalf("got %d records in columns of %d, %d and %d", n, len(d.Column(0)), len(d.Column(1)), len(d.Target()))
			}
			for _, v := range d.Column(0) {
				if v < 0 || v > 100 {
					t.Fatalf("got %v, want within [0, 100] or NaN", v)
				}
			}
		}
	})
}

// unpacked returns the bytes of a gzip file.
func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestReadMNIST reads the test images of handwritten digits and compares them with the bytes
// behind the headers, which are 16 and 8 bytes long. The sizes are those of the page of the
// data set: 10,000 images of 28 by 28.
func TestReadMNIST(t *testing.T) {
	src := data.Source{Path: realFile(t, "mnist/t10k-images-idx3-ubyte.gz"), Labels: realFile(t, "mnist/t10k-labels-idx1-ubyte.gz")}
	s := npySchema()
	s.Columns, s.MaxRecords = wide(784), 10000
	for i := range s.Columns {
		s.Columns[i].Upper = 255
	}
	s.Target.Levels = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	d, err := data.Read(context.Background(), s, src, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	images, labels := unpacked(t, src.Path)[16:], unpacked(t, src.Labels)[8:]
	if d.Records() != 10000 || len(images) != 10000*784 || len(labels) != 10000 {
		t.Fatalf("got %d records of %d and %d bytes, want 10000", d.Records(), len(images), len(labels))
	}
	var row []float32
	for i, y := range d.Target() {
		row = d.Row(row, i)
		same := y == float32(labels[i])
		for j, v := range row {
			same = same && v == float32(images[784*i+j])
		}
		if !same {
			t.Fatalf("row %d: got label %v and pixels %v, want those of the file", i, y, row)
		}
	}
}
