package train

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/ledger"
)

var errWhitening = fmt.Errorf("train: rows in a file are to be whitened, want no whitening, one by frequencies, or one by the full covariance of at most %d features of rows of norm 1 that every step takes, with rows as the unit; other whitened rows are in memory", mostFramed)

var errLearning = fmt.Errorf("train: bounds or levels are to be learned with encoded rows, want them declared; rows were encoded before they are read")

// Encoder writes the encoded records of a table to a file, block by block, for FitFile. The file
// contains every record in a compact form that anyone can read. So protect the file like the table.
//
// If records are persons, the file has the rows of each person together. Rows that belong to nobody
// are not in the file. The rows are first written to a scratch file. Close sorts about 64 MB of them
// at a time, or a 128th of the file if that is more. Memory holds these rows, the distinct texts of
// the column of persons, and 4 bytes for each row.
type Encoder struct {
	setup Setup
	bits  int
	kind  release.RowType // known after the first part
	out   *release.RowsWriter
	group *grouping // of persons, nil if a record is a row
	count int
	begun bool // a part was written
}

// NewEncoder returns an encoder that writes to w. It uses the schema and the feature map of the
// setup. FeatureBits is the only option that it uses.
func NewEncoder(s Setup, o Options, w io.Writer) (*Encoder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if s.Plan.learns() {
		return nil, errLearning
	}
	e := &Encoder{setup: s, bits: o.FeatureBits, out: release.NewRowsWriter(w)}
	var err error
	if s.Plan.Person != nil {
		e.out = nil
		e.group, err = newGrouping(s.Plan.Person, o.Scratch, w)
	}
	return e, err
}

// Append writes the records of d, which is the next part of the table.
func (e *Encoder) Append(d *data.Dataset) error {
	if e.count == 0 {
		e.kind = e.setup.rowType(d, e.bits)
	}
	if e.count += d.Records(); e.count > e.setup.Plan.MaxRecords || d.Target() == nil {
		return fmt.Errorf("train: the table has no target or more rows than max-records %d; raise the declared bound", e.setup.Plan.MaxRecords)
	}
	var keys []uint32
	if e.group != nil {
		order, ascending, err := e.group.order(d)
		if err != nil {
			return err
		}
		d, keys = d.Take(order), ascending
	}
	return e.write(d, keys)
}

// write encodes records and writes their rows. If records are persons, the rows have these keys.
func (e *Encoder) write(d *data.Dataset, keys []uint32) error {
	rows, err := e.setup.encodeRows(d, d.Records(), e.kind)
	if err != nil {
		return err
	}
	e.begun = true
	if e.group != nil {
		return e.group.add(rows, keys)
	}
	return e.out.Append(rows)
}

// Close writes the end of the file. The end includes the argument note, which must be JSON. It does
// not close the writer. For persons the note must be an object without a member "persons", or nil.
func (e *Encoder) Close(note json.RawMessage) error {
	if !e.begun { // a file without rows has a form too
		none := &data.Dataset{}
		e.kind = e.setup.rowType(none, e.bits)
		if err := e.write(none, nil); err != nil {
			return err
		}
	}
	if e.group != nil {
		return e.group.close(note)
	}
	return e.out.Close(note)
}

// FitFile is Fit for a table in a file of the given size in bytes. An Encoder must have written the
// file with the same schema and feature bits. Every step reads the rows from the file. The memory
// use is a few blocks of rows, and 16 bytes for each record in each standardization that is in use.
// If features are bits and a row has at least 256 bytes, these are up to 28 bytes. The file is read
// once for each standardization before the first step. Calibration takes 4 bytes for each record and
// 4 for each of its scores, and a private radius 1 byte for each row. A plan whose readings are no sums of rows compares each block with its SHA-256.
//
// A plan that divides features by their frequencies writes the divided rows to another file
// (Options.Scratch), which every step reads.
//
// The file must not change during the run. A damaged file is an error. A change that the operating
// system reports is an error too, unless the plan compares each block: then another block is. The
// guarantee holds even if the file is damaged or changed.
//
// Rows can be whitened by frequencies. Rows of norm 1 and at most 1024 features can also be whitened by
// their full covariance, if every step takes all rows. Other whitening is an error.
//
// For a plan over persons the Encoder must have had the same column of persons. Memory then also
// holds 8 bytes for each row and 24 for each person. The list of persons in the file is part of the
// records: a change of the list that keeps its checksum would change who is one person.
func FitFile(ctx context.Context, l *ledger.Ledger, s Setup, file io.ReaderAt, size int64, o Options) (*Result, error) {
	ctx, err := s.share(ctx)
	if err == nil {
		err = s.check(o)
	}
	if err != nil {
		return nil, err
	}
	if s.Plan.learns() {
		return nil, errLearning
	}
	if s.Plan.SampleWeights != nil {
		return nil, fmt.Errorf("train: rows have weights and are in a file, want the rows in memory")
	}
	if s.Plan.Holdout != nil {
		return nil, fmt.Errorf("train: a part is held out with rows in a file, want the rows in memory")
	}
	if s.Plan.LastIterate != nil {
		return nil, errLastIterateFile
	}
	if s.Plan.whitens() && s.Plan.alike(option.FrequencyStatistic) == 0 && !s.framed() {
		return nil, errWhitening
	}
	own := &rowsFile{scratch: scratchOr(o.Scratch)}
	defer own.close()
	if s.holdsRows() {
		held, failed := holdFile(file, size)
		if failed != nil {
			return nil, failed
		}
		file, own.held = held, []*heldFile{held}
	}
	rows, err := release.OpenRows(file, size, frame(before(s.Features)))
	if err != nil {
		return nil, own.cause(err)
	}
	of, err := groupsOf(file, size)
	if err != nil {
		return nil, err
	}
	persons, err := s.Plan.Person.personsIn(of, rows.Len())
	if err != nil {
		return nil, err
	}
	_, err = s.slots(rows.Len())
	switch {
	case err != nil:
		return nil, err
	case rows.Len() > s.Plan.MaxRecords:
		return nil, fmt.Errorf("train: the file does not hold the declared number of records, want at most max-records %d", s.Plan.MaxRecords)
	case rows.Dim() != s.Features.Pipeline.Dim():
		return nil, fmt.Errorf("train: the file of rows was made under another schema, want the one of the plan; encode the table again")
	}
	result, err := s.fit(ctx, l, table{rows: rows, records: rows.Len(), persons: persons, file: own}, o)
	return result, own.cause(err)
}

// holdsRows reports whether a reading of the rows is no sum of them, so that the file must have the same bytes at each.
func (s Setup) holdsRows() bool {
	return s.Plan.whitens() || s.Plan.Calibration != nil || s.Plan.Person != nil || s.Plan.alike(option.RadiusStatistic) > 0
}
