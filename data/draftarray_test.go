package data_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// arrayDraft drafts a schema of an array, with labels beside it unless there are none, and returns its text.
func arrayDraft(t *testing.T, name string, content []byte, labels string, labelText []byte, d data.Draft) (*data.Schema, string, error) {
	t.Helper()
	src := data.Source{Path: npyFile(t, name, content)}
	if labels != "" {
		src.Labels = npyFile(t, labels, labelText)
	}
	if !data.IsArray(context.Background(), src) {
		t.Fatalf("%s is no array, want one", name)
	}
	s, err := data.DraftSchema(context.Background(), src, d)
	if err != nil {
		return nil, "", err
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return s, string(text), nil
}

// TestDraftArrays drafts schemas of arrays whose numbers are missing, so that only headers can be read.
func TestDraftArrays(t *testing.T) {
	labels := idx(8, dims(3), nil)
	ten := map[string][]string{"label": strings.Split("0123456789", "")}
	matrix, vector := npy("<f8", "(3, 4)", nil), npy("<i8", "(3,)", nil)
	for name, c := range map[string]struct {
		file   string
		text   []byte
		labels string
		beside []byte
		d      data.Draft
		want   []string
		open   int
	}{
		"images": {"train-images-idx3-ubyte", idx(8, dims(3, 2, 3), nil), "train-labels-idx1-ubyte", labels, data.Draft{Levels: ten, MaxRecords: 9},
			[]string{"pixel[0:6]: {numeric: [0, 255], out-of-range: clamp, missing: zero}", "column: label, levels: [\"0\""}, 0},
		"compressed images":            {"images.bin", gzipText(idx(8, dims(3, 2, 2), nil)), "t10k-labels-idx1-ubyte.gz", gzipText(labels), data.Draft{MaxRecords: 9}, []string{"pixel[0:4]: {numeric: [0, 255]", "column: label"}, 1},
		"floats":                       {"x.npy", matrix, "y.npy", vector, data.Draft{MaxRecords: 9}, []string{"x[0:4]: DECLARE", "column: y"}, 2},
		"floats declared":              {"x.npy", matrix, "y.npy", vector, data.Draft{MaxRecords: 9, Numeric: map[string][2]float64{"x[0:3]": {-1, 1}, "y": {0, 9}}, Ignore: []string{"x3"}}, []string{"x[0:3]: {numeric: [-1, 1]", "x3: ignore", "column: y, bounds: [0, 9]"}, 0},
		"integers declared":            {"x.npy", matrix, "y.npy", vector, data.Draft{MaxRecords: 9, Numeric: map[string][2]float64{"x[0:4]": {0, 3}, "y": {0, 9}}, Integer: []string{"x[1:4]", "y"}}, []string{"x0: {numeric: [0, 3], out", "x[1:4]: {numeric: [0, 3], integer: true", "bounds: [0, 9]}"}, 0},
		"target last":                  {"x.npy", matrix, "", nil, data.Draft{Target: "price", MaxRecords: 9, Numeric: map[string][2]float64{"x[0:3]": {0, 1}, "price": {0, 1}}}, []string{"x[0:3]: {numeric: [0, 1]", "column: price, bounds: [0, 1]"}, 0},
		"bools":                        {"b.npy", npy("|b1", "(3, 4)", nil), "y.npy", vector, data.Draft{Target: "sick", MaxRecords: 9, Levels: map[string][]string{"sick": {"0", "1"}}}, []string{"x[0:4]: {numeric: [0, 1], out-of-range: clamp, missing: zero}", "column: sick"}, 0},
		"short numbers":                {"x.npy", npy("<i2", "(3, 4)", nil), "y.npy", vector, data.Draft{MaxRecords: 9, Levels: map[string][]string{"y": {"0", "1"}}}, []string{"x[0:4]: DECLARE"}, 1},
		"archive":                      {"a.npz", zipText(t, []string{"x.npy", "sort.npy"}, npy("|u1", "(3, 2, 2)", nil), vector), "", nil, data.Draft{MaxRecords: 9, Levels: map[string][]string{"sort": {"0", "1"}}}, []string{"pixel[0:4]: {numeric: [0, 255]", "column: sort"}, 0},
		"a label like a column":        {"x.npy", npy("|u1", "(3, 4)", nil), "x1.npy", vector, data.Draft{MaxRecords: 9, Levels: map[string][]string{"label": {"0", "1"}}}, []string{"column: label"}, 0},
		"one declared, others by type": {"x.npy", npy("|u1", "(3, 4)", nil), "test_labels.npy", vector, data.Draft{MaxRecords: 9, Numeric: map[string][2]float64{"x0": {0, 15}}, Levels: ten}, []string{"x0: {numeric: [0, 15]", "x[1:4]: {numeric: [0, 255]"}, 0},
	} {
		s, text, err := arrayDraft(t, c.file, c.text, c.labels, c.beside, c.d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got\n%s\nwant %q", name, text, want)
			}
		}
		if len(s.Undeclared) != c.open || strings.Contains(text, "records: 3") {
			t.Errorf("%s: %q is left open in\n%s\nwant %d things, and no number of rows", name, s.Undeclared, text, c.open)
		}
		if again, failed := data.ParseSchema("draft", []byte(text)); failed != nil || len(again.Undeclared) != c.open {
			t.Errorf("%s: the draft is read as %+v, %v", name, again, failed)
		}
	}
}

