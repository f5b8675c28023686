package training

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// These are the sizes of a measurement: made-up cells in its larger table, its least rows,
// and steps. The last is the number of table cells that read as long as one text.
const (
	measuredCells = 1 << 21
	leastMeasured = 256
	measuredSteps = 3
	textWords     = 60
	arrayCellCost = 2 // nanoseconds to read a number of an array
)

// MostMeasured is the number of made-up rows that a measurement times at most. Tests make it smaller.
var MostMeasured = 8192

// timing is the duration of a run on made-up rows, in seconds.
type timing struct {
	rows               int
	read, before, step float64
}

// measure returns an estimate of the seconds of a run. It times the same run with few steps on two
// tables of made-up rows under the schema. The common parts are therefore timed, not guessed. It
// reads no record. The error says why there is no measurement, such as a plan that cannot have
// fewer steps.
func (r descent) measure(ctx context.Context, planned float64) (seconds float64, rows int, err error) {
	p := r.Setup.Plan
	if p.LastIterate != nil || len(p.NoiseMultipliers) > 0 || p.Steps < measuredSteps {
		return 0, 0, fmt.Errorf("the plan is of one piece")
	}
	cells := 1
	for _, c := range r.Setup.Schema.Features() {
		cells += 1 + min(c.Width(), textCells/textWords)
	}
	large := min(max(leastMeasured, measuredCells/cells), MostMeasured)
	var times [2]timing
	for i, n := range []int{large / 8, large} {
		if times[i], err = r.time(ctx, n); err != nil {
			return 0, 0, err
		}
	}
	records := float64(p.MaxRecords)
	if p.Records > 0 {
		records = float64(p.Records)
	}
	reading := extrapolate(times, records, func(t timing) float64 { return t.read })
	if r.Tables.Source != nil && data.IsArray(ctx, *r.Tables.Source) {
		reading = arrayCellCost * 1e-9 * records * float64(len(r.Setup.Schema.Columns)+1)
	}
	steps := float64(p.Steps) * extrapolate(times, records, func(t timing) float64 { return t.step })
	return reading + extrapolate(times, records, func(t timing) float64 { return t.before }) + steps + planned, large, nil
}

// extrapolate extends the durations for two sizes to a third along a line with a slope of at least
// 0.
func extrapolate(times [2]timing, records float64, of func(timing) float64) float64 {
	small, large := of(times[0]), of(times[1])
	slope := max(0, large-small) / float64(times[1].rows-times[0].rows)
	return large + slope*max(0, records-float64(times[1].rows)) - slope*max(0, float64(times[1].rows)-records)
}

// time runs few steps on made-up rows.
func (r descent) time(ctx context.Context, rows int) (timing, error) {
	out := timing{rows: rows}
	schema := *r.Tables.Schema
	schema.MaxRecords, schema.Records, schema.Delimiter = max(schema.MaxRecords, rows), 0, ','
	schema.Header, schema.NoQuotes = nil, false
	text, err := madeUp(&schema, rows)
	if err != nil {
		return out, err
	}
	begun := time.Now()
	d, err := data.ReadFrom(ctx, &schema, "made-up rows", bytes.NewReader(text), data.ReadOptions{Extra: r.Tables.Extra})
	if err != nil {
		return out, err
	}
	out.read = time.Since(begun).Seconds()
	s, o := r.Setup, r.Options
	s.Plan.Steps, s.Plan.MaxRecords = measuredSteps, max(s.Plan.MaxRecords, rows)
	limit, err := privacy.NewGuarantee(float64(r.Draft.Epsilon)*2, s.Plan.Delta, s.Plan.Neighboring, privacy.Unit{Row: s.Plan.Unit, RowsPerPerson: s.Plan.RowsPerPerson})
	if err != nil {
		return out, err
	}
	budget, err := ledger.NewSingle(limit)
	if err != nil {
		return out, err
	}
	begun = time.Now()
	last := begun
	o.Progress = func(p train.Progress) {
		took := time.Since(last).Seconds()
		last = time.Now()
		switch {
		case p.Step == 0:
			out.before = took
		case p.Step == 1 || took < out.step: // the least is least affected by other work on the machine
			out.step = took
		}
	}
	_, err = train.Fit(ctx, budget, s, d, o)
	return out, err
}

// madeUp returns a table of made-up rows under a schema, as CSV. Numbers lie between the bounds,
// levels alternate, and texts consist of repeated words.
func madeUp(s *data.Schema, rows int) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	var columns []data.Column
	var cells []string
	for i, c := range s.Columns {
		switch {
		case i > 0 && c.Date.Follows(s.Columns[i-1].Date): // made of the same cell
			continue
		case c.Date != nil:
			c.Name = c.Date.Column
		}
		columns, cells = append(columns, c), append(cells, c.Name)
	}
	cells = append(cells, s.Target.Column)
	if err := w.Write(cells); err != nil {
		return nil, err
	}
	target := data.Column{Kind: data.Categorical, Levels: s.Target.Levels}
	if s.Target.Regression() || s.Target.Threshold != nil {
		target = data.Column{Kind: data.Numeric, Lower: s.Target.Lower, Upper: s.Target.Upper}
	}
	for row := range rows {
		for i, c := range append(columns[:len(columns):len(columns)], target) {
			cells[i] = madeUpCell(&c, row, i)
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// madeUpCell returns a cell of a made-up row.
func madeUpCell(c *data.Column, row, column int) string {
	turn := (row + 1) * (2*column + 7919)
	const parts = 9973
	switch {
	case c.Date != nil:
		return c.Date.Example(float64(turn%parts) / parts)
	case c.Kind == data.Numeric:
		return strconv.FormatFloat(c.Lower+(c.Upper-c.Lower)*float64(turn%parts)/parts, 'g', 6, 64)
	case c.Kind == data.Text:
		var words strings.Builder
		for i := range textWords {
			fmt.Fprintf(&words, "w%d ", int(math.Sqrt(float64(turn*(i+1)%99991))))
		}
		return words.String()
	case len(c.Levels) > 0:
		return c.Levels[turn%len(c.Levels)]
	}
	return "made up " + strconv.Itoa(turn%10)
}
