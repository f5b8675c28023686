package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/query"
)

// answerName is the name of the answer inside its folder.
const answerName = "answer.json"

// queryAnswer is what dither query prints, and answer.json. It holds public numbers and what was released.
type queryAnswer struct {
	Plan        query.Plan               `json:"plan"`
	Rows        []queryRow               `json:"rows"`
	Method      string                   `json:"interval"`
	Threshold   float64                  `json:"threshold,omitempty"`
	RankError   float64                  `json:"rank-error,omitempty"`
	PureEpsilon certificate.Epsilon      `json:"pure-epsilon"`
	Certificate *certificate.Certificate `json:"certificate,omitempty"`
}

// queryRow is one answer. Numbers that there are none of are left out.
type queryRow struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Noise *float64 `json:"noise,omitempty"`
	Lower *float64 `json:"lower,omitempty"`
	Upper *float64 `json:"upper,omitempty"`
	Count *float64 `json:"count,omitempty"`
	// Rate says how often the interval holds, where there is one.
	Rate string `json:"rate,omitempty"`
}

// finiteOrNone keeps NaN and infinities out of JSON.
func finiteOrNone(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func newQueryAnswer(p query.Plan, c certificate.Certificate, rows []query.Row) queryAnswer {
	a := queryAnswer{Plan: p, Rows: []queryRow{}, PureEpsilon: certificate.Epsilon(p.PureEpsilon()), Certificate: &c}
	for _, r := range rows {
		row := queryRow{Name: r.Name, Value: r.Value, Noise: finiteOrNone(r.Deviation), Lower: finiteOrNone(r.Lower), Upper: finiteOrNone(r.Upper)}
		if r.Count != 0 {
			row.Count = finiteOrNone(r.Count)
		}
		if row.Lower != nil {
			row.Rate = rateText(p, r.AtLeast)
		}
		a.Rows = append(a.Rows, row)
	}
	a.Method = intervalMethod(p, rows)
	a.Threshold = p.Threshold()
	a.RankError = p.RankError()
	return a
}

// rateText is how often an interval holds.
func rateText(p query.Plan, atLeast bool) string {
	text := fmt.Sprintf("%g %%", 100*p.Confidence)
	if atLeast {
		return "at least " + text
	}
	return text
}

// intervalMethod says what the intervals are, and how often they hold.
func intervalMethod(p query.Plan, rows []query.Row) string {
	how := "exact"
	switch p.Statistic {
	case query.MeanStatistic:
		how = "exact, by Fieller's method; the noise of the count is in it"
	case query.VarianceStatistic, query.CovarianceStatistic, query.CorrelationStatistic:
		how = "to first order in the noise"
	case query.QuantilesStatistic, query.BoundsStatistic, query.RadiusStatistic, query.AggregateStatistic:
		return fmt.Sprintf("none; with %s confidence each, the rank is wrong by at most the rank error, or by that much more than at the best point of the grid", rateText(p, true))
	}
	var some []string
	for _, r := range rows {
		if r.AtLeast {
			some = append(some, r.Name)
		}
	}
	all := len(some) > 0 && len(some) == len(rows)
	text := rateText(p, all) + " over the noise alone, for these rows: " + how
	switch {
	case all && how == "exact":
		text += " for whole steps of the noise"
	case !all && len(some) > 0:
		text += fmt.Sprintf("; %s for %s", rateText(p, true), shortList(some, len(rows)))
	}
	return text
}

// shortList names a few rows, and counts more.
func shortList(names []string, of int) string {
	if len(names) > 4 {
		return fmt.Sprintf("%d of %d rows", len(names), of)
	}
	return strings.Join(names, ", ")
}

// print writes the answer for a terminal.
func (a queryAnswer) print(w io.Writer) error {
	if err := writeAll(w, []byte(a.head())); err != nil {
		return err
	}
	rows := [][]string{{"", "answer", "± noise", "from", "to"}}
	for _, r := range a.Rows {
		rows = append(rows, []string{r.Name, digits(&r.Value), digits(r.Noise), digits(r.Lower), digits(r.Upper)})
	}
	if err := writeColumns(w, rows); err != nil {
		return failed{fmt.Errorf("standard output cannot be written: %w", pathless(err))}
	}
	return writeAll(w, []byte(a.foot()))
}

// head says what was asked.
func (a queryAnswer) head() string {
	p := a.Plan
	var b strings.Builder
	fmt.Fprintf(&b, "asked     %s %s\n", p.Statistic, strings.Join(p.Expressions, ", "))
	if p.Blocks > 0 {
		fmt.Fprintf(&b, "of        %s of each of %d blocks\n", p.Of, p.Blocks)
	}
	for _, line := range [][2]string{{"where", p.Where}, {"by", p.By}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-9s %s\n", line[0], line[1])
		}
	}
	for i, lower := range p.Lower {
		fmt.Fprintf(&b, "declared  %s is between %s and %s\n", p.Expressions[i], plainly(lower), plainly(p.Upper[i]))
	}
	fmt.Fprintf(&b, "declared  one %s is %s; at most %d rows\n", recordWord(p), p.Unit, p.MaxRecords)
	return printableLines(b.String()) + "\n"
}

