package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/public"
	"github.com/ditherml/dither/train"
)

// set is a data set with a recipe.
type set struct {
	name     string
	epsilons []float64
	schema   func() (*data.Schema, error)
	// read returns the training and the test part.
	read       func(ctx context.Context, s *data.Schema, folder string) (training, test *data.Dataset, err error)
	transforms []string
	// person is the unit of privacy, nil for a row.
	person     *train.PersonUnit
	regression bool
}

func (c set) measure() string {
	if c.regression {
		return "R², %"
	}
	return "accuracy, %"
}

const (
	scattering = "scattering:shape=28x28"
	groupNorm  = "groupnorm:groups=27"
)

var imageBudgets = []float64{0.5, 1, 2, 3}

// sets lists the measured sets.
func sets() []set {
	return append([]set{
		published("fashion-raw", public.FashionMNIST()),
		published("fashion-scattering", public.FashionMNIST(), scattering, groupNorm),
		published("mnist-raw", public.MNIST()),
		published("mnist-scattering", public.MNIST(), "deskew:shape=28x28", scattering, groupNorm),
		published("mnist-mlp", public.MNIST(), "deskew:shape=28x28"),
		published("mnist-cnn", public.MNIST()),
		published("fashion-cnn", public.FashionMNIST()),
		{name: "imdb", epsilons: []float64{1, 3}, schema: imdbSchema, read: readIMDb},
		{name: "a9a", epsilons: []float64{0.5, 1, 3}, schema: a9aSchema, read: pair("libsvm-a9a/a9a.gz", "libsvm-a9a/a9a.t.gz")},
		{name: "adult-book", epsilons: []float64{0.5, 1, 3}, schema: public.AdultBook().Schema, read: public.AdultBook().Read},
		{name: "nlswork-persons", epsilons: []float64{3}, schema: nlsworkSchema, read: readNlswork, person: &train.PersonUnit{Column: "idcode", MaxRows: 5}, regression: true},
		numbers("california-housing", "housing.csv.gz"),
		numbers("diamonds", "diamonds.csv.gz"),
	}, others()...)
}

func names() []string {
	var all []string
	for _, c := range sets() {
		all = append(all, c.name)
	}
	return all
}

func choose(wanted []string) ([]set, error) {
	if wanted == nil {
		return sets(), nil
	}
	var chosen []set
	for _, c := range sets() {
		for _, name := range wanted {
			if name == c.name {
				chosen = append(chosen, c)
			}
		}
	}
	if len(chosen) != len(wanted) {
		return nil, fmt.Errorf("--sets is %s, want some of %s", strings.Join(wanted, ","), strings.Join(names(), ", "))
	}
	return chosen, nil
}

// published is a public set with a recipe.
func published(name string, of public.Set, transforms ...string) set {
	return set{name: name, epsilons: imageBudgets, schema: of.Schema, read: of.Read, transforms: transforms}
}

// pair reads a file for each part.
func pair(training, test string) func(context.Context, *data.Schema, string) (a, b *data.Dataset, err error) {
	return func(ctx context.Context, s *data.Schema, in string) (a, b *data.Dataset, err error) {
		if a, err = data.Read(ctx, s, data.Source{Path: filepath.Join(in, training)}, data.ReadOptions{}); err == nil {
			b, err = data.Read(ctx, s, data.Source{Path: filepath.Join(in, test)}, data.ReadOptions{})
		}
		return a, b, err
	}
}

func imdbSchema() (*data.Schema, error) {
	return data.ParseSchema("imdb", []byte(`dither-schema: 1
row: one review
records: 25000
max-records: 30000
target: {column: label, levels: ["0", "1"]}
columns:
  rating: ignore
  id: ignore
  text: {text: {}}
`))
}

func a9aSchema() (*data.Schema, error) {
	return data.ParseSchema("a9a", []byte(`dither-schema: 1
row: one person
records: 32561
max-records: 40000
target: {column: income, levels: ["-1", "1"]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  "f[1:124]": {numeric: [0, 1]}
`))
}

// readIMDb reads tables whose cells are separated by tabs and never quoted. Quotation marks in them
// are letters, which a table with commas can express.
func readIMDb(ctx context.Context, s *data.Schema, in string) (training, test *data.Dataset, err error) {
	folder, err := os.MkdirTemp("", "accuracy-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	part := func(name string) (*data.Dataset, error) {
		to := filepath.Join(folder, name+".csv")
		if failed := withCommas(filepath.Join(in, "imdb", name+".tsv.gz"), to); failed != nil {
			return nil, failed
		}
		return data.Read(ctx, s, data.Source{Path: to}, data.ReadOptions{})
	}
	if training, err = part("imdb-train"); err == nil {
		test, err = part("imdb-test")
	}
	return training, test, err
}

// withCommas writes a compressed table with tabs as one with commas and quotation marks.
func withCommas(from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for line := range strings.Lines(string(text)) {
		if err = w.Write(strings.Split(strings.TrimRight(line, "\r\n"), "\t")); err != nil {
			return err
		}
	}
	w.Flush()
	return os.WriteFile(to, out.Bytes(), 0o600)
}

func nlsworkSchema() (*data.Schema, error) {
	return data.ParseSchema("nlswork", []byte(`dither-schema: 1
row: one yearly interview
max-records: 40000
target: {column: ln_wage, bounds: [0, 4]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  rownames: ignore
  idcode: ignore
  year: {numeric: [68, 88]}
  birth_yr: {numeric: [41, 54]}
  age: {numeric: [14, 46]}
  race: {levels: ["1", "2", "3"]}
  msp: {levels: ["0", "1"]}
  nev_mar: {levels: ["0", "1"]}
  grade: {numeric: [0, 18]}
  collgrad: {levels: ["0", "1"]}
  not_smsa: {levels: ["0", "1"]}
  c_city: {levels: ["0", "1"]}
  south: {levels: ["0", "1"]}
  ind_code: {levels: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]}
  occ_code: {levels: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"]}
  union: {levels: ["0", "1"]}
  wks_ue: {numeric: [0, 76]}
  ttl_exp: {numeric: [0, 29]}
  tenure: {numeric: [0, 26]}
  hours: {numeric: [0, 168]}
  wks_work: {numeric: [0, 104]}
`))
}

// readNlswork divides persons, not rows: every fifth idcode is for testing.
func readNlswork(ctx context.Context, s *data.Schema, in string) (training, test *data.Dataset, err error) {
	all, err := data.Read(ctx, s, data.Source{Path: filepath.Join(in, "nlswork", "nlswork.csv.gz")}, data.ReadOptions{Extra: []string{"idcode"}})
	if err != nil {
		return nil, nil, err
	}
	codes, texts, err := all.Group("idcode")
	if err != nil {
		return nil, nil, err
	}
	var parts [2][]int
	for i, code := range codes {
		part := 0
		if code >= 0 && strings.ContainsAny(texts[code][len(texts[code])-1:], "05") {
			part = 1
		}
		parts[part] = append(parts[part], i)
	}
	return all.Take(parts[0]), all.Take(parts[1]), nil
}

// chain parses the transforms.
func (c set) chain() ([]feature.Spec, error) {
	var specs []feature.Spec
	for _, text := range c.transforms {
		spec, err := feature.ParseSpec(text)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}
