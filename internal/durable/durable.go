// Package durable replaces files and folders safely. If a process is killed or a machine loses
// power, either the old file or the new one remains. The package knows nothing of privacy.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Replace gives a file that is on disk the name path, replacing any file of that name. It waits
// until the folder holds the name. After an error, the temporary file is unchanged.
func Replace(temporary, path string) error {
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	SyncFolder(filepath.Dir(path))
	return nil
}

// WriteFile replaces the file at path by text. At any time either the old or the new file is there,
// complete. Meanwhile its folder holds the new text in a file named prefix and random letters.
func WriteFile(path, prefix string, text []byte, mode fs.FileMode) error {
	file, err := Write(path, prefix, text, mode)
	if err != nil {
		return err
	}
	return file.Close()
}

// WriteFrom is WriteFile with the new text in another folder meanwhile. A process that is killed then leaves
// nothing in the folder of path. Both folders must be on one file system.
func WriteFrom(folder, path, prefix string, text []byte, mode fs.FileMode) error {
	file, err := write(folder, path, prefix, text, mode)
	if err != nil {
		return err
	}
	return file.Close()
}

// Write is WriteFile that returns the new file, open and locked if the system has locks. A process
// that opens path meanwhile finds the lock.
func Write(path, prefix string, text []byte, mode fs.FileMode) (*os.File, error) {
	return write(filepath.Dir(path), path, prefix, text, mode)
}

// write is Write with the new text in a folder meanwhile.
func write(folder, path, prefix string, text []byte, mode fs.FileMode) (*os.File, error) {
	file, temporary, err := Temporary(folder, prefix, mode)
	if err != nil {
		return nil, err
	}
	if err = fill(file, text); err == nil {
		err = Replace(temporary, path)
	}
	if err != nil {
		file.Close()
		_ = os.Remove(temporary) // the first error is the important one
		return nil, err
	}
	return file, nil
}

// Temporary makes a new file in a folder, named prefix and random letters. The file is open, and
// locked if the system has locks. Until it is closed, Abandoned returns nil for it.
func Temporary(folder, prefix string, mode fs.FileMode) (file *os.File, path string, err error) {
	for {
		path = filepath.Join(folder, prefix+rand.Text())
		if file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err != nil {
			return nil, "", err
		}
		if err = Hold(file, path); err == nil || errors.Is(err, ErrNoLocks) {
			return file, path, nil
		}
		file.Close() // another process took it for a leftover before it was locked
		_ = os.Remove(path)
	}
}

// TemporaryFolder is Temporary for a folder, with mode 0700. Without locks the folder is closed,
// because some systems do not rename an open folder.
func TemporaryFolder(folder, prefix string) (held *os.File, path string, err error) {
	for {
		path = filepath.Join(folder, prefix+rand.Text())
		if err = os.Mkdir(path, 0o700); err != nil {
			return nil, "", err
		}
		if held, err = os.Open(path); err == nil {
			if err = Hold(held, path); err == nil {
				return held, path, nil
			}
			held.Close()
			if errors.Is(err, ErrNoLocks) {
				return held, path, nil
			} // otherwise another process took it for a leftover before it was locked
		}
		_ = os.Remove(path)
	}
}

// Hold locks an open file or folder and checks that path is still its name. The error is ErrLocked
// if another process holds it or has given the name to another file. It is ErrNoLocks without
// locks.
func Hold(file *os.File, path string) error {
	if err := Lock(file); err != nil {
		return err
	}
	own, err := file.Stat()
	if err != nil {
		return ErrLocked
	}
	if named, failed := os.Lstat(path); failed != nil || !os.SameFile(own, named) {
		return ErrLocked
	}
	return nil
}

// Abandoned holds a file or folder that this process's user made and that no process holds. It
// returns nil for any other. The caller closes the result.
func Abandoned(path string) *os.File {
	info, err := os.Lstat(path)
	if err != nil || !Own(info) || !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	if Hold(file, path) != nil {
		file.Close()
		return nil
	}
	return file
}

// Create writes a new file and waits until it is on disk. A file that cannot be finished is
// removed.
func Create(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = fill(file, text)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = os.Remove(path) // the first error is the important one
	}
	return err
}

// fill writes text and waits until it is on disk.
func fill(file *os.File, text []byte) error {
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Sync()
}

// SyncFolder waits until the names in a folder are on disk. Some systems refuse to sync a folder.
// This undoes nothing, so there is no error.
func SyncFolder(path string) {
	folder, err := os.Open(path)
	if err != nil {
		return
	}
	_ = folder.Sync()
	_ = folder.Close()
}

// Exchange swaps the names of two files or folders in one step. Its error wraps ErrNoExchange if
// the system or the file system cannot.
func Exchange(a, b string) error {
	err := exchange(a, b)
	if isLacking(err) {
		return fmt.Errorf("%w: %w", ErrNoExchange, err)
	}
	return err
}

// RenameNew gives a file or folder an unused name. Its error wraps fs.ErrExist if the name is in
// use. If the system has no such step, the name is looked up first.
func RenameNew(from, to string) error {
	err := renameNew(from, to)
	if !isLacking(err) {
		return err
	}
	if _, err = os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

func isLacking(err error) bool {
	return slices.ContainsFunc(lacking, func(l error) bool { return errors.Is(err, l) })
}

// ErrNoLocks is the error of Lock if the system or the file system has no locks.
var ErrNoLocks = errors.New("durable: there are no locks here")

// ErrLocked is the error of Lock if another process holds the lock.
var ErrLocked = errors.New("durable: another process holds the lock")

// ErrNoExchange is wrapped by the error of Exchange if names cannot be exchanged in one step.
var ErrNoExchange = errors.New("durable: names cannot be exchanged here")