// recordWord is what one record is called.
func recordWord(p query.Plan) string {
	if p.Person != nil {
		return "person"
	}
	return "row"
}

// printableLines makes each line printable.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable(strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// foot says how sure the answer is and what it costs.
func (a queryAnswer) foot() string {
	p, c := a.Plan, *a.Certificate
	var b strings.Builder
	fmt.Fprintf(&b, "\nnoise     %s, multiplier %s\n", p.Noise, display.Nearest(p.NoiseMultiplier, 6))
	if a.Threshold > 0 {
		fmt.Fprintf(&b, "threshold %s rows; categories below it are not shown\n", display.Nearest(a.Threshold, 6))
	}
	if a.RankError > 0 {
		counted := "rows"
		if p.Blocks > 0 {
			counted = fmt.Sprintf("of %d blocks", p.Blocks)
		}
		fmt.Fprintf(&b, "rank      wrong by at most %s %s with confidence %s\n", display.Nearest(math.Ceil(a.RankError), 6), counted, rateText(p, true))
		b.WriteString(fewBlocks(p.Blocks, a.RankError))
	} else {
		fmt.Fprintf(&b, "interval  %s\n", a.Method)
	}
	fmt.Fprintf(&b, "event     %s\n", c.Event)
	moves := strings.ReplaceAll(relationWords(p.Neighboring), "row", recordWord(p))
	if !math.IsInf(float64(a.PureEpsilon), 1) {
		fmt.Fprintf(&b, "charge    epsilon %s at delta 0, %s\n", epsilonText(float64(a.PureEpsilon)), moves)
	} else {
		fmt.Fprintf(&b, "charge    epsilon %s at delta %g, %s\n", epsilonText(float64(c.Epsilon)), c.Delta, moves)
	}
	if c.GroupRows > 1 {
		fmt.Fprintf(&b, "person    epsilon %s at delta %g for all %d rows of one person\n", epsilonText(float64(c.GroupEpsilon)), c.Delta, c.GroupRows)
	}
	switch {
	case p.Cells > 1 && p.Person != nil:
		b.WriteString("cells     what the rows of a person add to all cells is bounded together, so all cells cost what one does\n")
	case p.Cells > 1:
		b.WriteString("cells     a row is in one cell, so all cells cost what one does (replacing a row touches two)\n")
	}
	b.WriteString("adds up   every further answer about these rows adds to the charge\n")
	return printableLines(b.String())
}

// fewBlocks warns where a rank that is wrong by so much may lead beyond what any block gave. Both numbers are public.
func fewBlocks(blocks int, rankError float64) string {
	if blocks == 0 || 2*rankError < float64(blocks) {
		return ""
	}
	return fmt.Sprintf("caution   that is half of the blocks or more: the answer may lie beyond what every block gave; take --blocks %d or more, or a larger epsilon\n", int(2*rankError)+1)
}

// digits writes a number with six significant digits, or a dash.
func digits(v *float64) string {
	if v == nil {
		return "-"
	}
	return display.Nearest(*v, 6)
}

// sealAnswer makes the files of an answer and gives it a certificate that is filled in.
func sealAnswer(a *queryAnswer) (map[string][]byte, error) {
	var id [16]byte
	rand.Read(id[:])
	own := *a.Certificate
	a.Certificate = &own
	a.Certificate.Program, a.Certificate.Run, a.Certificate.Created = program(), hex.EncodeToString(id[:]), time.Now().UTC().Format(time.RFC3339)
	alone := *a
	alone.Certificate = nil
	text, err := json.MarshalIndent(alone, "", " ")
	if err != nil {
		return nil, err
	}
	a.Certificate.ModelSHA256 = certificate.Hash(text)
	certificateText, err := a.Certificate.Encode()
	return map[string][]byte{answerName: text, certificate.FileName: certificateText}, err
}

// readTrainingTable reads a table, or the training split of a built-in data set.
func readTrainingTable(ctx context.Context, s *data.Schema, name string, f tableFlags, o data.ReadOptions) (*data.Dataset, error) {
	setName, isBuiltin := strings.CutPrefix(name, builtinPrefix)
	if !isBuiltin {
		return readTable(ctx, s, name, f, o)
	}
	set, err := builtin.Open(setName)
	if err != nil {
		return nil, err
	}
	d, err := set.ReadTrain(ctx, s, o)
	return d, interruption(ctx, err)
}
