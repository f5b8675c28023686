package format

import (
	"errors"
	"os"
	"strings"
)

// StandardInput is the path of a table that is read from standard input.
const StandardInput = "-"

// IsParts reports whether a path names several files: a folder, or a pattern with *, ? or [ that is
// no file's name.
func IsParts(path string) bool {
	info, err := os.Stat(path)
	if err == nil {
		return info.IsDir()
	}
	return errors.Is(err, os.ErrNotExist) && strings.ContainsAny(path, "*?[")
}
