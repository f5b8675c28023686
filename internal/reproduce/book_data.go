package reproduce

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/public"
	"github.com/ditherml/dither/internal/reference"
	"github.com/ditherml/dither/model"
)

// bookRecords is the processed matrix of Adult in two forms. One has columns for training. The
// other has double precision for plain gradient descent, whose printed figures have 16 digits.
type bookRecords struct {
	schema         *data.Schema
	training, test *data.Dataset
	x, testX       reference.Matrix
	y, testY       []float64 // 0 and 1
}

// readBook reads the set. The schema declares no number of records, so that plans take a noisy
// count, as the chapter does.
func readBook(ctx context.Context, l experiment.Environment) (*bookRecords, error) {
	b := &bookRecords{}
	set := public.AdultBook()
	var err error
	if b.schema, err = set.Schema(); err != nil {
		return nil, err
	}
	b.schema.Records = 0
	if b.training, b.test, err = set.Read(ctx, b.schema, l.Data); err != nil {
		return nil, err
	}
	folder := filepath.Join(l.Data, set.Name)
	x, err := readDoubles(filepath.Join(folder, "adult_processed_x.npy.gz"))
	if err != nil {
		return nil, err
	}
	y, err := readDoubles(filepath.Join(folder, "adult_processed_y.npy"))
	if err != nil {
		return nil, err
	}
	for i, v := range y {
		y[i] = (v + 1) / 2
	}
	if len(y) != b.training.Records()+b.test.Records() || len(x)%len(y) != 0 {
		return nil, fmt.Errorf("reproduce: %s has %d numbers and %d labels, want as many rows as labels; restore the folder", set.Name, len(x), len(y))
	}
	all, n := reference.Matrix{Rows: len(y), Columns: len(x) / len(y), Values: x}, b.training.Records()
	b.x, b.testX, b.y, b.testY = all.Slice(0, n), all.Slice(n, len(y)), y[:n], y[n:]
	return b, nil
}

// readDoubles reads the numbers of an NPY file of little-endian float64 in rows, compressed or not.
func readDoubles(path string) ([]float64, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ".gz") {
		z, failed := gzip.NewReader(bytes.NewReader(raw))
		if failed != nil {
			return nil, failed
		}
		if raw, err = io.ReadAll(z); err != nil {
			return nil, err
		}
	}
	wrong := fmt.Errorf("reproduce: %s is no NPY file of float64 in rows, want one; restore it", filepath.Base(path))
	if len(raw) < 10 || string(raw[:6]) != "\x93NUMPY" || raw[6] != 1 {
		return nil, wrong
	}
	head := 10 + int(binary.LittleEndian.Uint16(raw[8:]))
	if len(raw) < head || !bytes.Contains(raw[:head], []byte("'<f8'")) || bytes.Contains(raw[:head], []byte("'fortran_order': True")) || (len(raw)-head)%8 != 0 {
		return nil, wrong
	}
	out := make([]float64, (len(raw)-head)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[head+8*i:]))
	}
	return out, nil
}

// descend takes one step of plain gradient descent on a mean loss, its rows divided over two
// goroutines.
func descend(l model.Loss, x reference.Matrix, y, theta []float64, rate float64) {
	half := x.Rows / 2
	var means [2][]float64
	parallel.Each(len(means), func(part int) {
		from, to := part*half, half+part*(x.Rows-half)
		means[part] = reference.MeanGradient(l, x.Slice(from, to), y[from:to], theta)
	})
	a, b := float64(half)/float64(x.Rows), float64(x.Rows-half)/float64(x.Rows)
	for j := range theta {
		theta[j] -= rate * (a*means[0][j] + b*means[1][j])
	}
}
