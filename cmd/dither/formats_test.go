package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const formatsSchema = `dither-schema: 1
name: formats
row: one person
max-records: 1000
target: {column: y, levels: ["0", "1"]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  a: {numeric: [0, 10]}
  b: {numeric: [0, 10]}
`

// idxText is an IDX file of bytes.
func idxText(numbers []byte, shape ...uint32) string {
	text := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		text = binary.BigEndian.AppendUint32(text, n)
	}
	return string(append(text, numbers...))
}

// npyBytes is an NPY file of bytes.
func npyBytes(numbers []byte, shape string) string {
	header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': %s, }\n", shape)
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header + string(numbers)
}

// numbersIn returns the numbers of a text.
func numbersIn(text string) []float64 {
	var numbers []float64
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.-+e", r) }) {
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			numbers = append(numbers, v)
		}
	}
	return numbers
}

// TestTrainFormats trains on one table in every format, without privacy so that models may be
// compared, and wants the weights that CSV gives; of a LIBSVM table, whose cells are held in
// another form, weights close to them.
func TestTrainFormats(t *testing.T) {
	const rows = 300
	t.Chdir(t.TempDir())
	var csv, sparse strings.Builder
	var matrix, labels []byte
	csv.WriteString("a,b,y\n")
	for i := range rows {
		a, b, y := byte(i%11), byte(i*i%11), byte(0)
		if a+b%3 > 6 {
			y = 1
		}
		fmt.Fprintf(&csv, "%d,%d,%d\n", a, b, y)
		fmt.Fprintf(&sparse, "%d 1:%d 2:%d\n", y, a, b)
		matrix, labels = append(matrix, a, b), append(labels, y)
	}
	schema := writeText(t, "s.yaml", formatsSchema)
	writeText(t, "t.csv", csv.String())
	writeText(t, "t.libsvm", sparse.String())
	writeText(t, "t-idx2-ubyte", idxText(matrix, rows, 2))
	writeText(t, "y-idx1-ubyte", idxText(labels, rows))
	writeText(t, "t.npy", npyBytes(matrix, fmt.Sprintf("(%d, 2)", rows)))
	writeText(t, "y.npy", npyBytes(labels, fmt.Sprintf("(%d,)", rows)))
	train := func(out string, table ...string) string {
		mustInvoke(t, append([]string{"train", "--schema", schema, "--out", out, "--non-private", "--whiten", "no", "--quiet", "--data"}, table...)...)
		return weightsOf(t, out)
	}
	want := train("csv", "t.csv")
	for _, table := range [][]string{
		{"t-idx2-ubyte", "--labels", "y-idx1-ubyte"}, {"t-idx2-ubyte", "--labels", "y.npy"},
		{"t.npy", "--labels", "y.npy"}, {"t.npy", "--labels", "y-idx1-ubyte"},
	} {
		if got := train("m-"+strings.Join(table, "-"), table...); got != want {
			t.Errorf("%v: got weights\n%s\nwant those of CSV\n%s", table, got, want)
		}
	}
	got, near := numbersIn(train("sparse", "t.libsvm")), numbersIn(want)
	if len(got) != len(near) || len(near) != 3 {
		t.Fatalf("LIBSVM: got weights %v, want %v", got, near)
	}
	for i, w := range near {
		if math.Abs(got[i]-w) > 0.05*(1+math.Abs(w)) {
			t.Errorf("LIBSVM: got weights %v, want about %v", got, near)
		}
	}
	writeText(t, "t.txt", "")
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(dataVariable, folder)
	listed, _ := mustInvoke(t, "data")
	for _, name := range []string{"t.csv", "t.libsvm", "t-idx2-ubyte", "y-idx1-ubyte", "t.npy", "y.npy"} {
		if !strings.Contains(listed, "  "+name+" ") {
			t.Errorf("dither data does not list %s:\n%s", name, listed)
		}
	}
	if strings.Contains(listed, "t.txt") {
		t.Errorf("dither data lists a text:\n%s", listed)
	}
}
