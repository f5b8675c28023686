package public

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/data"
)

// Set is a public data set of two parts.
type Set struct {
	// Name is the name of its folder.
	Name   string
	schema func() (*data.Schema, error)
	read   func(ctx context.Context, s *data.Schema, folder string) (training, test *data.Dataset, err error)
}

// Schema returns a schema of the set, which the caller may modify.
func (s Set) Schema() (*data.Schema, error) { return s.schema() }

// Read reads both parts under a schema. The folder in holds the set's folder.
func (s Set) Read(ctx context.Context, schema *data.Schema, in string) (training, test *data.Dataset, err error) {
	return s.read(ctx, schema, filepath.Join(in, s.Name))
}

// Here reports whether the folder in has a folder of this name.
func Here(in, name string) bool {
	info, err := os.Stat(filepath.Join(in, name))
	return !errors.Is(err, fs.ErrNotExist) && err == nil && info.IsDir()
}

// MNIST returns the images of digits of LeCun, Cortes & Burges.
func MNIST() Set { return images("mnist") }

// FashionMNIST returns the images of clothes of Xiao, Rasul & Vollgraf, "Fashion-MNIST: a Novel
// Image Dataset for Benchmarking Machine Learning Algorithms", 2017,
// https://arxiv.org/abs/1708.07747.
func FashionMNIST() Set { return images("fashion-mnist") }

// images returns a set of 60000 grey images of 28×28 for training and 10000 for testing, in files
// with MNIST's names.
func images(name string) Set {
	schema := func() (*data.Schema, error) {
		return (&data.Schema{Name: name, Row: "one image", Records: 60000, MaxRecords: 65536,
			Columns: []data.Column{{Name: "pixel", Kind: data.Numeric, Lower: 0, Upper: 255, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 784}},
			Target:  data.Target{Column: "class", Levels: strings.Fields("0 1 2 3 4 5 6 7 8 9")}}).Expand()
	}
	read := func(ctx context.Context, s *data.Schema, folder string) (training, test *data.Dataset, err error) {
		part := func(start string) (*data.Dataset, error) {
			at := filepath.Join(folder, start)
			return data.Read(ctx, s, data.Source{Path: at + "-images-idx3-ubyte.gz", Labels: at + "-labels-idx1-ubyte.gz"}, data.ReadOptions{})
		}
		if training, err = part("train"); err == nil {
			test, err = part("t10k")
		}
		return training, test, err
	}
	return Set{Name: name, schema: schema, read: read}
}

// BookRows is the number of rows of AdultBook for training: the first ones.
const BookRows = 36176

// AdultBook returns the processed matrix of Adult of J. P. Near and C. Abuah, "Programming
// Differential Privacy", https://programming-dp.com: 104 numbers from 0 to 1.
func AdultBook() Set {
	schema := func() (*data.Schema, error) {
		return data.ParseSchema("adult-book", []byte(`dither-schema: 1
row: one person
records: 36176
max-records: 40000
target: {column: income, levels: ["-1", "1"]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  "x[0:104]": {numeric: [0, 1]}
`))
	}
	read := func(ctx context.Context, s *data.Schema, folder string) (training, test *data.Dataset, err error) {
		at := filepath.Join(folder, "adult_processed_")
		all, err := data.Read(ctx, s, data.Source{Path: at + "x.npy.gz", Labels: at + "y.npy"}, data.ReadOptions{MaxRecords: 50000})
		if err != nil {
			return nil, nil, err
		}
		return all.Slice(0, BookRows), all.Slice(BookRows, all.Records()), nil
	}
	return Set{Name: "adult-book", schema: schema, read: read}
}
