package train

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/rows"
)

// A file for a plan over persons has the rows of each person together, in the order of the table.
// The numbers of their rows stand in the note of the file, whose checksum covers them. Rows of
// nobody are not in the file.
//
// An Encoder sees a table once, in parts. It writes the encoded rows of each part to a scratch
// file, in the order of keys of persons. In the end it sorts all rows by these keys. A key is the
// number of a person with its bits reversed, so the keys of all parts are spread evenly.

// sortedBytes is about the size of the rows that are sorted in memory at a time.
const sortedBytes = 64 << 20

// grouping is the state of an Encoder of persons.
type grouping struct {
	column  string
	file    *os.File
	size    int64
	pieces  []rows.Piece
	persons map[string]uint32 // the numbers of persons by their texts
	counts  []uint32          // the rows of each person
	out     *rows.Writer
	bytes   int64 // of rows that are sorted in memory at a time
}

// newGrouping returns an Encoder's state before the first part.
func newGrouping(u *PersonUnit, scratch func() (*os.File, error), w io.Writer) (*grouping, error) {
	file, err := scratchOr(scratch)()
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where an open file has to stay, close removes it
	return &grouping{column: u.Column, file: file, persons: map[string]uint32{}, out: rows.NewWriter(w), bytes: sortedBytes}, nil
}

// order returns the rows of d that belong to persons, in the order of their keys, and the keys.
func (g *grouping) order(d *data.Dataset) (order []int, keys []uint32, err error) {
	codes, levels, err := d.Texts(g.column)
	if err != nil {
		return nil, nil, fmt.Errorf("train: the column of persons: %w", err)
	}
	all := make([]uint32, len(codes))
	for i, code := range codes {
		if code < 0 || int(code) >= len(levels) {
			continue
		}
		person, known := g.persons[levels[code]]
		if !known {
			person = uint32(len(g.counts))
			g.persons[levels[code]], g.counts = person, append(g.counts, 0)
		}
		g.counts[person]++
		all[i], order = bits.Reverse32(person), append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a], all[b]) })
	for _, i := range order {
		keys = append(keys, all[i])
	}
	return order, keys, nil
}

// add writes the encoded rows of a part, whose keys ascend.
func (g *grouping) add(r *release.Rows, keys []uint32) error {
	counted := &counting{w: g.file}
	piece := release.NewRowsWriter(counted)
	if err := piece.Append(r); err != nil {
		return err
	}
	if err := piece.Close(nil); err != nil {
		return err
	}
	g.pieces = append(g.pieces, rows.Piece{Offset: g.size, Size: counted.n, Keys: keys})
	g.size += counted.n
	return nil
}

// counting counts what is written.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// close sorts the rows, and writes them and the end of the file. It removes the scratch file.
func (g *grouping) close(note json.RawMessage) error {
	defer os.Remove(g.file.Name())
	defer g.file.Close()
	if err := g.out.WriteSorted(g.file, g.pieces, g.bytes); err != nil {
		return err
	}
	persons := make([]uint32, len(g.counts))
	for k := range persons {
		persons[k] = uint32(k)
	}
	slices.SortFunc(persons, func(a, b uint32) int { return cmp.Compare(bits.Reverse32(a), bits.Reverse32(b)) })
	of := groups{Column: g.column}
	for _, k := range persons {
		of.Rows = binary.AppendUvarint(of.Rows, uint64(g.counts[k]))
	}
	whole, err := of.in(note)
	if err != nil {
		return err
	}
	return g.out.Close(whole)
}

// groups say which rows of a file belong together.
type groups struct {
	// Column is the column that names persons.
	Column string `json:"column"`
	// Rows are the numbers of rows of the persons, one after the other, each a varint.
	Rows []byte `json:"rows"`
}

// groupsName is the name of the groups in the note of a file.
const groupsName = "persons"

// in returns a note with the groups in it.
func (g groups) in(note json.RawMessage) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if len(note) > 0 {
		if err := json.Unmarshal(note, &all); err != nil {
			return nil, fmt.Errorf("train: the note of a file with persons is no JSON object, want one")
		}
	}
	if all[groupsName] != nil {
		return nil, fmt.Errorf("train: the note of a file with persons has a member %s, want other names", groupsName)
	}
	own, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	all[groupsName] = own
	return json.Marshal(all)
}

// groupsOf returns the groups of a file, nil if it was written for rows.
func groupsOf(file io.ReaderAt, size int64) (*groups, error) {
	note, err := release.FileNote(file, size)
	if err != nil {
		return nil, err
	}
	var all struct {
		Persons *groups `json:"persons"`
	}
	if len(note) > 0 && json.Unmarshal(note, &all) != nil {
		return nil, nil // a note of another form
	}
	return all.Persons, nil
}

// errGroups is the error of a list of persons that does not fit the rows of its file.
var errGroups = errors.New("train: the file of rows lists other rows than it has, want it as it was written; encode the table again")

// personsIn lists the used rows of each person of a file with this number of rows. A nil unit is of
// rows.
func (u *PersonUnit) personsIn(g *groups, count int) ([][]int, error) {
	switch {
	case u == nil && g == nil:
		return nil, nil
	case u == nil:
		return nil, fmt.Errorf("train: the file of rows was written for persons by column %q, want one for rows; encode the table again", g.Column)
	case g == nil || g.Column != u.Column:
		return nil, fmt.Errorf("train: persons by column %q are records of the plan, want a file of rows that was written for them; encode the table again", u.Column)
	}
	all := make([]int, count)
	for i := range all {
		all[i] = i
	}
	persons, at := [][]int{}, 0
	for left := g.Rows; len(left) > 0; {
		n, length := binary.Uvarint(left)
		if length <= 0 || n < 1 || n > uint64(count-at) {
			return nil, errGroups
		}
		end := at + int(n)
		persons = append(persons, all[at:min(end, at+u.MaxRows):end])
		at, left = end, left[length:]
	}
	if at != count {
		return nil, errGroups
	}
	return persons, nil
}
