package data

import (
	"archive/zip"
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/format"
)

// typeRanges are the ranges of the types with few numbers. They follow from the type, which the
// header of a file states, and from no record.
var typeRanges = map[string][2]float64{"u1": {0, 255}, "b1": {0, 1}}

// The names of the columns of arrays in a draft: of images, of other matrices, and of the target.
// An array has no names of its own.
const pixelPrefix, numberPrefix, defaultLabel = "pixel", "x", "label"

// IsArray reports whether a file is an array: NPY, NPZ or IDX. It looks at the name and the first
// bytes of the file. If the file cannot be read, only the name decides.
func IsArray(ctx context.Context, src Source) bool {
	if src.Database != nil {
		return false
	}
	if hasExtension(src.Path, ".npy") || hasExtension(src.Path, ".npz") || hasIDXName(src.Path) {
		return true
	}
	if src.Path == format.StandardInput || format.IsParts(src.Path) {
		return false // bytes read from standard input would be lost
	}
	file, in, err := openFile(ctx, src.Path, 0, src.Formats)
	if err != nil {
		return false
	}
	defer file.Close()
	head, _ := bufio.NewReaderSize(in, chunkBytes).Peek(len(npyMagic)) // a shorter file is no array
	return string(head) == npyMagic || isIDX(head)
}

// fromArray returns the draft of the schema of an array from its header and the header of its
// labels. It reads no number of either.
func (d Draft) fromArray(ctx context.Context, src Source) (*Schema, error) {
	if d.FromData {
		return nil, &FileError{File: src.Path, Problem: "bounds are to be copied out of an array", Want: "a text table for that", Remedy: "declare bounds by name, as x[0:10]=-1:1"}
	}
	if len(d.Text) > 0 {
		return nil, &FileError{File: src.Path, Problem: "an array of numbers is to have a column of texts", Want: "numeric columns", Remedy: "remove it"}
	}
	a, labels, err := headersOf(ctx, src)
	if err != nil {
		return nil, err
	}
	names, err := d.nameArray(src, a, labels)
	if err != nil {
		return nil, err
	}
	if d, err = d.expanded(src.Path, names); err != nil {
		return nil, err
	}
	src.Delimiter = 0
	s, err := d.schema(src, &table{file: src.Path, header: append(slices.Clone(names), d.Target)})
	if err != nil {
		return nil, err
	}
	if bounds, known := typeRanges[a.kind]; known {
		for i := range s.Columns {
			if c := &s.Columns[i]; c.Kind == 0 {
				// Integers of the type are neither missing nor out of range, so nothing is lost.
				*c = Column{Name: c.Name, Kind: Numeric, Lower: bounds[0], Upper: bounds[1], OutOfRange: Clamp, Missing: Zero}
			}
		}
	}
	s.Undeclared = s.undeclared()
	return s, nil
}

// nameArray names the columns of an array. If the draft does not name the target, it does so by the
// name of the target's file or member.
func (d *Draft) nameArray(src Source, a *array, labels string) ([]string, error) {
	width := a.width()
	if labels == "" {
		width-- // the target is the last column
	}
	switch {
	case len(a.shape) < 2:
		return nil, &FileError{File: src.Path, Problem: "the array is a vector", Want: "a matrix with one row for each record", Remedy: "give the labels apart"}
	case width < 1 || width > maxColumns:
		return nil, &FileError{File: src.Path, Problem: fmt.Sprintf("the matrix has %s beside the target", plural(max(width, 0), "column")), Want: fmt.Sprintf("1 to %d", maxColumns), Remedy: "give the target as a vector with Source.Labels"}
	}
	prefix := numberPrefix
	if len(a.shape) > 2 {
		prefix = pixelPrefix
	}
	names := make([]string, width)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i)
	}
	if d.Target == "" && labels != "" {
		if d.Target = labels; slices.Contains(names, labels) || faultName("", labels, "") != nil {
			d.Target = defaultLabel
		}
	}
	return names, nil
}

