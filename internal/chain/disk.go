package chain

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// disk is the file system as a chain uses it, so that tests can let each call fail.
type disk interface {
	open(path string) (file, error)                  // reads and writes a file that is there
	create(beside string) (file, string, error)      // a new file with a name of its own in the same folder
	admit(f file, path string) (size int64, _ error) // whether path still names f and only its owner writes it
	link(from, to string) error                      // a second name, refused when it is taken
	rename(from, to string) error                    // in place of what has the name
	remove(path string) error
	syncFolder(path string) error // waits until the names in the folder of path are on disk
}

// file is an open file. It has one lock, which excludes every other open file on the same content.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	tryLock() error // errHeld when another has the lock
	unlock() error
}

var errHeld = errors.New("chain: another holds the lock")

// system is the file system of the machine.
type system struct{}

type systemFile struct{ *os.File }

func (system) open(path string) (file, error) {
	if err := checkFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := checkNamed(path); err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(filepath.Dir(path)) // Windows renames onto files that are opened in this way
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, err := folder.OpenFile(filepath.Base(path), os.O_RDWR|openFlags, 0)
	if err != nil {
		return nil, err
	}
	return systemFile{f}, nil
}

func (system) create(beside string) (file, string, error) {
	folder, name := filepath.Split(beside)
	if err := checkFolder(filepath.Dir(beside)); err != nil {
		return nil, "", err
	}
	path := filepath.Join(folder, "."+name+".new-"+rand.Text())
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return systemFile{f}, path, err
}

func (system) admit(f file, path string) (int64, error) {
	own, err := f.(systemFile).Stat()
	if err != nil {
		return 0, err
	}
	named, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	if !os.SameFile(own, named) {
		return 0, errors.New("the file was replaced while it was open: open it again")
	}
	return own.Size(), checkFile(own)
}

func (system) link(from, to string) error { return os.Link(from, to) }
func (system) remove(path string) error   { return os.Remove(path) }

func (system) rename(from, to string) error {
	folder, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Rename(filepath.Base(from), filepath.Base(to))
}

// checkNamed refuses what is no ordinary file before it is opened: opening a pipe waits.
func checkNamed(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return checkFile(info)
}

// checkFile refuses what is no ordinary file, and what others can write.
func checkFile(info os.FileInfo) error {
	switch mode := info.Mode(); {
	case mode&os.ModeSymlink != 0:
		return errors.New("got a symbolic link, want the file that it names")
	case !mode.IsRegular():
		return errors.New("got a folder, a pipe or a device, want a file")
	case guarded && mode.Perm()&0o022 != 0:
		return errors.New("others can write the file: chmod go-w takes that away")
	case !own(info):
		return errors.New("the file belongs to another user, want one of your own")
	}
	return nil
}

// checkFolder refuses a folder in which others can replace files, and one on another machine: its
// locks and its durability are unknown.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case guarded && mode.Perm()&0o022 != 0 && mode&os.ModeSticky == 0:
		return errors.New("others can write the folder: chmod go-w takes that away")
	case !own(info) && !roots(info):
		return errors.New("the folder belongs to another user, want one of your own")
	}
	return checkLocal(path)
}