// TestDraftArrayReads drafts a schema of whole files and reads them under it.
func TestDraftArrayReads(t *testing.T) {
	src := data.Source{Path: npyFile(t, "images.idx", idx(8, dims(2, 2, 2), []byte{0, 255, 3, 4, 5, 6, 7, 8})), Labels: npyFile(t, "labels.idx", idx(8, dims(2), []byte{1, 0}))}
	s, err := data.DraftSchema(context.Background(), src, data.Draft{MaxRecords: 5, Levels: map[string][]string{"label": {"0", "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := data.Read(context.Background(), s, src, data.ReadOptions{})
	if err != nil || d.Records() != 2 || d.Row(nil, 0)[1] != 255 || d.Target()[0] != 1 {
		t.Errorf("got %+v, %v, want two images and their labels", d, err)
	}
}

func TestDraftArrayRefuses(t *testing.T) {
	matrix, vector := npy("<f8", "(3, 4)", nil), npy("<i8", "(3,)", nil)
	for name, c := range map[string]struct {
		file   string
		text   []byte
		labels string
		beside []byte
		d      data.Draft
		want   string
	}{
		"no target":         {"x.npy", matrix, "", nil, data.Draft{}, "no target is named"},
		"copied":            {"x.npy", matrix, "y.npy", vector, data.Draft{FromData: true}, "copied out of an array"},
		"texts":             {"x.npy", matrix, "y.npy", vector, data.Draft{Text: []string{"x0"}}, "column of texts"},
		"a vector":          {"x.npy", vector, "", nil, data.Draft{Target: "y"}, "the array is a vector"},
		"one column":        {"x.npy", npy("<f8", "(3, 1)", nil), "", nil, data.Draft{Target: "y"}, "0 columns beside the target"},
		"too wide":          {"x.npy", npy("<f8", "(3, 2000000)", nil), "y.npy", vector, data.Draft{}, "2000000 columns"},
		"labels a matrix":   {"x.npy", matrix, "y.npy", npy("<f8", "(3, 4)", nil), data.Draft{}, "the labels are a matrix"},
		"labels no array":   {"x.npy", matrix, "y.csv", []byte("1\n2\n"), data.Draft{}, "neither an IDX nor an NPY"},
		"beyond":            {"x.npy", matrix, "y.npy", vector, data.Draft{Numeric: map[string][2]float64{"x[0:5]": {0, 1}}}, "not in the header"},
		"declared twice":    {"x.npy", matrix, "y.npy", vector, data.Draft{Numeric: map[string][2]float64{"x[0:3]": {0, 1}, "x2": {0, 2}}}, "declared twice"},
		"in two ways":       {"x.npy", matrix, "y.npy", vector, data.Draft{Numeric: map[string][2]float64{"x[0:3]": {0, 1}}, Ignore: []string{"x2"}}, "declared twice"},
		"target private":    {"x.npy", matrix, "y.npy", vector, data.Draft{PrivateBounds: map[string][2]float64{"y": {0, 1}}}, "is private"},
		"cut off":           {"x.npy", matrix[:20], "y.npy", vector, data.Draft{}, "header is cut off"},
		"objects":           {"x.npy", npy("|O8", "(3, 4)", nil), "y.npy", vector, data.Draft{}, "the type of its numbers"},
		"an idx cut off":    {"a.idx", idx(8, dims(3), nil)[:6], "y.npy", vector, data.Draft{}, "cut off"},
		"an archive of two": {"a.npz", zipText(t, []string{"a.npy", "b.npy"}, matrix, matrix), "y.npy", vector, data.Draft{}, "no array in it is the one matrix"},
		"no archive":        {"a.npz", matrix, "y.npy", vector, data.Draft{}, "no NPZ file"},
	} {
		_, text, err := arrayDraft(t, c.file, c.text, c.labels, c.beside, c.d)
		var e *data.FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v and\n%s\nwant a refusal with %q", name, err, text, c.want)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none.npy"), filepath.Join(t.TempDir(), "none.npz")} {
		if _, err := data.DraftSchema(context.Background(), data.Source{Path: path}, data.Draft{Target: "y"}); err == nil {
			t.Errorf("%s: got no error", path)
		}
	}
	if data.IsArray(context.Background(), data.Source{Path: npyFile(t, "t.csv", []byte("a,b\n"))}) || data.IsArray(context.Background(), data.Source{Path: npyFile(t, "t", nil)}) {
		t.Error("a text is taken for an array")
	}
}

// TestDraftFashion drafts the schema of the images of Fashion-MNIST and reads the test part under
// it. The images have 28 × 28 bytes by their documentation
// (https://github.com/zalandoresearch/fashion-mnist).
func TestDraftFashion(t *testing.T) {
	src := data.Source{Path: realFile(t, "fashion-mnist/t10k-images-idx3-ubyte.gz"), Labels: realFile(t, "fashion-mnist/t10k-labels-idx1-ubyte.gz")}
	s, err := data.DraftSchema(context.Background(), src, data.Draft{MaxRecords: 10000, Levels: map[string][]string{"label": strings.Split("0123456789", "")}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	if err != nil || !strings.Contains(string(text), "pixel[0:784]: {numeric: [0, 255], out-of-range: clamp, missing: zero}") || len(s.Undeclared) != 0 {
		t.Errorf("got\n%s(%v)\nwant 784 pixels and nothing left open", text, err)
	}
	d, err := data.Read(context.Background(), s, src, data.ReadOptions{})
	if err != nil || d.Records() != 10000 {
		t.Errorf("got %v, want the 10000 test records", err)
	}
}
