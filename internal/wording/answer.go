package wording

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/query"
)

// Answer returns the answer to a question for a terminal: the question, the numbers, their accuracy
// and their cost. The file has the answer's certificate.
func Answer(a query.File) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(head(a))
	rows := [][]string{{"", "answer", "± noise", "from", "to"}}
	for _, r := range a.Rows {
		rows = append(rows, []string{r.Name, display.Digits(&r.Value), display.Digits(r.Noise), display.Digits(r.Lower), display.Digits(r.Upper)})
	}
	if err := display.WriteColumns(&b, rows); err != nil {
		return nil, err
	}
	b.WriteString(foot(a))
	return b.Bytes(), nil
}

// head says what was asked.
func head(a query.File) string {
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
		fmt.Fprintf(&b, "declared  %s is between %s and %s\n", p.Expressions[i], display.Plain(lower), display.Plain(p.Upper[i]))
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
		lines[i] = display.Printable(strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// foot says how sure the answer is and what it costs.
func foot(a query.File) string {
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
		fmt.Fprintf(&b, "rank      wrong by at most %s %s with confidence at least %g %%\n", display.Nearest(math.Ceil(a.RankError), 6), counted, 100*p.Confidence)
		b.WriteString(fewBlocks(p.Blocks, a.RankError))
	} else {
		fmt.Fprintf(&b, "interval  %s\n", a.Method)
	}
	fmt.Fprintf(&b, "event     %s\n", c.Event)
	moves := strings.ReplaceAll(Relation(p.Neighboring), "row", recordWord(p))
	if !math.IsInf(float64(a.PureEpsilon), 1) {
		fmt.Fprintf(&b, "charge    epsilon %s at delta 0, %s\n", a.PureEpsilon.Rounded(), moves)
	} else {
		fmt.Fprintf(&b, "charge    epsilon %s at delta %g, %s\n", c.Epsilon.Rounded(), c.Delta, moves)
	}
	if c.GroupRows > 1 {
		fmt.Fprintf(&b, "person    epsilon %s at delta %g for all %d rows of one person\n", c.GroupEpsilon.Rounded(), c.Delta, c.GroupRows)
	}
	switch {
	case p.Cells > 1 && p.Person != nil:
		b.WriteString("cells     the sum of a person's rows over all cells is bounded together, so all cells cost as much as one\n")
	case p.Cells > 1:
		b.WriteString("cells     a row is in one cell, so all cells cost what one does (replacing a row touches two)\n")
	}
	b.WriteString("adds up   every further answer about these rows adds to the charge\n")
	return printableLines(b.String())
}

// fewBlocks returns a warning where the rank error may lead beyond the results of all blocks. Both
// numbers are public.
func fewBlocks(blocks int, rankError float64) string {
	if blocks == 0 || 2*rankError < float64(blocks) {
		return ""
	}
	return fmt.Sprintf("caution   that is half of the blocks or more: the answer may lie beyond what every block gave; take --blocks %d or more, or a larger epsilon\n", int(2*rankError)+1)
}
