//go:build long

package train

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
)

// npyFromIDX writes the bytes of an IDX file (a big-endian header of 4·(1+dimensions) bytes,
// then the numbers) as an NPY file.
func npyFromIDX(t *testing.T, from, to, shape string, header int) string {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': %s, }", shape)
	text += strings.Repeat(" ", 127-10-len(text)) + "\n"
	out := append([]byte("\x93NUMPY\x01\x00\x76\x00"), text...)
	if err := os.WriteFile(to, append(out, raw[header:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestFashionMNIST holds softmax on raw pixels with the tool's defaults. The figure's standard
// deviation between runs is about 0.0015, and the floor is more than ten of them away.
func TestFashionMNIST(t *testing.T) {
	dir, temporary := realData(t, "fashion-mnist"), t.TempDir()
	s, err := (&data.Schema{Name: "fashion-mnist", Row: "one image", Records: 60000, MaxRecords: 70000,
		Columns: []data.Column{{Name: "pixel", Kind: data.Numeric, Lower: 0, Upper: 255, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 784}},
		Target:  data.Target{Column: "class", Levels: strings.Fields("0 1 2 3 4 5 6 7 8 9")}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	load := func(part string, n int) *data.Dataset {
		d, err := data.Read(context.Background(), s, data.Source{
			Path:   npyFromIDX(t, filepath.Join(dir, part+"-images-idx3-ubyte.gz"), filepath.Join(temporary, part+".npy"), fmt.Sprintf("(%d, 28, 28)", n), 16),
			Labels: npyFromIDX(t, filepath.Join(dir, part+"-labels-idx1-ubyte.gz"), filepath.Join(temporary, part+"-labels.npy"), fmt.Sprintf("(%d,)", n), 8),
		}, data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	train, test := load("train", 60000), load("t10k", 10000)
	got := float64(classify(t, run(t, ask(), Options{Momentum: option.DefaultMomentum}, s, train), test).Accuracy)
	t.Logf("fashion-mnist, epsilon 1: accuracy %.4f", got)
	if got < 0.82 {
		t.Errorf("accuracy is %.4f, want at least 0.82", got)
	}
}