// expanded returns the draft with ranges of names, such as x[0:10], replaced by the names
// themselves.
func (d Draft) expanded(file string, names []string) (Draft, error) {
	each := func(key string) []string {
		prefix, from, to, ok := parseRange(key)
		if !ok || to-from > len(names) {
			return []string{key} // which is searched as it is
		}
		var out []string
		for i := from; i < to; i++ {
			out = append(out, prefix+strconv.Itoa(i))
		}
		return out
	}
	var ignore []string
	for _, key := range d.Ignore {
		ignore = append(ignore, each(key)...)
	}
	d.Ignore = ignore
	var integer []string
	for _, key := range d.Integer {
		integer = append(integer, each(key)...)
	}
	d.Integer = integer
	err := error(nil)
	d.Numeric, err = spread(file, d.Numeric, each, err)
	d.PrivateBounds, err = spread(file, d.PrivateBounds, each, err)
	d.Dates, err = spread(file, d.Dates, each, err)
	d.Levels, err = spread(file, d.Levels, each, err)
	d.PrivateLevels, err = spread(file, d.PrivateLevels, each, err)
	return d, err
}

// spread gives the declaration of a range of names to each name.
func spread[T any](file string, declared map[string]T, each func(string) []string, before error) (map[string]T, error) {
	out := map[string]T{}
	for key, value := range declared {
		for _, name := range each(key) {
			if _, twice := out[name]; twice && before == nil {
				before = &FileError{File: file, Problem: fmt.Sprintf("column %q is declared twice", name), Want: "each column once", Remedy: "keep one of them"}
			}
			out[name] = value
		}
	}
	return out, before
}

// headersOf reads the header of a matrix and returns the name of its separate vector, "" for none.
func headersOf(ctx context.Context, src Source) (a *array, labels string, err error) {
	if src.Labels != "" {
		if err = checkLabels(ctx, src.Labels, src.Formats); err != nil {
			return nil, "", err
		}
		labels = labelName(src.Labels)
	}
	if hasExtension(src.Path, ".npz") {
		return archiveHeaders(ctx, src, labels)
	}
	file, in, err := openFile(ctx, src.Path, 0, src.Formats)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	b := bufio.NewReaderSize(in, chunkBytes)
	if head, _ := b.Peek(len(npyMagic)); string(head) == npyMagic || hasExtension(src.Path, ".npy") {
		a, err = readHeader(src.Path, b)
	} else {
		a, _, err = readIDX(src.Path, b)
	}
	return a, labels, err
}

// checkLabels refuses a file of labels that does not begin as one.
func checkLabels(ctx context.Context, path string, formats []columnar.Format) error {
	file, in, err := openFile(ctx, path, 0, formats)
	if err != nil {
		return err
	}
	defer file.Close()
	a, _, err := readVector(path, bufio.NewReaderSize(in, chunkBytes))
	if err == nil && a.width() != 1 {
		err = &FileError{File: path, Problem: "the labels are a matrix", Want: "a vector with one label for each row of the matrix", Remedy: "name the labels that go with the matrix"}
	}
	return err
}

// archiveHeaders reads the header of the matrix in an NPZ file.
func archiveHeaders(ctx context.Context, src Source, labels string) (*array, string, error) {
	z, err := zip.OpenReader(src.Path)
	if err != nil {
		return nil, "", damaged(src.Path, "it is no NPZ file", "a zip archive of arrays")
	}
	defer z.Close()
	q := request{file: src.Path}
	matrix, vector, err := members(ctx, q, z.File)
	switch {
	case err != nil:
		return nil, "", err
	case matrix == nil:
		return nil, "", damaged(src.Path, "no array in it is the one matrix", `a matrix named "x", or only one matrix`)
	case vector != nil && labels == "":
		labels = labelName(vector.Name)
	}
	a, in, err := openMember(ctx, q, matrix)
	if err == nil {
		err = in.close()
	}
	return a, labels, err
}

// labelName returns the name of a target, taken from the file of its values: "label" for
// train-labels-idx1-ubyte.gz, "y" for y.npy.
func labelName(path string) string {
	name := format.Unpacked(filepath.Base(path))
	for _, ending := range []string{".npy", ".idx", "-ubyte"} {
		name = strings.TrimSuffix(name, ending)
	}
	if head, idx, found := strings.Cut(name, "-idx"); found && allDigits(idx) {
		name = head
	}
	for _, part := range []string{"train", "test", "t10k"} {
		for _, between := range []string{"-", "_"} {
			name = strings.TrimSuffix(strings.TrimPrefix(name, part+between), between+part)
		}
	}
	if name == "labels" || name == "" {
		return defaultLabel
	}
	return name
}
