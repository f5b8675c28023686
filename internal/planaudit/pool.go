package planaudit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/moment"
)

// pool holds all rows that the tables of an audit are made of: other records, canaries, and the
// rows that replace canaries.
type pool struct {
	all    *data.Dataset
	others []int
	// canaries and instead list the rows of each canary, and of the row that replaces it.
	canaries, instead [][]int
	// shown are the canaries alone, which a model predicts.
	shown *data.Dataset
}

// table returns the records with the canaries that are included.
func (p *pool) table(included []bool) *data.Dataset {
	rows := append([]int(nil), p.others...)
	for i, in := range included {
		if in {
			rows = append(rows, p.canaries[i]...)
		} else if p.instead != nil {
			rows = append(rows, p.instead[i]...)
		}
	}
	return p.all.Take(rows)
}

// names lists the columns of the tables of a schema.
func (p *Plan) names() []string {
	var out []string
	for _, c := range p.cells() {
		if c.Date != nil {
			c.Name = c.Date.Column
		}
		out = append(out, c.Name)
	}
	return append(append(out, p.extra...), p.schema.Target.Column)
}

// cells lists the features of the schema, only the first of several that are made of one cell.
func (p *Plan) cells() []data.Column {
	features := p.schema.Features()
	var last *moment.Feature
	return slices.DeleteFunc(features, func(c data.Column) bool {
		follows := c.Date.Follows(last)
		last = c.Date
		return follows
	})
}

// newPool makes a number of canaries and of other records. With public records these are the
// others.
func (p *Plan) newPool(ctx context.Context, canaries, others int, public *data.Dataset) (*pool, error) {
	out, from := &pool{}, &made{7}
	var rows [][]string
	add := func(person string, features []string, target string, n int) (at []int) {
		for range n {
			at = append(at, len(rows))
			rows = append(rows, p.row(person, features, target))
		}
		return at
	}
	for i := range canaries {
		kind := randomRecord
		if i == 0 {
			kind = lastRecord
		}
		features := p.features(from, kind)
		label, other := p.targets(i)
		out.canaries = append(out.canaries, add("canary "+strconv.Itoa(i), features, label, p.rows))
		if p.replaces() {
			out.instead = append(out.instead, add("canary "+strconv.Itoa(i), features, other, p.rows))
		}
	}
	for i, label := range p.otherTargets(others) {
		out.others = append(out.others, add("other "+strconv.Itoa(i), p.features(from, firstRecord), label, 1)...)
	}
	var err error
	if out.all, err = readRows(ctx, p.schema, p.extra, p.names(), rows); err != nil {
		return nil, err
	}
	if out.all.Records() != len(rows) {
		return nil, fmt.Errorf("the schema drops made-up records, want one that keeps rows without missing cells")
	}
	var first []int
	for _, at := range out.canaries {
		first = append(first, at[0])
	}
	out.shown = out.all.Take(first)
	if public != nil {
		err = out.join(public, p)
	}
	return out, err
}

// row returns the cells of a row.
func (p *Plan) row(person string, features []string, target string) []string {
	cells := append([]string(nil), features...)
	for _, name := range p.extra {
		switch name {
		case p.person:
			cells = append(cells, person)
		case p.weights:
			cells = append(cells, p.weight)
		default:
			cells = append(cells, "")
		}
	}
	return append(cells, target)
}

// number is a number as the text of a cell.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// recordKind is a kind of made-up records.
type recordKind int

const (
	// firstRecord has the lower bounds and the first levels. Other records than canaries are of this
	// kind: they share few features with canaries, so samples of them hide little.
	firstRecord recordKind = iota
	// lastRecord has the upper bounds and the last levels, as the first canary has.
	lastRecord
	// randomRecord has bounds and levels at random, as further canaries have.
	randomRecord
)

// features returns the cells of the features of a made-up record.
func (p *Plan) features(from *made, kind recordKind) []string {
	var cells []string
	for _, c := range p.cells() {
		cells = append(cells, cellOf(&c, from, kind))
	}
	return cells
}

