package data

import (
	"context"
	"fmt"
)

// ReadBlocks reads a table block by block. It passes the blocks to the function each, in the order
// of the file. A block is a data set with the given number of records. The last block may have
// fewer records, but has at least one. If the schema drops every row, the only block has no record.
// All blocks together have the records that Read returns with the same options.
//
// If the function returns an error, ReadBlocks stops and returns that error. It finds an error of
// the file only when it reaches the place of the error, after it passed on earlier blocks. The
// caller must then undo the work on those blocks.
//
// The memory use is one block and a few pieces of the file, whatever the size of the file. There
// are two exceptions. A matrix in Fortran order is read as a whole. The distinct texts of the
// columns in o.Extra are kept in memory. The levels of such a column grow from block to block, and
// a code means the same text in all blocks.
//
// The function owns the data set that it receives.
//
// Rows of related tables stay in memory, and so do the keys of persons. With related tables the
// table is read twice, and any block may have fewer records.
func ReadBlocks(ctx context.Context, s *Schema, src Source, o ReadOptions, records int, each func(*Dataset) error) error {
	if records < 1 {
		return fmt.Errorf("data: number of records in a block is %d, want 1 or more; choose one that fits into memory", records)
	}
	if src.Ranks > 1 && (!src.Own || src.Person != "") {
		return errShareOfBlocks
	}
	if hasRelated(s, src) {
		return readJoinedBlocks(ctx, s, src, o, records, each)
	}
	q, b, err := newRequest(s, src.Path, src.Delimiter, o)
	if err != nil {
		return err
	}
	return readBlocks(ctx, q, b, src, o.KeepDropped, records, each)
}

// readBlocks passes the rows of a request on, block by block.
func readBlocks(ctx context.Context, q request, b *builder, src Source, keepDropped bool, records int, each func(*Dataset) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sink := &blockSink{builder: b, records: records, keepDropped: keepDropped, each: each, cancel: cancel}
	q.sink = sink
	err := scan(ctx, q, src)
	if err == nil {
		sink.finish()
	}
	if sink.err != nil {
		return sink.err
	}
	return err
}

// blockSink is a builder that passes its rows on block by block.
type blockSink struct {
	*builder
	records     int
	keepDropped bool
	each        func(*Dataset) error
	cancel      context.CancelFunc // ends the reading after an error of each
	err         error
	before      int  // rows of the file before the rows of the builder
	passed      bool // a block was passed on
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

// complete passes on the full blocks. All rows of the builder are complete.
func (s *blockSink) complete() {
	rows := len(s.dropped)
	if rows < s.records || s.err != nil {
		return
	}
	s.settle(s.keepDropped)
	s.pass(len(s.dropped) / s.records * s.records)
	s.before += rows - len(s.dropped)
}

// finish passes on the remaining rows. Without any row in any block it passes on a block without rows.
func (s *blockSink) finish() {
	s.settle(s.keepDropped)
	if s.pass(len(s.dropped)); !s.passed && s.err == nil {
		s.err = s.each(s.take(0, s.keepDropped))
	}
}

// pass passes on the first rows, block by block. These rows are settled.
func (s *blockSink) pass(rows int) {
	if rows == 0 || s.err != nil {
		return
	}
	s.passed = true
	d := s.take(rows, s.keepDropped)
	for from := 0; from < rows && s.err == nil; from += s.records {
		s.err = s.each(d.Slice(from, min(from+s.records, rows)))
	}
	if s.err != nil {
		s.cancel()
	}
}
