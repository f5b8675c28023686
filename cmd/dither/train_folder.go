package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folder is a model folder to be written in one stroke: the files go to a temporary
// folder beside it, which is renamed once they are safe on disk.
type folder struct {
	path    string
	replace bool
}

const (
	defaultFolder  = "dither-model"
	temporaryStart = ".dither-writing-"
)

// newFolder settles the path and makes sure, before anything is spent, that it is free and
// can be written.
func newFolder(path string, replace bool) (folder, error) {
	if path == "" {
		path = defaultFolder
		for n := 2; !replace && exists(path); n++ {
			path = fmt.Sprintf("%s-%d", defaultFolder, n)
		}
	}
	f := folder{filepath.Clean(path), replace}
	if exists(f.path) && !replace {
		return f, fmt.Errorf("%s exists, want a new folder; give another --out, or --replace", f.path)
	}
	if exists(f.path) && !isModelFolder(f.path) {
		return f, fmt.Errorf("%s exists and is no model folder, want one that dither train wrote; give another --out", f.path)
	}
	probe, err := f.temporary()
	if err != nil {
		return f, err
	}
	return f, os.Remove(probe)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isModelFolder reports whether a folder holds nothing but the files of a model.
func isModelFolder(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return false
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case slices.Contains([]string{"model.json", "certificate.json", "report.html", "evaluation.json", iteratesName}, name):
		case strings.HasSuffix(name, ".safetensors"): // of a public encoder
		default:
			return false
		}
	}
	return true
}

// temporary makes an empty folder beside the model folder.
func (f folder) temporary() (string, error) {
	parent := filepath.Dir(f.path)
	dir, err := os.MkdirTemp(parent, temporaryStart)
	if err != nil {
		return "", fmt.Errorf("%s cannot be written in: %w; give another --out", parent, pathless(err))
	}
	return dir, nil
}

// pathless drops the path that an *os.PathError repeats.
func pathless(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

// write puts the files in place. On an error nothing is left and an old folder stands.
func (f folder) write(files map[string][]byte) (err error) {
	dir, err := f.temporary()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	for name, text := range files {
		if err := writeSynced(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := syncFolder(dir); err != nil {
		return err
	}
	return f.swap(dir)
}

// swap renames dir to the folder's path; an old folder is moved aside first, and back if
// that fails.
func (f folder) swap(dir string) error {
	old := ""
	if f.replace && exists(f.path) {
		old = dir + "-old"
		if err := os.Rename(f.path, old); err != nil {
			return err
		}
	}
	if err := os.Rename(dir, f.path); err != nil {
		if old != "" {
			_ = os.Rename(old, f.path)
		}
		return err
	}
	if err := syncFolder(filepath.Dir(f.path)); err != nil {
		return err
	}
	if old != "" {
		return os.RemoveAll(old)
	}
	return nil
}

func writeSynced(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// syncFolder makes the names in a folder durable, where the system can.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = dir.Sync() // some systems refuse to sync a folder
	return dir.Close()
}