// textWords is the number of words of a made-up text.
const textWords = 60

// cellOf returns a cell of a made-up record.
func cellOf(c *data.Column, from *made, kind recordKind) string {
	if c.Kind == data.Text {
		return textOf(c, from, kind)
	}
	last := kind == lastRecord || kind == randomRecord && from.below(2) == 0
	switch n := len(c.Levels); {
	case c.Date != nil && kind == randomRecord:
		return c.Date.Example(float64(from.below(1<<10)) / 1023)
	case c.Date != nil:
		return c.Date.Example(float64(kind))
	case c.Kind == data.Numeric && last:
		return number(c.Upper)
	case c.Kind == data.Numeric:
		return number(c.Lower)
	case n > 0 && kind == randomRecord:
		return c.Levels[from.below(n)]
	case n > 0 && last:
		return c.Levels[n-1]
	case n > 0:
		return c.Levels[0]
	case kind == randomRecord:
		return "made up " + strconv.Itoa(from.below(10))
	}
	return "made up " + strconv.Itoa(int(kind))
}

// textOf returns a made-up text: words, or numbers of tokens.
func textOf(c *data.Column, from *made, kind recordKind) string {
	if kind == firstRecord {
		return "1"
	}
	var b strings.Builder
	for range textWords {
		if c.Hashing != nil && c.Hashing.Tokens == "numbers" {
			fmt.Fprintf(&b, "%d ", from.below(c.Hashing.Buckets-1))
		} else {
			fmt.Fprintf(&b, "w%d ", from.below(100_000))
		}
	}
	return b.String()
}

// join puts public records in the place of made-up others.
func (p *pool) join(public *data.Dataset, of *Plan) error {
	if len(of.extra) > 0 {
		return fmt.Errorf("the plan reads the columns %s besides the features, want a plan without persons, weights of rows and groups for --public; leave --public out", strings.Join(of.extra, ", "))
	}
	n, most := p.all.Records(), of.maxRecords()-len(p.canaries)*of.rows
	if exact := of.exact(); exact > 0 && public.Records() < exact-len(p.canaries) {
		return fmt.Errorf("the plan takes %d records as public, want at least %d public ones besides the canaries", exact, exact-len(p.canaries))
	} else if exact > 0 {
		most = exact - len(p.canaries)
	}
	if most < 1 {
		return fmt.Errorf("the plan allows %d records, want room for canaries and public records; give fewer --canaries", of.maxRecords())
	}
	public = public.Slice(0, min(public.Records(), most))
	var err error
	if p.all.Sparse() || public.Sparse() {
		p.all, err = joinSparse(of.schema, p.all, public)
	} else {
		p.all, err = joinDense(of.schema, p.all, public)
	}
	p.others = nil
	for i := range public.Records() {
		p.others = append(p.others, n+i)
	}
	return err
}

// joinDense returns the rows of two data sets one after the other.
func joinDense(s *data.Schema, a, b *data.Dataset) (*data.Dataset, error) {
	columns := make([][]float32, len(s.Features()))
	for j := range columns {
		columns[j] = append(append([]float32(nil), a.Column(j)...), b.Column(j)...)
	}
	return data.New(s, columns, append(append([]float32(nil), a.Target()...), b.Target()...))
}

// joinSparse is joinDense for data sets that keep the cells that are not 0.
func joinSparse(s *data.Schema, a, b *data.Dataset) (*data.Dataset, error) {
	start, columns, values, target := []int{0}, []uint32(nil), []float32(nil), []float32(nil)
	for _, d := range []*data.Dataset{a, b} {
		if !d.Sparse() {
			return nil, fmt.Errorf("the public table has another form than made-up records of this schema, want a table with the cells of every column")
		}
		for i := range d.Records() {
			at, v := d.Cells(i)
			columns, values = append(columns, at...), append(values, v...)
			start = append(start, len(columns))
		}
		target = append(target, d.Target()...)
	}
	return data.NewSparse(s, start, columns, values, target)
}
