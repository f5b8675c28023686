package chain

import (
	"errors"
	"fmt"
)

// scan is what a file holds, from a position that was checked before.
type scan struct {
	newest  int // which of the two heads counts
	head    position
	records []Record
	passed  []position // before each record, and after the last
	raw     []byte     // the records as bytes
	tail    int        // bytes after the records, of a write that never ended
}

// scanFile reads a file of this size from a checked position on, and decides what counts. The rules
// stand in docs/ledger-format.md. Its error wraps ErrDamaged when the file contradicts itself. The
// scan then has the longest valid prefix.
func scanFile(f file, size int64, from position) (scan, error) {
	if size < recordsBegin+blockSize {
		return scan{}, fmt.Errorf("got a file of %d bytes, want a ledger, of %d or more: it was cut off, or is none", size, recordsBegin+blockSize)
	}
	heads := make([]byte, recordsBegin+blockSize)
	if _, err := f.ReadAt(heads, 0); err != nil {
		return scan{}, err
	}
	claimed := writtenBy(heads, headMagic) | writtenBy(heads[blockSize:], headMagic)
	if claimed == 0 && writtenBy(heads[recordsBegin:], recordMagic) == 0 {
		return scan{}, errors.New("the file is no ledger of dither, want one that dither ledger create made")
	}
	if size < from.at {
		return scan{}, damaged("the file has %d bytes, and had %d when it was read last", size, from.at)
	}
	b := make([]byte, size-from.at)
	if n, err := f.ReadAt(b, from.at); n < len(b) {
		return scan{}, err
	}
	s := scan{}
	var problem string
	var strange bool
	s.records, s.passed, problem, strange = walk(b, from)
	end := s.end()
	s.raw, s.tail = b[:end.at-from.at], int(size-end.at)
	whole, err := s.pickHead(heads, from)
	if err != nil {
		return s, err
	}
	return s, s.decide(whole, problem, strange)
}

// end returns the position after the last record.
func (s *scan) end() position { return s.passed[len(s.passed)-1] }

// pickHead finds the newest head. It reports whether both are whole.
func (s *scan) pickHead(heads []byte, from position) (whole bool, err error) {
	var found [2]position
	var ok [2]bool
	var claimed [2]uint32
	for i := range found {
		b := heads[i*blockSize:][:headSize]
		found[i], ok[i] = decodeHead(b)
		claimed[i] = writtenBy(b, headMagic)
	}
	switch {
	case claimed[0] > version && claimed[1] > version:
		return false, fmt.Errorf("the ledger has format %d, want %d: a newer dither made it", claimed[0], version)
	case !ok[0] && !ok[1]:
		return false, damaged("both heads are damaged")
	}
	if !ok[0] || ok[1] && found[1].records > found[0].records {
		s.newest = 1
	}
	s.head = found[s.newest]
	older := found[1-s.newest]
	if ok[1-s.newest] && older.records >= from.records && !s.has(older) && s.has(s.head) {
		return false, damaged("head %d does not agree with the records", 1-s.newest)
	}
	return ok[0] && ok[1], nil
}

// has reports whether a position is among those that were passed.
func (s *scan) has(p position) bool {
	at := p.records - s.passed[0].records // wraps around for earlier ones
	return at < uint64(len(s.passed)) && s.passed[at] == p
}

// decide compares the newest head with the records. What it lets pass is either counted or was
// never acknowledged.
func (s *scan) decide(whole bool, problem string, strange bool) error {
	end := s.end()
	switch {
	case s.head.records > end.records:
		return damaged("%d records were acknowledged, and record %d at byte %d %s", s.head.records, end.records, end.at, problem)
	case !s.has(s.head):
		return damaged("the head does not agree with record %d", s.head.records)
	case !whole && s.head == end:
		return damaged("head %d is damaged, and no record after the other head explains it", 1-s.newest)
	case strange:
		return damaged("record %d at byte %d %s", end.records, end.at, problem)
	case s.tail > maxRecord:
		return damaged("%d bytes follow the last record, more than an interrupted write leaves", s.tail)
	}
	return nil
}

func damaged(format string, values ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, values...)...)
}
