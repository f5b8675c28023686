package rows

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

// state returns what the file is now. Which file it is, and when anything about it was changed,
// counts only for one that is held.
func (f *File) state() (fileState, error) {
	info, err := f.known.Stat()
	if err != nil {
		return fileState{}, fmt.Errorf("rows: look at the file of rows: %w", err)
	}
	s := fileState{size: info.Size(), written: info.ModTime().UnixNano()}
	if f.Held != nil {
		s.identity = identityOf(info)
	}
	return s, nil
}

// remember keeps what the file is now, if it says so.
func (f *File) remember() (err error) {
	if known, ok := f.r.(fs.File); ok {
		f.known = known
		f.was, err = f.state()
	}
	return err
}

// Hold asks the operating system to keep writers away from the file, so that its blocks can be used
// where they stand in memory. Where that is not to be had, they are copied.
func (f *File) Hold() error {
	if f.Table.Type != Int16 && f.Table.Type != Uint8 || f.known == nil || len(f.Table.Blocks) == 0 {
		return nil
	}
	last := f.Table.Blocks[len(f.Table.Blocks)-1]
	f.Held = holdFile(f.known, last.Offset+int64(last.Bytes))
	return f.remember()
}

// unchanged refuses a file that was written to since it was opened, as far as it can be seen.
func (f *File) unchanged() error {
	if f.known == nil {
		return nil
	}
	now, err := f.state()
	if err != nil {
		return err
	}
	if now != f.was || f.Held != nil && !f.Held.Still() {
		return damaged("it was written to, moved or removed while it was in use")
	}
	return nil
}
