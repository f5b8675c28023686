package data

import (
	"context"
	"fmt"
)

// ReadBlocks reads a table as Read does and passes it on in consecutive data sets, in order: each
// has exactly this many records, but for the last, which has from one to as many. A table whose
// every row the schema drops gives none. Joined, the data sets are what Read returns with the same
// options.
//
// An error of each ends the reading and is returned. A fault of the file is found only when
// the reading comes to it, after the blocks before it were passed on: what was done with
// them must then be undone.
//
// Memory holds a block and a few pieces of the file, whatever its size. A matrix in Fortran order
// is held as a whole. The texts of the columns that are named in Extra are held once each. The
// levels of such a column grow from block to block; a code means the same text in all of them.
//
// A block belongs to whom it is given to.
func ReadBlocks(ctx context.Context, s *Schema, src Source, o ReadOptions, records int, each func(*Dataset) error) error {
	if records < 1 {
		return fmt.Errorf("data: number of records in a block is %d, want 1 or more; choose one that fits into memory", records)
	}
	q, b, err := newRequest(s, src.Path, src.Delimiter, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sink := &blockSink{builder: b, records: records, keepDropped: o.KeepDropped, each: each, cancel: cancel}
	q.sink = sink
	err = scan(ctx, q, src)
	if err == nil {
		sink.finish()
	}
	if sink.err != nil {
		return sink.err
	}
	return err
}

// blockSink is a builder that gives up its rows block by block.
type blockSink struct {
	*builder
	records     int
	keepDropped bool
	each        func(*Dataset) error
	cancel      context.CancelFunc // ends the reading after an error of each
	err         error
	before      int // rows of the file before those of the builder
}

var _ interface {
	partSink
	bulkSink
} = (*blockSink)(nil)

func (s *blockSink) cells(line int, cells []string) {
	if s.err == nil {
		s.builder.cells(line, cells)
		s.complete()
	}
}

func (s *blockSink) join(p *part) {
	if s.err == nil {
		s.builder.join(p)
		s.complete()
	}
}

func (s *blockSink) number(row, column int, v float64) { s.builder.number(row-s.before, column, v) }

func (s *blockSink) numbers(row, column int, values []float64) {
	s.builder.numbers(row-s.before, column, values)
}

func (s *blockSink) reserve(rows int) { s.builder.reserve(min(rows, s.records)) }

// complete passes on the blocks that are full. All rows of the builder are whole.
func (s *blockSink) complete() {
	rows := len(s.dropped)
	if rows < s.records || s.err != nil {
		return
	}
	s.settle(s.keepDropped)
	s.pass(len(s.dropped) / s.records * s.records)
	s.before += rows - len(s.dropped)
}

// finish passes on what is left.
func (s *blockSink) finish() {
	s.settle(s.keepDropped)
	s.pass(len(s.dropped))
}

// pass passes the first rows on, which are settled, block by block.
func (s *blockSink) pass(rows int) {
	if rows == 0 || s.err != nil {
		return
	}
	d := s.take(rows, s.keepDropped)
	for from := 0; from < rows && s.err == nil; from += s.records {
		s.err = s.each(d.Slice(from, min(from+s.records, rows)))
	}
	if s.err != nil {
		s.cancel()
	}
}
