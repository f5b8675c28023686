package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ditherml/dither/feature"
)

// prober applies a model's feature map to rows of its own.
type prober struct {
	pipeline *feature.Pipeline
	whole    *spared
	scratch  *feature.PipelineScratch
	base     []float32 // a row
	x, all   []float64
	values   []float32
}

func newProber(m *spared) *prober {
	p := m.own.Pipeline
	return &prober{pipeline: p, whole: m, scratch: p.NewScratch(), x: make([]float64, p.Dim()), all: make([]float64, m.dim)}
}

// features returns the features of a row of values as they are before normalization, until the next call.
func (p *prober) features(values []float32) []float64 {
	p.pipeline.FeaturesOf(p.x, 1, p.scratch, func(int) []float32 { return values })
	p.whole.fill(p.all, p.x)
	return p.all
}

// entries returns the features of a group that are not 0 in the row with these values of columns a
// and b. -1 is no column.
func (p *prober) entries(g group, a int, v float32, b int, w float32) []entry {
	p.values = append(p.values[:0], p.base...)
	p.values[a] = v
	if b >= 0 {
		p.values[b] = w
	}
	var out []entry
	for j, x := range p.features(p.values)[g.first : g.first+g.count] {
		if x != 0 {
			out = append(out, entry{g.first + j, x})
		}
	}
	return out
}

// cuts returns the numbers above least at which the features of a column change. Between two of them the
// features are constant. They change in one direction, as bins do.
func (p *prober) cuts(column int, least, most float32) []float64 {
	of := func(rank int64) []float64 {
		values := slices.Clone(p.base)
		values[column] = float32At(rank)
		return slices.Clone(p.features(values))
	}
	var cuts []float64
	var search func(from, to int64, first, last []float64)
	search = func(from, to int64, first, last []float64) {
		switch {
		case slices.Equal(first, last):
		case to == from+1:
			cuts = append(cuts, float64(float32At(to)))
		default:
			middle := from + (to-from)/2
			between := of(middle)
			search(from, middle, first, between)
			search(middle, to, between, last)
		}
	}
	from, to := rankOf(least), rankOf(most)
	search(from, to, of(from), of(to))
	return cuts
}

// rankOf numbers the finite float32 in ascending order. Both zeros have rank 0.
func rankOf(v float32) int64 {
	bits := math.Float32bits(v)
	if bits>>31 == 1 {
		return -int64(bits & math.MaxInt32)
	}
	return int64(bits)
}

// float32At returns the number of a rank.
func float32At(rank int64) float32 {
	if rank < 0 {
		return -math.Float32frombits(uint32(-rank))
	}
	return math.Float32frombits(uint32(rank))
}

// checkedRows is the number of rows that check compares.
const checkedRows = 256

// check compares features of the outline with features of the model. Its rows have levels, numbers within
// and beyond the bounds, and missing and unknown cells.
func (o *outline) check(p *prober) error {
	schema, random := o.model.Schema(), generator(1)
	declared, marks := schema.Features(), schema.Marks()
	texts := sortedMarks(schema)
	cells, values := make([]string, len(declared)), make([]float32, len(declared))
	for range checkedRows {
		kept := true
		for i := range declared {
			cells[i] = o.columns[i].sample(texts, &random)
			v, ok := declared[i].Cell(cells[i], marks)
			values[i], kept = v, kept && ok
		}
		got := o.features(cells)
		if (got != nil) != kept || kept && !slices.Equal(got, p.features(values)) {
			return fmt.Errorf("the tables of the export differ from the model for the row %q, want equal features; use dither predict, and report this fault", cells)
		}
	}
	return nil
}

// sample returns a cell of a column: a mark of a missing cell, a level, a cut or a number near it, or a cell within or
// beyond the bounds.
func (c *column) sample(marks []string, random *generator) string {
	switch k := random.below(12); {
	case k == 0:
		return marks[random.below(len(marks))]
	case k == 1:
		return " neither a level nor a number"
	case c.date != nil:
		return c.sampleDate(random)
	case c.number && k == 2 && len(c.cuts) > 0:
		cut := c.cuts[random.below(len(c.cuts))]
		return text([]float64{cut, float64(float32At(rankOf(float32(cut)) - 1))}[random.below(2)])
	case c.number && k < 5:
		return text([]float64{c.lower, c.upper, c.least, c.most, c.upper + 1, c.lower - 1, math.Nextafter(c.lower, math.Inf(-1)), math.Nextafter(c.upper, math.Inf(1))}[random.below(8)])
	case c.number:
		share := float64(random.below(1<<30))/(1<<29) - 0.5 // beyond both bounds, and rarely
		if k > 5 {
			share = float64(random.below(1<<30)) / (1 << 30)
		}
		return text(c.lower + share*(c.upper-c.lower))
	case len(c.levels) > 0:
		return " \v\u00a0" + c.levels[random.below(len(c.levels))] + "\u2003\f"
	}
	return ""
}

// text returns the shortest text that reads back as v.
func text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// generator is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), for rows that compare features.
type generator uint64

// below returns a number from 0 to n - 1.
func (g *generator) below(n int) int {
	*g += 0x9e3779b97f4a7c15
	z := uint64(*g)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 1 % uint64(n))
}
