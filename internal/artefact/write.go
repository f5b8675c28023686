package artefact

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
)

// Write makes the folder path with the files. The folder gets its name in one step when all files
// are on disk. A name in use is an error.
func Write(path string, files map[string][]byte) error {
	if path == "" {
		return errors.New("the name of the folder is empty, want one that nothing has")
	}
	path = filepath.Clean(path)
	held, work, err := finish(filepath.Dir(path), durable.Prefix, files)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w; take another place", path, display.Pathless(err))
	}
	defer held.Close()
	if err = durable.RenameNew(work, path); err != nil {
		_ = os.RemoveAll(work) // the first error is the one that matters
		return fmt.Errorf("%s cannot be written: %w; take another name", path, display.Pathless(err))
	}
	durable.SyncFolder(filepath.Dir(path))
	return nil
}

// finish makes a hidden folder with the files, all of them on disk, the certificate last. Nothing
// is left of one that cannot be finished.
func finish(parent, prefix string, files map[string][]byte) (held *os.File, path string, err error) {
	if held, path, err = durable.TemporaryFolder(parent, prefix); err != nil {
		return nil, "", err
	}
	for _, name := range slices.SortedFunc(maps.Keys(files), certificateLast) {
		if err == nil {
			err = durable.Create(filepath.Join(path, name), files[name], 0o644)
		}
	}
	if err == nil {
		err = os.Chmod(path, 0o755)
	}
	if err != nil {
		_ = os.RemoveAll(path) // the first error is the one that matters
		held.Close()
		return nil, "", err
	}
	durable.SyncFolder(path)
	durable.SyncFolder(parent)
	return held, path, nil
}

// certificateLast orders names so that a folder with a certificate is whole.
func certificateLast(a, b string) int {
	if a != b && (a == certificate.FileName || b == certificate.FileName) {
		if a == certificate.FileName {
			return 1
		}
		return -1
	}
	return strings.Compare(a, b)
}
