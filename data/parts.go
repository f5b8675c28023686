package data

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/ditherml/dither/internal/format"
)

// errNoRecords is the cause of the error about a file without a record.
var errNoRecords = errors.New("data: no records")

// partsOf returns the files that a path stands for, by name. For a folder these are the files
// directly in it. Names that begin with a dot or an underscore are left out, since programs use
// them for files that are no part.
func partsOf(path string) ([]string, error) {
	var parts []string
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		entries, failed := os.ReadDir(path)
		if failed != nil {
			return nil, openError(path, failed, "name a folder of parts")
		}
		for _, e := range entries {
			if name := e.Name(); name[0] != '.' && name[0] != '_' {
				parts = append(parts, filepath.Join(path, name))
			}
		}
	} else if parts, err = filepath.Glob(path); err != nil {
		return nil, &FileError{File: path, Problem: "the pattern cannot be read", Want: "a pattern such as part-*.csv", Remedy: "mend its brackets"}
	}
	if len(parts) == 0 && err == nil && info != nil {
		return nil, &FileError{File: path, Problem: "it is a directory without a file", Want: "a file, or a folder with the parts of one table", Remedy: "name one"}
	}
	if len(parts) == 0 {
		return nil, &FileError{File: path, Problem: "no file stands there", Want: "parts of one table", Remedy: "check the folder or the pattern", Err: os.ErrNotExist}
	}
	slices.Sort(parts)
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
		one, from := q, src
		one.file, from.Path, one.isPart = part, part, true
		one.maxRecords = q.maxRecords - *q.rows
		if err := scanFile(ctx, one, from); err != nil && !errors.Is(err, errNoRecords) {
			return err
		}
	}
	if *q.rows == 0 {
		return noRecords(src.Path)
	}
	return nil
}

// partRefused returns the error of a file that cannot be part of a table in parts.
func partRefused(path, kind string) error {
	return &FileError{File: path, Problem: "a part of the table is " + kind, Want: "parts in " + format.PartNames(), Remedy: "join the parts into one file"}
}
