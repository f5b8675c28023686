package chain

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// File is a chain in one file on one machine. docs/ledger-format.md describes the file.
type File struct {
	handle
	disk  disk
	file  file
	path  string
	first position // a head that was checked: what is before it is not read again
	read  position // after the last record that was taken into unseen
	scan  scan     // from first on; valid under the lock
}

// Open opens the file of a chain and reads it once. If the file contradicts itself, the error wraps
// ErrDamaged. A file that other users can change, or that is on another machine, is an error.
func Open(ctx context.Context, path string) (*File, error) { return openOn(ctx, system{}, path) }

func openOn(ctx context.Context, d disk, path string) (*File, error) {
	opened, err := d.open(path)
	if err != nil {
		return nil, fmt.Errorf("ledger %s cannot be opened: %w", path, err)
	}
	f := &File{handle: newHandle(), disk: d, file: opened, path: path, first: start, read: start}
	if err = d.syncFolder(path); err != nil { // or the name could vanish after records were acknowledged
		err = fmt.Errorf("ledger %s cannot be opened: %w", path, err)
	} else {
		err = f.held(ctx, func() error { return nil })
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	return f, nil
}

// Update is Store.Update.
func (f *File) Update(ctx context.Context, seen func(Record) error, next func() ([]byte, error)) (Record, error) {
	var added Record
	err := f.held(ctx, func() error {
		if err := f.pass(seen); err != nil {
			return err
		}
		payload, err := next()
		if err == nil {
			err = CheckPayload(payload)
		}
		if err == nil {
			added, err = f.add(payload)
		}
		return err
	})
	return added, err
}

// View is Store.View.
func (f *File) View(ctx context.Context, seen func(Record) error) error {
	return f.held(ctx, func() error { return f.pass(seen) })
}

// Close is Store.Close.
func (f *File) Close() error {
	f.turn <- struct{}{}
	defer f.leave()
	if errors.Is(f.dead, ErrClosed) {
		return ErrClosed
	}
	f.dead = ErrClosed
	return f.file.Close()
}

// held reads what is new under the lock of all writers, and then calls do.
func (f *File) held(ctx context.Context, do func() error) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.leave()
	if err := lock(ctx, f.file); err != nil {
		return fmt.Errorf("ledger %s cannot be locked: %w", f.path, err)
	}
	defer f.file.unlock()
	if err := f.readNew(); err != nil {
		return refused(f.path, err)
	}
	return do()
}

// lock waits for the lock of a file. Each wait is longer than the one before it, up to 5 ms.
func lock(ctx context.Context, f file) error {
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		if err := f.tryLock(); !errors.Is(err, errHeld) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// refused says which file is refused, and what to do.
func refused(path string, err error) error {
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("ledger %s: %w; nothing was changed: `dither ledger repair %s` keeps the records before it and forfeits the rest", path, err, path)
	}
	return fmt.Errorf("ledger %s cannot be read: %w", path, err)
}

// readNew takes what other writers appended into unseen.
func (f *File) readNew() error {
	size, err := f.disk.admit(f.file, f.path)
	if err != nil {
		return err
	}
	s, err := scanFile(f.file, size, f.first)
	if err != nil {
		return err
	}
	if !s.has(f.read) {
		return damaged("record %d is another one than when it was read last", f.read.records)
	}
	f.scan = s
	f.unseen = append(f.unseen, s.records[f.read.records-s.passed[0].records:]...)
	f.first, f.read = s.head, s.end()
	return nil
}

// add appends a record to what was read. The records after the head are written again: whoever
// wrote them may have failed to bring them to disk.
func (f *File) add(payload []byte) (Record, error) {
	s := &f.scan
	from := s.head.at - s.passed[0].at
	b, end := appended(s.raw[from:len(s.raw):len(s.raw)], s.end(), payload)
	if err := f.write(b, end); err != nil {
		f.dead = fmt.Errorf("ledger %s: %w: %w", f.path, ErrPoisoned, err)
		return Record{}, f.dead
	}
	f.first, f.read = end, end
	r, _, _ := decodeRecord(b[len(b)-padded(len(payload)):])
	return r, nil
}

// write brings records to disk, and then the head that acknowledges them. The newest head stands
// until then.
func (f *File) write(b []byte, end position) error {
	if f.scan.tail > 0 {
		if err := f.file.Truncate(f.scan.end().at); err != nil {
			return err
		}
	}
	if _, err := f.file.WriteAt(b, f.scan.head.at); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if _, err := f.file.WriteAt(encodeHead(end), int64(1-f.scan.newest)*blockSize); err != nil {
		return err
	}
	return f.file.Sync()
}
