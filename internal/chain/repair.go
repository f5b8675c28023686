package chain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Loss states which part of a damaged chain a repair keeps, and which part is lost.
type Loss struct {
	// Kept are the records of the longest valid prefix, 1 or more.
	Kept []Record
	// Acknowledged is the number of records according to the newest readable head. It is 0 if no
	// head can be read. The true number may be larger.
	Acknowledged uint64
	// Bytes is the number of bytes after the kept records.
	Bytes int64
	// Found is the error that describes the contradiction in the file.
	Found error
}

// ErrIntact is the error of Repair for a chain that is not damaged.
var ErrIntact = errors.New("chain: the file is intact: there is nothing to repair")

// Repair replaces a damaged file by a new one with the longest valid prefix and one more record.
// The function forfeit returns the payload of that record, which accounts for everything that is
// lost. The replacement is one step, so no process sees the prefix alone. The damaged file gets the
// returned name. The first record of the chain must be intact.
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
