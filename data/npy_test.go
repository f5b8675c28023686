package data_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
)

// npyText returns an NPY file of version 1 with this header and these numbers.
func npyText(header string, numbers any, order binary.ByteOrder) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	if numbers != nil {
		_ = binary.Write(&b, order, numbers)
	}
	return b.Bytes()
}

func npyHeaderText(descr, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
}

func npy(descr, shape string, numbers any) []byte {
	return npyText(npyHeaderText(descr, shape), numbers, binary.LittleEndian)
}

// npySchema has two numeric columns, an ignored one between them, and a target of levels
// -1 and 1.
func npySchema() *data.Schema {
	return &data.Schema{MaxRecords: 10, Target: data.Target{Column: "y", Levels: []string{"-1", "1"}}, Columns: []data.Column{
		{Name: "a", Kind: data.Numeric, Lower: 0, Upper: 100, OutOfRange: data.Clamp, Missing: data.Indicator},
		{Name: "skip", Kind: data.Ignored},
		{Name: "b", Kind: data.Categorical, Levels: []string{"0", "7"}, Unknown: data.Other, Missing: data.Drop},
	}}
}

// npyFile writes a file of the test's own folder.
func npyFile(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipText(t testing.TB, names []string, contents ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(contents[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipText(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(content)
	_ = z.Close()
	return b.Bytes()
}

// TestReadNPYTypes writes the rows (3, 9, 7, 1) and (0, 9, 0, 1) in every type and order.
func TestReadNPYTypes(t *testing.T) {
	header := func(descr, fortran string) string {
		return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': (2, 4), }"
	}
	for _, c := range []struct {
		descr string
		rows  any
		turn  any // the same columns in Fortran order
	}{
		{"f8", []float64{3, 9, 7, 1, 0, 9, 0, 1}, []float64{3, 0, 9, 9, 7, 0, 1, 1}},
		{"f4", []float32{3, 9, 7, 1, 0, 9, 0, 1}, []float32{3, 0, 9, 9, 7, 0, 1, 1}},
		{"i8", []int64{3, 9, 7, 1, 0, 9, 0, 1}, []int64{3, 0, 9, 9, 7, 0, 1, 1}},
		{"i4", []int32{3, 9, 7, 1, 0, 9, 0, 1}, []int32{3, 0, 9, 9, 7, 0, 1, 1}},
		{"i2", []int16{3, 9, 7, 1, 0, 9, 0, 1}, []int16{3, 0, 9, 9, 7, 0, 1, 1}},
		{"i1", []int8{3, 9, 7, 1, 0, 9, 0, 1}, []int8{3, 0, 9, 9, 7, 0, 1, 1}},
		{"u8", []uint64{3, 9, 7, 1, 0, 9, 0, 1}, []uint64{3, 0, 9, 9, 7, 0, 1, 1}},
		{"u4", []uint32{3, 9, 7, 1, 0, 9, 0, 1}, []uint32{3, 0, 9, 9, 7, 0, 1, 1}},
		{"u2", []uint16{3, 9, 7, 1, 0, 9, 0, 1}, []uint16{3, 0, 9, 9, 7, 0, 1, 1}},
		{"u1", []uint8{3, 9, 7, 1, 0, 9, 0, 1}, []uint8{3, 0, 9, 9, 7, 0, 1, 1}},
	} {
		for _, order := range []struct {
			mark  string
			order binary.ByteOrder
		}{{"<", binary.LittleEndian}, {">", binary.BigEndian}} {
			for _, fortran := range []string{"False", "True"} {
				descr, numbers := order.mark+c.descr, c.rows
				if fortran == "True" {
					numbers = c.turn
				}
				content := npyText(header(descr, fortran), numbers, order.order)
				for _, path := range []string{npyFile(t, "t.npy", content), npyFile(t, "t.npy.gz", gzipText(content))} {
					d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
					if err != nil {
						t.Fatalf("%s fortran %s: %v", descr, fortran, err)
					}
					wantColumns(t, descr+" fortran "+fortran, d, []float32{3, 0}, []float32{1, 0}, []float32{1, 1})
				}
			}
		}
	}
}

func wantColumns(t *testing.T, what string, d *data.Dataset, a, b, y []float32) {
	t.Helper()
	if !slices.Equal(d.Column(0), a) || !slices.Equal(d.Column(1), b) || !slices.Equal(d.Target(), y) {
		t.Errorf("%s: got columns %v %v target %v, want %v %v %v", what, d.Column(0), d.Column(1), d.Target(), a, b, y)
	}
}

// TestReadNPYBool checks booleans, as cells and as levels.
func TestReadNPYBool(t *testing.T) {
	s := npySchema()
	s.Target.Levels = []string{"0", "1"}
	path := npyFile(t, "t.npy", npy("|b1", "(2, 4)", []byte{1, 0, 0, 1, 0, 1, 0, 0}))
	d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantColumns(t, "bool", d, []float32{1, 0}, []float32{0, 0}, []float32{1, 0})
}

// TestReadNPYTreatments reads one row for each treatment, with the labels apart: out of
// range is clamped, not finite is missing, an unknown level is other, a missing b or an
// unknown label drops the row.
func TestReadNPYTreatments(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := npyFile(t, "x.npy", npy("<f8", "(6, 3)", []float64{-5, nan, 0, 500, 0, 7, nan, 0, 3, inf, 0, 0, 1, 0, nan, 2, 0, 7}))
	y := npyFile(t, "y.npy", npy("<f4", "(6,)", []float32{-1, 1, -1, 1, 1, 2}))
	src := data.Source{Path: x, Labels: y}
	d, err := data.Read(context.Background(), npySchema(), src, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a := d.Column(0)
	if d.Records() != 4 || len(a) != 4 || a[0] != 0 || a[1] != 100 || a[2] == a[2] || a[3] == a[3] {
		t.Errorf("got %d records, a %v, want 4: 0, 100, NaN, NaN", d.Records(), a)
	}
	if b := d.Column(1); !slices.Equal(b, []float32{0, 1, 2, 0}) || !slices.Equal(d.Target(), []float32{0, 1, 0, 1}) {
		t.Errorf("got b %v target %v, want 0 1 2 0 and 0 1 0 1", b, d.Target())
	}
	d, err = data.Read(context.Background(), npySchema(), src, data.ReadOptions{KeepDropped: true, Extra: []string{"skip"}})
	if err != nil || d.Records() != 6 || d.Dropped(3) || !d.Dropped(4) || !d.Dropped(5) {
		t.Fatalf("with KeepDropped: got error %v, want rows 4 and 5 of 6 flagged", err)
	}
	codes, levels, err := d.Group("skip")
	if err != nil || !slices.Equal(codes, []int32{-1, 0, 0, 0, 0, 0}) || !slices.Equal(levels, []string{"0"}) {
		t.Errorf("group skip: got %v %v, error %v, want -1 0 0 0 0 0 of level 0", codes, levels, err)
	}
	d, err = data.Read(context.Background(), npySchema(), data.Source{Path: x}, data.ReadOptions{WithoutTarget: true})
	if err != nil || d.Target() != nil || d.Records() != 5 {
		t.Errorf("without target: got error %v, want 5 records and no target", err)
	}
}

// TestZeroIsOneText: minus zero is the number 0, so it names the same person.
func TestZeroIsOneText(t *testing.T) {
	x := npyFile(t, "x.npy", npy("<f8", "(2, 3)", []float64{1, 0, 0, 1, math.Copysign(0, -1), 0}))
	d, err := data.Read(context.Background(), npySchema(), data.Source{Path: x}, data.ReadOptions{WithoutTarget: true, Extra: []string{"skip"}})
	if err != nil {
		t.Fatal(err)
	}
	if codes, texts, err := d.Texts("skip"); err != nil || !slices.Equal(codes, []int32{0, 0}) || !slices.Equal(texts, []string{"0"}) {
		t.Errorf("got %v of %q, error %v, want 0 0 of 0", codes, texts, err)
	}
}

// TestReadNPYFlat checks that rows of an image are laid flat in C order.
func TestReadNPYFlat(t *testing.T) {
	s := npySchema()
	s.Columns = slices.Repeat(s.Columns[:1], 4)
	for i := range s.Columns {
		s.Columns[i].Name = fmt.Sprint("p", i)
	}
	x := npyFile(t, "x.npy", npy("|u1", "(2, 2, 2)", []byte{0, 1, 2, 3, 10, 11, 12, 13}))
	y := npyFile(t, "y.npy", npy("|i1", "(2,)", []int8{-1, 1}))
	d, err := data.Read(context.Background(), s, data.Source{Path: x, Labels: y}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float32{{0, 1, 2, 3}, {10, 11, 12, 13}} {
		if got := d.Row(nil, i); !slices.Equal(got, want) {
			t.Errorf("row %d: got %v, want %v", i, got, want)
		}
	}
}

// TestReadNPZ finds the matrix and the target by name, else as the only ones.
func TestReadNPZ(t *testing.T) {
	x, other := npy("<f8", "(2, 3)", []float64{3, 9, 7, 0, 9, 0}), npy("<f8", "(2, 3)", []float64{1, 9, 0, 1, 9, 0})
	y, z := npy("<i8", "(2,)", []int64{1, -1}), npy("<i8", "(2,)", []int64{-1, -1})
	whole := npy("<f8", "(2, 4)", []float64{3, 9, 7, 1, 0, 9, 0, -1})
	for _, c := range []struct {
		name     string
		names    []string
		contents [][]byte
	}{
		{"by name", []string{"v.npy", "x.npy", "y.npy", "z.npy"}, [][]byte{other, x, y, z}},
		{"the only ones", []string{"labels.npy", "images.npy"}, [][]byte{y, x}},
		{"target in the last column", []string{"x.npy"}, [][]byte{whole}},
		{"other files beside", []string{"readme.txt", "x.npy", "y.npy"}, [][]byte{[]byte("text"), x, y}},
	} {
		path := npyFile(t, "t.npz", zipText(t, c.names, c.contents...))
		d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		wantColumns(t, c.name, d, []float32{3, 0}, []float32{1, 0}, []float32{1, 0})
	}
}

// secret stands for what no error may quote.
const secret = "SECRET-4711"

// TestReadNPYErrors wants one line that names the file and tells what is wrong.
func TestReadNPYErrors(t *testing.T) {
	good, y := npy("<f8", "(2, 3)", make([]float64, 6)), npy("<f8", "(2,)", []float64{1, 1})
	header := func(text string) []byte { return npyText(text, make([]float64, 8), binary.LittleEndian) }
	for _, c := range []struct {
		name, file, want string
		content          []byte
	}{
		{"bad magic", "t.npy", "no NPY file", []byte(secret + secret)},
		{"empty", "t.npy", "no NPY file", nil},
		{"version", "t.npy", "version 9", []byte("\x93NUMPY\x09\x00\x10\x00" + secret)},
		{"header cut off", "t.npy", "cut off", good[:20]},
		{"header too long", "t.npy", "too long", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff" + secret)},
		{"numbers cut off", "t.npy", "cut off", npy("<f8", "(2, 4)", make([]float64, 7))},
		{"bytes behind", "t.npy", "after the last number", append(npy("<f8", "(1, 4)", make([]float64, 4)), secret...)},
		{"gzip cut off", "t.npy.gz", "cut off", gzipText(npy("<f8", "(2, 4)", make([]float64, 8)))[:60]},
		{"objects", "t.npy", "never objects", header(npyHeaderText("|O", "(2, 4)"))},
		{"text", "t.npy", "type of its numbers", header(npyHeaderText("<U8", "(2, 4)"))},
		{"half floats", "t.npy", "type of its numbers", header(npyHeaderText("<f2", "(2, 4)"))},
		{"records", "t.npy", "one type", header("{'descr': [('" + secret + "', '<f8')], 'fortran_order': False, 'shape': (2,), }")},
		{"unknown type", "t.npy", "type of its numbers", header(npyHeaderText(secret, "(2, 4)"))},
		{"no header", "t.npy", "one type", header(secret)},
		{"negative", "t.npy", "one type", header(npyHeaderText("<f8", "(-2, 4)"))},
		{"overflow of one", "t.npy", "too large", header(npyHeaderText("<f8", "(99999999999999999999, 4)"))},
		{"overflow of the product", "t.npy", "too large", header(npyHeaderText("<f8", "(4294967296, 4294967296)"))},
		{"overflow to a small product", "t.npy", "too large", header(npyHeaderText("<f8", "(2, 4, 4611686018427387904, 4)"))},
		{"overflow behind zero", "t.npy", "too large", header(npyHeaderText("<f8", "(0, 4294967296, 4294967296)"))},
		{"single number", "t.npy", "single number", header(npyHeaderText("<f8", "()"))},
		{"vector", "t.npy", "vector", header(npyHeaderText("<f8", "(8,)"))},
		{"no target", "t.npy", "no target", good},
		{"too wide", "t.npy", "5 columns", npy("<f8", "(2, 5)", make([]float64, 10))},
		{"no rows", "t.npy", "no records", npy("<f8", "(0, 4)", nil)},
		{"too many rows", "t.npy", "max-records, 10", npy("<f8", "(4711, 4)", make([]float64, 4*4711))},
		{"no archive", "t.npz", "no NPZ file", []byte(secret)},
		{"archive cut off", "t.npz", "no NPZ file", zipText(t, []string{"x.npy", "y.npy"}, good, y)[:200]},
		{"archive without arrays", "t.npz", "one matrix", zipText(t, []string{secret}, []byte(secret))},
		{"two members of one name", "t.npz", "one name", zipText(t, []string{"x.npy", "y.npy", "x.npy"}, good, y, good)},
		{"several matrices", "t.npz", "one matrix", zipText(t, []string{secret + ".npy", "b.npy"}, good, good)},
		{"objects in an archive", "t.npz", "never objects", zipText(t, []string{"x.npy"}, header(npyHeaderText("|O", "(2, 4)")))},
		{"labels in an archive", "t.npz", "not as many", zipText(t, []string{"x.npy", "y.npy"}, good, npy("<f8", "(3,)", make([]float64, 3)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := npyFile(t, c.file, c.content)
			_, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
			wantFileError(t, err, path, c.want)
		})
	}
}

func wide(n int) []data.Column {
	columns := slices.Repeat(npySchema().Columns[:1], min(n, 1000))
	for i := range columns {
		columns[i].Name = fmt.Sprint("p", i)
	}
	return columns
}

func wantFileError(t *testing.T, err error, path, want string) {
	t.Helper()
	var f *data.FileError
	if !errors.As(err, &f) {
		t.Fatalf("got error %v, want a *FileError with %q", err, want)
	}
	text := err.Error()
	if f.File != path || !strings.Contains(text, want) || f.Remedy == "" {
		t.Errorf("got %q, want one about %q with a remedy", text, want)
	}
	text = strings.ReplaceAll(text, path, "") // a temporary folder's name has random digits
	if strings.Contains(text, "SECRET") || strings.Contains(text, "4711") || strings.ContainsAny(text, "\n\r") {
		t.Errorf("got %q, want one line that quotes nothing of the file", text)
	}
}

// TestReadNPYBomb wants a stop at the ratio and at the limit of bytes.
func TestReadNPYBomb(t *testing.T) {
	s := npySchema()
	s.Columns, s.MaxRecords = wide(999), 1<<20
	content := npy("|u1", "(4000, 1000)", make([]byte, 4_000_000))
	packed := npyFile(t, "t.npy.gz", gzipText(content))
	_, err := data.Read(context.Background(), s, data.Source{Path: packed}, data.ReadOptions{})
	wantFileError(t, err, packed, "1000 times")
	archive := npyFile(t, "t.npz", zipText(t, []string{"x.npy"}, content))
	_, err = data.Read(context.Background(), s, data.Source{Path: archive}, data.ReadOptions{})
	wantFileError(t, err, archive, "1000 times")
	plain := npyFile(t, "t.npy", content)
	_, err = data.Read(context.Background(), s, data.Source{Path: plain}, data.ReadOptions{MaxBytes: 1000})
	wantFileError(t, err, plain, "1000 bytes")
}

// TestReadNPYChecksum wants the checksum behind the last number to be compared.
func TestReadNPYChecksum(t *testing.T) {
	content := gzipText(npy("<f8", "(2, 4)", []float64{3, 9, 7, 1, 0, 9, 0, 1}))
	content[len(content)-6] ^= 1
	path := npyFile(t, "t.npy.gz", content)
	_, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
	wantFileError(t, err, path, "damaged")
}

// TestReadNPYBits compares a matrix with Column.Number, cell by cell and bit by bit, for
// bounds and values at which rounding, zeros and infinities matter.
func TestReadNPYBits(t *testing.T) {
	edges := []float64{0, math.Copysign(0, -1), 0.1, -0.1, 1, 1e-50, -1e-50, 16777217, 0.30000000000000004, math.MaxFloat32, 1e39,
		math.Inf(1), math.Inf(-1), math.NaN(), float64(float32(0.1)), math.Nextafter(0.1, 0), math.Nextafter(0.1, 1)}
	for _, bounds := range [][2]float64{{0, 0.1}, {0.1, 1}, {-0.1, 0.1}, {-1e-50, 1}, {1e-50, 16777217}, {math.Copysign(0, -1), 1}, {-1, 0}, {-math.MaxFloat32, math.MaxFloat32}} {
		for _, outOfRange := range []data.Treatment{data.Clamp, data.AsMissing, data.Drop} {
			s := npySchema()
			s.MaxRecords = len(edges)
			s.Columns = []data.Column{{Name: "a", Kind: data.Numeric, Lower: bounds[0], Upper: bounds[1], OutOfRange: outOfRange, Missing: data.Drop}}
			path := npyFile(t, "x.npy", npy("<f8", fmt.Sprintf("(%d, 1)", len(edges)), edges))
			d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{WithoutTarget: true, KeepDropped: true})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range edges {
				want, ok := s.Columns[0].Number(v)
				if got := d.Column(0)[i]; math.Float32bits(got) != math.Float32bits(want) || d.Dropped(i) == ok {
					t.Errorf("bounds %v, %v, %v: got %v, dropped %v, want %v, ok %v", bounds, outOfRange, v, got, d.Dropped(i), want, ok)
				}
			}
		}
	}
}

// TestReadNPYLabels checks what can be wrong with labels apart.
func TestReadNPYLabels(t *testing.T) {
	x := npyFile(t, "x.npy", npy("<f8", "(2, 3)", make([]float64, 6)))
	for _, c := range []struct {
		name, want string
		content    []byte
	}{
		{"longer", "not as many", npy("<f8", "(3,)", make([]float64, 3))},
		{"a matrix", "not as many", npy("<f8", "(2, 2)", make([]float64, 4))},
		{"no array", "no NPY file", []byte(secret)},
		{"cut off", "cut off", npy("<f8", "(2,)", make([]float64, 1))},
	} {
		labels := npyFile(t, "y.npy", c.content)
		_, err := data.Read(context.Background(), npySchema(), data.Source{Path: x, Labels: labels}, data.ReadOptions{})
		wantFileError(t, err, labels, c.want)
	}
	_, err := data.Read(context.Background(), npySchema(), data.Source{Path: x, Labels: x + ".none"}, data.ReadOptions{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("labels that do not exist: got error %v, want fs.ErrNotExist", err)
	}
}

// TestReadNPYCancel checks that a context that is done stops the reading.
func TestReadNPYCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	path := npyFile(t, "t.npy", npy("<f8", "(2, 4)", make([]float64, 8)))
	if _, err := data.Read(ctx, npySchema(), data.Source{Path: path}, data.ReadOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want context.DeadlineExceeded", err)
	}
}

// FuzzReadNPY reads any bytes as an array and as an archive: no panic, and no error that
// quotes them. What is read has the shape of the schema and stays within its bounds.
func FuzzReadNPY(f *testing.F) {
	f.Add(npy("<f8", "(2, 4)", []float64{3, 9, 7, 1, math.NaN(), 9, 0, -1}))
	f.Add(npy("|u1", "(2, 4)", []byte(secret)[:8]))
	f.Add(npy(">i2", "(1, 2, 2)", make([]int16, 4)))
	f.Add(npyText("{'descr': '<f4', 'fortran_order': True, 'shape': (2L, 4L), }", make([]float32, 8), binary.LittleEndian))
	f.Add(npyText("{'descr': '"+secret+"', 'fortran_order': False, 'shape': (2,), }", nil, binary.LittleEndian))
	f.Add(gzipText(npy("<f8", "(2, 4)", make([]float64, 8))))
	f.Add(zipText(f, []string{"x.npy", "y.npy"}, npy("<f4", "(2, 3)", make([]float32, 6)), npy("|i1", "(2,)", []int8{-1, 1})))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"t.npy", "t.npz"} {
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{KeepDropped: true})
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

// BenchmarkReadNPY reads a table of images and one of indicators.
func BenchmarkReadNPY(b *testing.B) {
	for _, c := range []struct {
		name        string
		rows, width int
		content     []byte
	}{
		{"60000x784-u1", 60000, 784, npy("|u1", "(60000, 784)", make([]byte, 60000*784))},
		{"45220x104-f8", 45220, 104, npy("<f8", "(45220, 104)", make([]float64, 45220*104))},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := npySchema()
			s.Columns, s.MaxRecords = wide(c.width), 100000
			path := npyFile(b, "x.npy", c.content)
			b.SetBytes(int64(len(c.content)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{WithoutTarget: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestReadAdultBook reads the matrix and the labels of a book's data set; the counts of the
// labels are those of its documentation.
func TestReadAdultBook(t *testing.T) {
	src := data.Source{Path: realFile(t, "adult-book/adult_processed_x.npy.gz"), Labels: realFile(t, "adult-book/adult_processed_y.npy")}
	s := npySchema()
	s.Columns, s.MaxRecords = wide(104), 50000
	d, err := data.Read(context.Background(), s, src, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	positives := 0
	for _, y := range d.Target() {
		positives += int(y)
	}
	if d.Records() != 45220 || positives != 11206 {
		t.Errorf("got %d records, %d positive, want 45220 and 11206", d.Records(), positives)
	}
}
