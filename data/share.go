package data

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/format"
)

// shareRows is how many rows that follow one another are read by the same process, where a table has
// fewer files than there are processes.
const shareRows = 1024

// rowBits are the bits of a row's place in its file. The higher bits are the place of the file.
const rowBits = 40

// errShareOfBlocks is the error of tables that are read block by block and divided.
var errShareOfBlocks = errors.New("data: a table is read block by block by several processes, want a table of each process, without persons")

// piece is a data set of rows whose places in the table ascend.
type piece struct {
	data   *Dataset
	places []uint64
}

// readShare is Read for one of several processes.
func readShare(ctx context.Context, s *Schema, src Source, o ReadOptions) (*Dataset, error) {
	if src.Rank < 0 || src.Rank >= src.Ranks || src.Person != "" && src.Exchange == nil {
		return nil, fmt.Errorf("data: process %d of %d reads a table, want 0 to %d, and with persons an exchange", src.Rank, src.Ranks, src.Ranks-1)
	}
	if hasRelated(s, src) {
		return nil, errors.New("data: a table with related tables is read by several processes, want one process; only one that reads all rows knows each key once")
	}
	parts, err := filesOf(src)
	if err != nil {
		return nil, err
	}
	if parts != nil && src.Person == "" {
		d, _, failed := readFiles(ctx, s, src, o, parts, cmp.Or(o.MaxRecords, s.MaxRecords))
		return d, failed
	}
	pieces, err := readPieces(ctx, s, src, o, parts)
	if err != nil {
		return nil, err
	}
	own := joinPieces(s, o, pieces)
	if src.Person == "" {
		return own.data, nil
	}
	return own.bring(ctx, s, src, o)
}

// filesOf returns the files of a process if the table is divided by files, or nil. Every Ranks-th file is
// one.
func filesOf(src Source) (own []numberedPart, err error) {
	if src.Own || src.Database != nil || !format.IsParts(src.Path) {
		return nil, nil
	}
	parts, err := partsOf(src.Path)
	if err != nil || len(parts) < src.Ranks {
		return nil, err
	}
	for k := src.Rank; k < len(parts); k += src.Ranks {
		own = append(own, numberedPart{parts[k], uint64(k)})
	}
	return own, nil
}

// numberedPart is a file of a table with its place among them.
type numberedPart struct {
	onePart
	number uint64
}

