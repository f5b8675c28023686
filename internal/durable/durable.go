// Package durable puts files and folders in their places. A process that is killed, or a machine
// that loses power, leaves either the old file or the new one. It knows nothing of privacy.
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

// Replace gives a file that is on disk the name path, in place of whatever file has it, and waits until
// the folder holds the name. After an error, temporary is where it was.
func Replace(temporary, path string) error {
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	SyncFolder(filepath.Dir(path))
	return nil
}

// WriteFile puts text in the place of the file at path: either the old file stands there or the new
// one, whole. Its folder holds the new text in a file named prefix and random letters meanwhile.
func WriteFile(path, prefix string, text []byte, mode fs.FileMode) error {
	file, err := Write(path, prefix, text, mode)
	if err != nil {
		return err
	}
	return file.Close()
}

// Write is WriteFile that returns the new file, open and locked where the system has locks: whoever opens
// path meanwhile finds the lock.
func Write(path, prefix string, text []byte, mode fs.FileMode) (*os.File, error) {
	file, temporary, err := Temporary(filepath.Dir(path), prefix, mode)
	if err != nil {
		return nil, err
	}
	if err = fill(file, text); err == nil {
		err = Replace(temporary, path)
	}
	if err != nil {
		file.Close()
		_ = os.Remove(temporary) // the first error is the one that matters
		return nil, err
	}
	return file, nil
}

// Temporary makes a new file in a folder, named prefix and random letters, open and locked where the
// system has locks: Abandoned returns nil for it until it is closed.
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

// TemporaryFolder is Temporary for a folder, with mode 0700. Where there are no locks it is closed: some
// systems do not rename a folder that is open.
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

// Hold locks an open file or folder and makes sure that path is still its name. The error is ErrLocked when
// another process holds it or has given the name to another file, ErrNoLocks where there are no locks.
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

// Abandoned holds a file or folder that the user of this process made and that no process holds. It
// returns nil for any other; the caller closes what it returns.
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

// Create writes a new file and waits until it is on disk. A file that cannot be finished is removed.
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
		_ = os.Remove(path) // the first error is the one that matters
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

// SyncFolder waits until the names in a folder are on disk. Some systems refuse to sync a folder, which
// undoes nothing, so there is no error.
func SyncFolder(path string) {
	folder, err := os.Open(path)
	if err != nil {
		return
	}
	_ = folder.Sync()
	_ = folder.Close()
}

// Exchange swaps the names of two files or folders in one step. Its error wraps ErrNoExchange where the
// system or the file system cannot.
func Exchange(a, b string) error {
	err := exchange(a, b)
	if isLacking(err) {
		return fmt.Errorf("%w: %w", ErrNoExchange, err)
	}
	return err
}

// RenameNew gives a file or folder a name that nothing has; its error wraps fs.ErrExist where something has
// it. Where the system has no such step, the name is looked up first.
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

// ErrNoLocks is the error of Lock where the system or the file system has no locks.
var ErrNoLocks = errors.New("durable: there are no locks here")

// ErrLocked is the error of Lock for what another process holds.
var ErrLocked = errors.New("durable: another process holds the lock")

// ErrNoExchange is wrapped by the error of Exchange where names cannot be exchanged in one step.
var ErrNoExchange = errors.New("durable: names cannot be exchanged here")
