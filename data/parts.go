package data

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/format"
)

// errNoRecords is the cause of the error about a file without a record.
var errNoRecords = errors.New("data: no records")

// onePart is a file of a table in parts.
type onePart struct {
	path string
	// name is the path with * for each value of a partition, since a value is a cell.
	name      string
	partition []partitionCell
}

// source returns the part as a source of its own.
func (p onePart) source(src Source) Source {
	src.Path, src.partition = p.path, p.partition
	return src
}

// named returns an error of the part, which names no value of a partition.
func (p onePart) named(err error) error {
	var e *FileError
	if len(p.partition) > 0 && errors.As(err, &e) {
		e.File = p.name
		var failed *fs.PathError
		if errors.As(e.Err, &failed) {
			e.Err = failed.Err
		}
	}
	return err
}

// maxParts bounds the number of files of a table.
const maxParts = 1 << 20

// partsOf returns the files that a path stands for, by name. For a folder these are the files in it
// and in folders whose names are key=value. Names that begin with a dot or an underscore are left
// out, since programs use them for files that are no part.
func partsOf(path string) ([]onePart, error) {
	var parts []onePart
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		if parts, err = partsIn(parts, onePart{path: path, name: path}, 0); err != nil {
			return nil, err
		}
	} else {
		found, failed := filepath.Glob(path)
		if failed != nil {
			return nil, &FileError{File: path, Problem: "the pattern cannot be read", Want: "a pattern such as part-*.csv", Remedy: "mend its brackets"}
		}
		for _, each := range found {
			if isHidden(filepath.Base(each)) && !isHidden(filepath.Base(path)) {
				continue
			}
			if parts, failed = matched(parts, path, each); failed != nil {
				return nil, failed
			}
		}
	}
	if len(parts) == 0 && err == nil && info != nil {
		return nil, &FileError{File: path, Problem: "it is a directory without a file", Want: "a file, or a folder with the parts of one table", Remedy: "name one"}
	}
	if len(parts) == 0 {
		return nil, &FileError{File: path, Problem: "no file stands there", Want: "parts of one table", Remedy: "check the folder or the pattern", Err: os.ErrNotExist}
	}
	slices.SortFunc(parts, func(a, b onePart) int { return strings.Compare(a.path, b.path) })
	for _, p := range parts {
		if !slices.EqualFunc(p.partition, parts[0].partition, func(a, b partitionCell) bool { return a.name == b.name }) {
			return nil, &FileError{File: path, Problem: "its files lie in folders of different keys", Want: "the same folders key=value above each file", Remedy: "move the file that lies elsewhere"}
		}
	}
	return parts, nil
}

// matched appends the parts of a path that matches a pattern. Folders of the pattern that have no
// special character are no partitions.
func matched(parts []onePart, pattern, path string) ([]onePart, error) {
	p := onePart{path: path, name: path}
	patterns, names := strings.Split(filepath.ToSlash(filepath.Clean(pattern)), "/"), strings.Split(filepath.ToSlash(path), "/")
	special := false
	for i, name := range names {
		special = special || i < len(patterns) && strings.ContainsAny(patterns[i], "*?[")
		if cell, ok := partitionOf(name); special && ok && (i < len(names)-1 || isFolder(path)) {
			p.partition, names[i] = append(p.partition, cell), cell.name+"=*"
		}
	}
	p.name = filepath.FromSlash(strings.Join(names, "/"))
	if len(p.partition) > 0 && isFolder(path) {
		return partsIn(parts, p, len(p.partition))
	}
	return append(parts, p), nil
}

// isHidden reports whether a file is no part by its name.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// partsIn appends the parts in a folder.
func partsIn(parts []onePart, folder onePart, depth int) ([]onePart, error) {
	const deepest = 16
	entries, err := os.ReadDir(folder.path)
	if err != nil {
		return nil, folder.named(openError(folder.path, err, "name a folder of parts"))
	}
	if depth > deepest || len(parts)+len(entries) > maxParts {
		return nil, &FileError{File: folder.name, Problem: "too many folders or files are in it", Want: "at most 16 levels of folders and a million files", Remedy: "name a folder of one table"}
	}
	for _, e := range entries {
		name := e.Name()
		if isHidden(name) {
			continue
		}
		p := onePart{path: filepath.Join(folder.path, name), name: filepath.Join(folder.name, name), partition: folder.partition}
		cell, ok := partitionOf(name)
		if !ok || !isFolder(p.path) {
			parts = append(parts, p)
			continue
		}
		p.name = filepath.Join(folder.name, cell.name+"=*")
		p.partition = append(slices.Clip(folder.partition), cell)
		if parts, err = partsIn(parts, p, depth+1); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// scanParts passes the rows of all parts of a table to the sink, part after part in the order of
// their names. Each part has its own header where the table has one. A part without records is
// skipped.
func scanParts(ctx context.Context, q request, src Source) error {
	parts, err := partsOf(src.Path)
	if err != nil {
		return err
	}
	if src.Labels != "" {
		return labelsRefused(src.Path, "a table in parts")
	}
	for _, part := range parts {
		one := q
		one.file, one.isPart = part.path, true
		one.maxRecords = q.maxRecords - *q.rows
		if err := part.scan(ctx, one, src); err != nil {
			return err
		}
	}
	if *q.rows == 0 {
		return noRecords(src.Path)
	}
	return nil
}

// scan passes the rows of a part to the sink. A part may have no records.
func (p onePart) scan(ctx context.Context, q request, src Source) error {
	if err := scanFile(ctx, q, p.source(src)); err != nil && !errors.Is(err, errNoRecords) {
		return p.named(err)
	}
	return nil
}

// partRefused returns the error of a file that cannot be part of a table in parts.
func partRefused(path, kind string) error {
	return &FileError{File: path, Problem: "a part of the table is " + kind, Want: "parts in " + format.PartNames(), Remedy: "join the parts into one file"}
}
