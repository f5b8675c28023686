package scoreaudit

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/format"
)

// standardInput is the name of the standard input.
const standardInput = "-"

// mostRows bounds the rows of a file, as package audit bounds canaries.
const mostRows = 1 << 24

// wantedColumns says what a file of scores holds.
const wantedColumns = "the columns score and included, and perhaps run"

// table collects the rows of a file. A run has one canary where runs are wanted.
type table struct {
	file   string
	scores audit.Scores
	rows   int
	runs   map[string]int
	// unit is what the file counts in: "line" or "row".
	unit string
}

// fault is an error at a line or row. It never quotes a cell.
func (t *table) fault(at int, problem, want string) error {
	return fmt.Errorf("%s: %s %d: %s, want %s", t.file, t.unit, at, problem, want)
}

// add takes over one row.
func (t *table) add(at int, score float64, included bool, run string) error {
	if math.IsNaN(score) {
		return t.fault(at, "the score is no number", "one, or an infinity")
	}
	if t.rows++; t.rows > mostRows {
		return t.fault(at, "there are too many rows", fmt.Sprintf("at most %d", mostRows))
	}
	if included {
		t.scores.Included = append(t.scores.Included, score)
	} else {
		t.scores.LeftOut = append(t.scores.LeftOut, score)
	}
	if t.runs != nil {
		t.runs[run]++
	}
	return nil
}

// read returns the rows of a file of scores: CSV with a header, or one of the formats.
func read(path string, formats []columnar.Format) (*table, error) {
	t := &table{file: path, unit: "line"}
	if path == standardInput {
		t.file = "standard input"
		return t, t.readCSV(os.Stdin)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, want a file of scores", path, display.Pathless(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.IsDir() {
		return nil, fmt.Errorf("%s is no file, want one with %s", path, wantedColumns)
	}
	head := make([]byte, 8)
	n, _ := io.ReadFull(file, head) // a short file is CSV, and is refused as such
	for _, f := range formats {
		if f, ok := f.(columnar.Table); ok && f.Knows(head[:n]) {
			t.unit = "row"
			return t, t.readColumns(f, file, info.Size())
		}
	}
	if format.Opaque(head[:n]) {
		return nil, fmt.Errorf("%s is compressed, want plain CSV or Parquet", path)
	}
	if _, err = file.Seek(0, io.SeekStart); err != nil { // a pipe
		return t, t.readCSV(io.MultiReader(bytes.NewReader(head[:n]), file))
	}
	return t, t.readCSV(file)
}

// places are the columns of a file by what they hold, -1 for none.
type places struct{ score, included, run int }

// find returns the places of the columns, whose case does not matter.
func (t *table) find(names []string) (places, error) {
	at := func(name string) int {
		return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) })
	}
	p := places{at("score"), at("included"), at("run")}
	for i, n := range names {
		n = strings.ToLower(strings.TrimSpace(n))
		if j := at(n); j != i && slices.Contains([]string{"score", "included", "run"}, n) {
			return p, fmt.Errorf("%s: two columns are named %s, want one", t.file, n)
		}
	}
	if p.score < 0 || p.included < 0 {
		missing := "score"
		if p.score >= 0 {
			missing = "included"
		}
		return p, fmt.Errorf("%s: there is no column %s, want %s in the first line", t.file, missing, wantedColumns)
	}
	if p.run >= 0 {
		t.runs = map[string]int{}
	}
	return p, nil
}

// readCSV reads a table with a header. Its delimiter is a comma, semicolon or tab, whichever the header has.
func (t *table) readCSV(in io.Reader) error {
	b := bufio.NewReaderSize(in, 1<<16)
	head, _ := b.Peek(1 << 12)
	line, _, _ := strings.Cut(string(head), "\n")
	if strings.HasPrefix(line, "\ufeff") {
		_, _ = b.Discard(len("\ufeff")) // it was peeked at
	}
	r := csv.NewReader(b)
	r.ReuseRecord = true
	for _, d := range ";\t" {
		if strings.ContainsRune(line, d) && !strings.Contains(line, ",") {
			r.Comma = d
		}
	}
	names, err := r.Read()
	if err == io.EOF {
		return fmt.Errorf("%s is empty, want %s in the first line", t.file, wantedColumns)
	}
	if err != nil {
		return t.malformed(err)
	}
	p, err := t.find(names)
	if err != nil {
		return err
	}
	for {
		cells, failure := r.Read()
		if failure == io.EOF {
			return t.check()
		}
		if failure != nil {
			return t.malformed(failure)
		}
		at, _ := r.FieldPos(0)
		if err = t.addCells(at, cells, p); err != nil {
			return err
		}
	}
}

// addCells takes over the cells of a line.
func (t *table) addCells(at int, cells []string, p places) error {
	score, err := strconv.ParseFloat(strings.TrimSpace(cells[p.score]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // beyond float64 it is infinite
		return t.fault(at, "the score is no number", "one, or an infinity")
	}
	included, ok := truth(cells[p.included])
	if !ok {
		return t.fault(at, "included is neither 0, 1, true nor false", "one of them")
	}
	run := ""
	if p.run >= 0 {
		run = strings.Clone(cells[p.run])
	}
	return t.add(at, score, included, run)
}

// truth reads 0, 1, true or false in any case.
func truth(cell string) (included, ok bool) {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "1", "true":
		return true, true
	case "0", "false":
		return false, true
	}
	return false, false
}

// malformed is an error of the CSV reader with its line.
func (t *table) malformed(err error) error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return t.fault(at.Line, at.Err.Error(), "as many cells as in the first line, and quotes in pairs")
	}
	return fmt.Errorf("%s cannot be read: %w", t.file, display.Pathless(err))
}

// check returns an error for a file without rows.
func (t *table) check() error {
	if t.rows == 0 {
		return fmt.Errorf("%s has no row, want one for each canary", t.file)
	}
	return nil
}
