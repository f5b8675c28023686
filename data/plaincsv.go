package data

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"
)

// rowSource reads the rows of a text. It is *csv.Reader, or plainReader where a quote is a
// character like others.
type rowSource interface {
	Read() ([]string, error)
	// FieldPos returns the line of a cell of the row that was read last.
	FieldPos(cell int) (line, column int)
}

var (
	_ rowSource = (*csv.Reader)(nil)
	_ rowSource = (*plainReader)(nil)
)

// plainReader splits each line at the delimiter. It skips empty lines and reads no further than
// necessary.
type plainReader struct {
	in        *bufio.Reader
	delimiter string
	line      int
	text      []byte
	cells     []string
}

// newRows returns the reader of the rows of a text.
func newRows(in *bufio.Reader, delimiter rune, noQuotes bool) rowSource {
	if noQuotes {
		return &plainReader{in: in, delimiter: string(delimiter)}
	}
	return newCSV(in, delimiter)
}

func (r *plainReader) Read() ([]string, error) {
	for {
		r.text = r.text[:0]
		for {
			part, err := r.in.ReadSlice('\n')
			r.text = append(r.text, part...)
			if err == bufio.ErrBufferFull {
				continue
			}
			if err != nil && (err != io.EOF || len(r.text) == 0) {
				return nil, err
			}
			break
		}
		r.line++
		text := strings.TrimSuffix(strings.TrimSuffix(string(r.text), "\n"), "\r")
		if text == "" {
			continue
		}
		r.cells = append(r.cells[:0], strings.Split(text, r.delimiter)...)
		return r.cells, nil
	}
}

func (r *plainReader) FieldPos(int) (line, column int) { return r.line, 1 }
