package chain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Loss is what a repair keeps of a damaged chain, and what it cannot keep.
type Loss struct {
	// Kept are the records of the longest valid prefix, 1 or more.
	Kept []Record
	// Acknowledged is the number of records that the newest readable head counts, 0 when none can
	// be read. More may have been acknowledged.
	Acknowledged uint64
	// Bytes is the number of bytes after the records that are kept.
	Bytes int64
	// Found is what contradicts itself.
	Found error
}

// ErrIntact is the error of Repair for a chain that needs none.
var ErrIntact = errors.New("chain: the file is intact: there is nothing to repair")

// Repair puts a new file in the place of a damaged one: the longest valid prefix, and one record
// more. The payload of that record is what forfeit returns: it accounts for everything that is
// lost. The new file takes the place in one step, so that no process sees the prefix alone. The
// damaged file keeps the name that is returned. Only a chain whose first record is intact can be
// repaired.
func Repair(ctx context.Context, path string, forfeit func(Loss) ([]byte, error)) (kept string, err error) {
	return repairOn(ctx, system{}, path, forfeit)
}

func repairOn(ctx context.Context, d disk, path string, forfeit func(Loss) ([]byte, error)) (string, error) {
	f, err := d.open(path)
	if err != nil {
		return "", fmt.Errorf("ledger %s cannot be opened: %w", path, err)
	}
	defer f.Close()
	if err = lock(ctx, f); err != nil {
		return "", fmt.Errorf("ledger %s cannot be locked: %w", path, err)
	}
	defer f.unlock()
	size, err := d.admit(f, path)
	if err != nil {
		return "", refused(path, err)
	}
	s, err := scanFile(f, size, start)
	switch {
	case err == nil:
		return "", ErrIntact
	case !errors.Is(err, ErrDamaged):
		return "", refused(path, err)
	case len(s.records) == 0:
		return "", fmt.Errorf("ledger %s: its first record cannot be read, so that nothing can be kept: %w", path, err)
	}
	payload, err := forfeit(Loss{s.records, s.head.records, int64(s.tail), err})
	if err == nil {
		err = CheckPayload(payload)
	}
	if err != nil {
		return "", err
	}
	b, end := appended(s.raw, s.end(), payload)
	return replace(d, path, b, end)
}

// replace gives the damaged file another name and puts a new one in its place.
func replace(d disk, path string, b []byte, end position) (kept string, err error) {
	temporary, err := writeNew(d, path, b, end)
	if err != nil {
		return "", fmt.Errorf("ledger %s cannot be repaired: %w", path, err)
	}
	for i := 1; ; i++ {
		kept = fmt.Sprintf("%s.damaged-%d", path, i)
		if err = d.link(path, kept); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		err = d.syncFolder(path)
	}
	if err == nil {
		err = d.rename(temporary, path)
	}
	if err != nil {
		_ = d.remove(temporary) // the first error is the one that matters
		return "", fmt.Errorf("ledger %s cannot be repaired: %w", path, err)
	}
	return kept, d.syncFolder(path)
}
