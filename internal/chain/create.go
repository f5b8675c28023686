package chain

import (
	"context"
	"fmt"
)

// Create returns a new chain in a new file, with its first record. The file appears only when all
// of it is on disk. If the name exists already, the error wraps fs.ErrExist.
func Create(ctx context.Context, path string, first []byte) (*File, error) {
	return createOn(ctx, system{}, path, first)
}

func createOn(ctx context.Context, d disk, path string, first []byte) (*File, error) {
	if err := CheckPayload(first); err != nil {
		return nil, err
	}
	b, end := appended(nil, start, first)
	temporary, err := writeNew(d, path, b, end)
	if err == nil {
		err = d.link(temporary, path)
		if gone := d.remove(temporary); err == nil {
			err = gone
		}
	}
	if err != nil {
		return nil, fmt.Errorf("ledger %s cannot be created: %w", path, err)
	}
	return openOn(ctx, d, path)
}

// writeNew writes a file with these records and waits until it is on disk. The file has a temporary
// name.
func writeNew(d disk, path string, records []byte, end position) (temporary string, err error) {
	f, temporary, err := d.create(path)
	if err != nil {
		return "", err
	}
	b := make([]byte, recordsBegin, recordsBegin+len(records))
	copy(b, encodeHead(end))
	copy(b[blockSize:], encodeHead(end))
	if _, err = f.WriteAt(append(b, records...), 0); err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = d.remove(temporary) // the first error is the one that matters
	}
	return temporary, err
}

// appended returns bytes of records with one more, and the position after it.
func appended(b []byte, from position, payload []byte) ([]byte, position) {
	r := Record{Seq: from.records, Time: Clock().Unix(), Payload: payload}
	r.Hash = Link(from.hash, r.Seq, r.Time, r.Payload)
	more := encodeRecord(r)
	return append(b, more...), position{from.records + 1, from.at + int64(len(more)), r.Hash}
}