// readFiles reads the rows of these files into one data set, and returns the number of rows that are left of
// the largest number.
func readFiles(ctx context.Context, s *Schema, src Source, o ReadOptions, parts []numberedPart, left int) (*Dataset, int, error) {
	q, b, err := newRequest(s, src.Path, src.Delimiter, o)
	if err == nil {
		q, err = q.as(src)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, p := range parts {
		one := q
		one.file, one.isPart, one.maxRecords = p.path, true, left-*q.rows
		if err = p.scan(ctx, one, src); err != nil {
			return nil, 0, err
		}
	}
	return b.dataset(o.KeepDropped), left - *q.rows, nil
}

// readPieces reads the rows of a process, of its files if there are any, before persons are brought
// together.
func readPieces(ctx context.Context, s *Schema, src Source, o ReadOptions, parts []numberedPart) (pieces []piece, err error) {
	left := cmp.Or(o.MaxRecords, s.MaxRecords)
	for _, p := range parts {
		var d *Dataset
		if d, left, err = readFiles(ctx, s, src, o, []numberedPart{p}, left); err != nil {
			return nil, err
		}
		pieces = append(pieces, newPiece(d, p.number<<rowBits))
	}
	if parts != nil {
		return pieces, nil
	}
	block := uint64(0)
	alone := src
	alone.Ranks = 0
	err = ReadBlocks(ctx, s, alone, o, shareRows, func(d *Dataset) error {
		if src.Own || block%uint64(src.Ranks) == uint64(src.Rank) {
			pieces = append(pieces, newPiece(d.copied(), block*shareRows))
		} else if block == 0 { // a share without rows has the form of the others
			pieces = append(pieces, newPiece(d.Take(nil), 0))
		}
		block++
		return nil
	})
	return pieces, err
}

// copied returns the data set in memory of its own, so that the blocks of other processes are freed.
func (d *Dataset) copied() *Dataset {
	rows := make([]int, d.records)
	for i := range rows {
		rows[i] = i
	}
	return d.Take(rows)
}

func newPiece(d *Dataset, first uint64) piece {
	p := piece{d, make([]uint64, d.Records())}
	for i := range p.places {
		p.places[i] = first + uint64(i)
	}
	return p
}

// joinPieces returns the rows of all pieces, in order.
func joinPieces(s *Schema, o ReadOptions, pieces []piece) piece {
	_, b := makeRequest(s, "", 0, o)
	out := piece{data: b.dataset(o.KeepDropped)}
	for _, p := range pieces {
		out.places = append(out.places, p.places...)
	}
	d := out.data
	d.records = len(out.places)
	for j := range d.columns {
		d.columns[j] = make([]float32, 0, d.records)
	}
	codes := map[string]map[string]int32{}
	for _, p := range pieces {
		d.append(p.data, codes)
	}
	return out
}

// append adds the rows of another data set of the same schema. The argument codes has the codes of
// the texts of each group, by its name.
func (d *Dataset) append(o *Dataset, codes map[string]map[string]int32) {
	if o.sparse != nil {
		d.sparse = d.sparse.append(o.sparse)
		d.columns = nil
	}
	for j := range d.columns {
		d.columns[j] = append(d.columns[j], o.columns[j]...)
	}
	if o.target != nil {
		d.target = append(d.target, o.target...)
	}
	if o.dropped != nil {
		d.dropped = append(d.dropped, o.dropped...)
	}
	for name, from := range o.groups {
		to, known := d.groups[name], codes[name]
		if known == nil {
			known = map[string]int32{}
			codes[name] = known
		}
		renamed := make([]int32, len(from.levels))
		for k := range renamed {
			renamed[k] = -1
		}
		for _, code := range from.codes {
			if code >= 0 && renamed[code] < 0 {
				text := from.levels[code]
				if at, there := known[text]; there {
					renamed[code] = at
				} else {
					renamed[code] = int32(len(to.levels))
					known[text], to.levels = renamed[code], append(to.levels, text)
				}
			}
			if code >= 0 {
				code = renamed[code]
			}
			to.codes = append(to.codes, code)
		}
		d.groups[name] = to
	}
}

// append returns the cells of e, which may be nil, and then the cells of o.
func (e *entries) append(o *entries) *entries {
	s := *o
	s.start, s.column, s.value = []int{0}, nil, nil
	if e != nil {
		s.start, s.column, s.value = e.start, e.column, e.value
	}
	for i := range len(o.start) - 1 {
		columns, values := o.cells(i)
		s.column, s.value = append(s.column, columns...), append(s.value, values...)
		s.start = append(s.start, len(s.column))
	}
	return &s
}

// bring returns the rows of the persons of this process, of all processes. Rows that name nobody stay
// where they are.
func (p piece) bring(ctx context.Context, s *Schema, src Source, o ReadOptions) (*Dataset, error) {
	codes, texts, err := p.data.Texts(src.Person)
	if err != nil {
		return nil, err
	}
	home := make([]int, len(texts))
	for k, text := range texts {
		mac := hmac.New(sha256.New, src.PersonKey)
		mac.Write([]byte(text))
		home[k] = int(binary.BigEndian.Uint64(mac.Sum(nil)) % uint64(src.Ranks))
	}
	rows := make([][]int, src.Ranks)
	for i, code := range codes {
		to := src.Rank
		if code >= 0 && int(code) < len(home) {
			to = home[code]
		}
		rows[to] = append(rows[to], i)
	}
	messages := make([][]byte, src.Ranks)
	for to := range messages {
		sent := piece{p.data.Take(rows[to]), taken(p.places, rows[to])}
		messages[to] = sent.encode()
	}
	received, err := src.Exchange(ctx, messages)
	if err != nil {
		return nil, err
	}
	if len(received) != src.Ranks {
		return nil, errExchanged
	}
	pieces := make([]piece, src.Ranks)
	for from, message := range received {
		if pieces[from], err = decodePiece(p.data, o, message); err != nil {
			return nil, err
		}
	}
	all := joinPieces(s, o, pieces)
	if src.Own {
		return all.data, nil
	}
	order := make([]int, len(all.places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all.places[a], all.places[b]) })
	return all.data.Take(order), nil
}

