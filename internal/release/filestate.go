package release

import (
	"fmt"
	"io/fs"
)

// fileState tells a file from what it was before, as far as the operating system says.
type fileState struct {
	size    int64
	written int64 // when its bytes were written, in ns
	identity
}

// state returns what the file is now. Which file it is, and when anything about it was changed, counts only
// for one that is held.
func (f *rowsFile) state() (fileState, error) {
	info, err := f.known.Stat()
	if err != nil {
		return fileState{}, fmt.Errorf("release: look at the file of rows: %w", err)
	}
	s := fileState{size: info.Size(), written: info.ModTime().UnixNano()}
	if f.held != nil {
		s.identity = identityOf(info)
	}
	return s, nil
}

// remember keeps what the file is now, if it says so.
func (f *rowsFile) remember() (err error) {
	if known, ok := f.r.(fs.File); ok {
		f.known = known
		f.was, err = f.state()
	}
	return err
}

// hold asks the operating system to keep writers away from the file, so that its blocks can be used where
// they stand in memory. Where that is not to be had, they are copied.
func (f *rowsFile) hold() error {
	if f.table.Type != Int16 && f.table.Type != Uint8 || f.known == nil || len(f.table.Blocks) == 0 {
		return nil
	}
	last := f.table.Blocks[len(f.table.Blocks)-1]
	f.held = holdFile(f.known, last.Offset+int64(last.Bytes))
	return f.remember()
}

// unchanged refuses a file that was written to since it was opened, as far as it can be seen.
func (f *rowsFile) unchanged() error {
	if f.known == nil {
		return nil
	}
	now, err := f.state()
	if err != nil {
		return err
	}
	if now != f.was || f.held != nil && !f.held.still() {
		return errDamaged("it was written to, moved or removed while it was in use")
	}
	return nil
}