var errExchanged = errors.New("data: rows that another process sent are not what it read, want the same program, schema and flags on all processes")

// encode returns the rows of a piece as a message for another process with the same schema. Numbers
// are little-endian. Columns and texts follow one another, each with its length before it.
func (p piece) encode() []byte {
	d, out := p.data, []byte(nil)
	out = appendNumbers(out, p.places)
	out = appendNumbers(out, d.target)
	if d.sparse != nil {
		cells := (*entries)(nil).append(d.sparse) // from the first on
		starts := make([]uint64, len(cells.start))
		for i, at := range cells.start {
			starts[i] = uint64(at)
		}
		out = appendNumbers(appendNumbers(appendNumbers(out, starts), cells.column), cells.value)
	}
	for _, column := range d.columns {
		out = appendNumbers(out, column)
	}
	for _, name := range groupNames(d) {
		g := d.groups[name]
		out = appendNumbers(out, g.codes)
		used := make([]bool, len(g.levels))
		for _, code := range g.codes {
			if code >= 0 {
				used[code] = true
			}
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(len(g.levels)))
		for k, level := range g.levels {
			if !used[k] {
				level = "" // a text of nobody who goes there
			}
			out = appendNumbers(out, []byte(level))
		}
	}
	return out
}

func groupNames(d *Dataset) []string {
	names := make([]string, 0, len(d.groups))
	for name := range d.groups {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func appendNumbers[T uint64 | uint32 | int32 | float32 | byte](out []byte, numbers []T) []byte {
	out = binary.LittleEndian.AppendUint64(out, uint64(len(numbers)))
	out, _ = binary.Append(out, binary.LittleEndian, numbers) // numbers of a fixed size
	return out
}

// message is what is left of a message of encode.
type message struct {
	text []byte
	err  error
}

// length returns a number of elements of a size.
func (m *message) length(size int) int {
	if len(m.text) < 8 {
		m.err = errExchanged
		return 0
	}
	n := binary.LittleEndian.Uint64(m.text)
	m.text = m.text[8:]
	if n > uint64(len(m.text)/size) {
		m.err = errExchanged
		return 0
	}
	return int(n)
}

func numbersOf[T uint64 | uint32 | int32 | float32 | byte](m *message) []T {
	var one T
	numbers := make([]T, m.length(binary.Size(one)))
	n, err := binary.Decode(m.text, binary.LittleEndian, numbers)
	if m.text = m.text[n:]; err != nil {
		m.err = errExchanged
	}
	return numbers
}

// decodePiece returns the piece that another process encoded. Its rows have the form of own rows.
func decodePiece(own *Dataset, o ReadOptions, text []byte) (piece, error) {
	m := &message{text: text}
	out := piece{data: own.Take(nil), places: numbersOf[uint64](m)}
	d := out.data
	d.records, d.dropped = len(out.places), nil
	target := numbersOf[float32](m)
	good := len(target) == d.records || o.WithoutTarget && len(target) == 0
	if !o.WithoutTarget {
		d.target = target
	}
	if d.sparse != nil {
		starts := numbersOf[uint64](m)
		d.sparse.start = make([]int, len(starts))
		for i, at := range starts {
			d.sparse.start[i] = int(min(at, math.MaxInt))
		}
		d.sparse.column, d.sparse.value = numbersOf[uint32](m), numbersOf[float32](m)
		if good && m.err == nil {
			_, failed := NewSparse(d.schema, d.sparse.start, d.sparse.column, d.sparse.value, nil)
			good = failed == nil && len(starts) == d.records+1
		}
	}
	for j := range d.columns {
		d.columns[j] = numbersOf[float32](m)
		good = good && len(d.columns[j]) == d.records
	}
	for _, name := range groupNames(d) {
		g := group{codes: numbersOf[int32](m)}
		levels := m.length(8)
		for range levels {
			g.levels = append(g.levels, string(numbersOf[byte](m)))
		}
		good = good && len(g.codes) == d.records && !slices.ContainsFunc(g.codes, func(c int32) bool { return c < -1 || int(c) >= levels })
		d.groups[name] = g
	}
	if m.err != nil || !good || len(m.text) > 0 {
		return piece{}, errExchanged
	}
	return out, nil
}
