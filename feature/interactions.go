package feature

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

// interactions turns a row into indicators of cells. A number is replaced by the indicators of the
// bins that contain it, at several resolutions: its declared range is divided into 2, 4, 8, … bins. They have
// equal width, or equal width on the half-logarithmic scale of package encoder. Bins of integers are no finer than
// needed to separate them. Indicators stay. For each pair of columns, the indicators of the cells of both
// columns together follow, times a weight. Their bins have equal width. So a linear model on the new row is a sum of a function
// of each column and of a function of each pair. Bins and pairs follow from declarations alone.
type interactions struct {
	in, dim int
	columns []celled
	flat    []celled // columns in pairs, whose bins have equal width
	pairs   []pairedColumns
	names   []encoder.Name
	// pairsAt is the first feature of the pairs. buckets is their number where cells are hashed into
	// buckets, else 0.
	pairsAt, buckets int
	// points are the pairs of coordinates, and pointsAt is the first feature of their cells.
	points     []pairedColumns
	pointsAt   int
	parameters interactionsParameters
}

var _ sparseTransform = (*interactions)(nil)

// celled is a column whose values lie in cells.
type celled struct {
	column data.Column
	first  int // feature before the transform
	count  int // number of features before
	number bool
	finest int       // most bins
	cuts   []float64 // ends of the finest bins on the half-logarithmic scale, or nil for bins of equal width
	levels []string  // of its features before
	at     int       // first feature after
}

// pairedColumns is a pair of columns, by their places, with the first cell of each resolution.
type pairedColumns struct {
	a, b  int
	bins  []int
	first []int
}

// interactionsParameters are the parameters. Those that are 0 in a request follow from the schema;
// a pipeline's specification has all of them.
type interactionsParameters struct {
	Pairs    pairNames `json:"pairs"`
	Bins     int       `json:"bins"`
	PairBins int       `json:"pair-bins"`
	Weight   float64   `json:"weight"`
	Buckets  int       `json:"buckets"`
	// Coordinates are pairs of columns that are the coordinates of a point. CoordinateBins is the
	// finest number of bins of each of them in cells of points, and CoordinateWeight is the value of a cell.
	Coordinates      crossLists `json:"coordinates,omitempty"`
	CoordinateBins   int        `json:"coordinate-bins,omitempty"`
	CoordinateWeight float64    `json:"coordinate-weight,omitempty"`
	// HalfLogarithmic are the columns whose bins have equal width on the half-logarithmic scale of package
	// encoder. In pairs their bins have equal width.
	HalfLogarithmic columnNames `json:"half-logarithmic,omitempty"`
	// complete reports that no number followed from the schema and that coordinates are lists, as in the
	// specification of a saved model.
	complete bool
}

// pairNames are pairs of names of columns, or a word. The pairs are a list such as [["age",
// "sex"]], or one line such as "age*sex+job*sex". The word is autoPairs, allPairs or noPairs, and
// the empty word means autoPairs.
type pairNames struct {
	word  string
	pairs crossLists
}

// UnmarshalJSON accepts a list of lists or a text.
func (p *pairNames) UnmarshalJSON(text []byte) error {
	var line string
	if json.Unmarshal(text, &line) == nil && slices.Contains([]string{autoPairs, allPairs, noPairs}, line) {
		p.word = line
		return nil
	}
	return json.Unmarshal(text, &p.pairs)
}

// MarshalJSON returns the pairs as a list of lists, or the word. UnmarshalJSON reads both.
func (p pairNames) MarshalJSON() ([]byte, error) {
	if p.pairs != nil {
		return json.Marshal([][]string(p.pairs))
	}
	return json.Marshal(p.word)
}

// Words for pairs: those that the number of features allows, every pair, and no pair.
const (
	autoPairs = "auto"
	allPairs  = "all"
	noPairs   = "none"
)

// Defaults of the parameters, chosen on parts of training sets.
const (
	// A number in a pair has at most finestPairBins bins if the target is numeric, else levelPairBins.
	finestPairBins, levelPairBins = 8, 2
	pairWeight, pairBuckets       = 0.5, 1 << 14
	// finestBins is the largest default number of bins for a target with levels, finestOfNumber for a
	// numeric target.
	finestBins, finestOfNumber = 1024, 64
	// binsOfRecord is the largest default of bins·numbers³ for each declared record, for columns with
	// this number of numbers. Each column brings noise to all others. So tables of many columns need
	// coarse bins.
	binsOfRecord = 5
	// A row has all pairs by default if there are at most mostPairs.
	mostPairs = 300
)

// The finest resolutions that the transform accepts. They are powers of two, so that a number in [0, 1]
// times a resolution is exact.
const maxBins, maxPairBins = 1024, 64

// newInteractions returns the transform of parameters {"pairs": [["age", "sex"], …], "bins": 64, …}.
func newInteractions(parameters json.RawMessage, at surroundings) (transform, error) {
	var p interactionsParameters
	if err := decodeParameters(parameters, &p); err != nil {
		return nil, logarithmic(parameters, err)
	}
	if at.schema == nil {
		return nil, errors.New("it is behind another transform, want it first; cells are those of declared columns")
	}
	var lists struct{ Coordinates [][]string }
	p.complete = p.PairBins > 0 && p.Weight > 0 && p.Buckets > 0 && p.Bins > 0 && json.Unmarshal(parameters, &lists) == nil
	bins := levelPairBins
	if at.schema.Target.Regression() {
		bins = finestPairBins
	}
	p.PairBins, p.Weight, p.Buckets = cmp.Or(p.PairBins, bins), cmp.Or(p.Weight, pairWeight), cmp.Or(p.Buckets, pairBuckets)
	if p.Bins == 0 {
		p.Bins = defaultBins(at.schema)
	}
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	return p.choosePairs(at)
}

// defaultBins returns the finest bins that the declared records allow.
func defaultBins(s *data.Schema) int {
	numbers, bins := 0, finestBins
	for _, c := range s.Features() {
		if isNumber(c) {
			numbers++
		}
	}
	if s.Target.Regression() {
		bins = finestOfNumber
	}
	for bins > 2 && float64(bins)*math.Pow(float64(numbers), 3) > binsOfRecord*float64(cmp.Or(s.Records, s.MaxRecords)) {
		bins /= 2
	}
	return bins
}

// isNumber reports whether a column is a number that bins replace.
func isNumber(c data.Column) bool {
	return c.Ordered || c.Kind == data.Numeric && c.Slots() == 0
}

// choosePairs returns the transform with the pairs that autoPairs means: all or none.
func (p interactionsParameters) choosePairs(at surroundings) (transform, error) {
	if p.Pairs.pairs != nil || p.Pairs.word == allPairs || p.Pairs.word == noPairs {
		return p.transform(at)
	}
	p.Pairs.word = allPairs
	t, err := p.transform(at)
	if err == nil && len(t.pairs) > mostPairs {
		p.Pairs.word = noPairs
		return p.transform(at)
	}
	return t, err
}

// transform returns the transform of complete parameters.
func (p interactionsParameters) transform(at surroundings) (*interactions, error) {
	switch {
	case !powerOfTwo(p.Bins, maxBins) || !powerOfTwo(p.PairBins, maxPairBins):
		return nil, fmt.Errorf("bins is %d and pair-bins is %d, want powers of two, at least 2 and at most %d and %d", p.Bins, p.PairBins, maxBins, maxPairBins)
	case !(p.Weight > 0 && p.Weight <= 1):
		return nil, fmt.Errorf("weight is %v, want more than 0 and at most 1", p.Weight)
	case !powerOfTwo(p.Buckets, maxFeatures/4):
		return nil, fmt.Errorf("buckets is %d, want a power of two, at least 2 and at most %d", p.Buckets, maxFeatures/4)
	}
	t := &interactions{in: at.in, parameters: p}
	if err := t.addColumns(at); err != nil {
		return nil, err
	}
	if t.pairsAt > maxFeatures/2 {
		return nil, fmt.Errorf("the columns have %d cells, want at most %d; take fewer bins", t.pairsAt, maxFeatures/2)
	}
	pairs, err := t.places(p.Pairs)
	if err != nil {
		return nil, err
	}
	t.addPairs(pairs)
	return t, t.addPoints()
}

// spec returns the complete specification.
func (t *interactions) spec() (Spec, error) {
	text, err := json.Marshal(t.parameters)
	return Spec{Name: "interactions", Parameters: text}, err
}

func powerOfTwo(n, most int) bool { return n >= 2 && n <= most && bits.OnesCount(uint(n)) == 1 }

// addColumns adds the features of single columns.
func (t *interactions) addColumns(at surroundings) error {
	next, grids, uneven := 0, 0, slices.Clone(t.parameters.HalfLogarithmic)
	for _, c := range at.schema.Features() {
		own := celled{column: c, first: next, number: isNumber(c), finest: finestOf(c), at: len(t.names)}
		for next < len(at.names) && at.names[next].Column == c.Name {
			next++
		}
		own.count = next - own.first
		equal := own
		if k := slices.Index(uneven, c.Name); k >= 0 {
			if err := own.cutHalfLogarithms(); err != nil {
				return err
			}
			uneven = slices.Delete(uneven, k, k+1)
		}
		for _, n := range at.names[own.first:next] {
			own.levels = append(own.levels, n.Level)
		}
		if own.number {
			for b := 2; b <= min(t.parameters.Bins, own.finest); b *= 2 {
				grids++
				for cell := range b {
					t.names = append(t.names, encoder.Name{Column: c.Name, Level: own.level(cell, b), Cell: encoder.Cell{Grid: grids, Columns: [2]string{c.Name}, States: [2]int{cell}, Value: 1}})
				}
			}
		}
		if !own.number && own.pairs() {
			grids++
		}
		for state, n := range at.names[own.first:next] {
			switch {
			case n.Level == "":
				continue
			case own.number:
				n.Cell = encoder.Cell{Columns: [2]string{c.Name}, Aside: [2]string{n.Level}, Value: 1}
			case own.pairs():
				n.Cell = encoder.Cell{Grid: grids, Columns: [2]string{c.Name}, States: [2]int{state}, Aside: [2]string{own.aside(state, 0)}, Value: 1}
			}
			t.names = append(t.names, n)
		}
		equal.levels, t.columns = own.levels, append(t.columns, own)
		t.flat = append(t.flat, equal)
	}
	if len(uneven) > 0 {
		return fmt.Errorf("half-logarithmic names %q, want each name of a column of numbers once", uneven[0])
	}
	t.pairsAt = len(t.names)
	return nil
}

// places returns the columns of pairs.
func (t *interactions) places(p pairNames) (pairs [][2]int, err error) {
	for a := range t.columns {
		for b := a + 1; p.word == allPairs && b < len(t.columns); b++ {
			if t.columns[a].pairs() && t.columns[b].pairs() {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	for _, names := range p.pairs {
		if len(names) != 2 || names[0] == names[1] {
			return nil, fmt.Errorf("a pair is %s, want two different columns, such as age*sex", strings.Join(names, "*"))
		}
		var pair [2]int
		for k, name := range names {
			pair[k] = slices.IndexFunc(t.columns, func(c celled) bool { return c.column.Name == name && c.pairs() })
			if pair[k] < 0 {
				return nil, fmt.Errorf("column %q is not there to be paired, want two of %s", name, strings.Join(t.pairable(), ", "))
			}
		}
		slices.Sort(pair[:])
		if slices.Contains(pairs, pair) {
			return nil, fmt.Errorf("pair %s is given twice, want each pair once", strings.Join(names, "*"))
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

// pairable returns the names of the columns that can be paired.
func (t *interactions) pairable() (names []string) {
	for _, c := range t.columns {
		if c.pairs() {
			names = append(names, c.column.Name)
		}
	}
	return names
}

// addPairs adds the features of pairs. They are hashed where there are more cells than buckets.
func (t *interactions) addPairs(pairs [][2]int) {
	cells, buckets := 0, t.parameters.Buckets
	for _, p := range pairs {
		a, b := t.flat[p[0]], t.flat[p[1]]
		own := pairedColumns{a: p[0], b: p[1]}
		for r := t.coarsest(a, b); r <= t.parameters.PairBins && (own.bins == nil || a.refines(r) || b.refines(r)); r *= 2 {
			own.bins, own.first = append(own.bins, r), append(own.first, cells)
			cells += a.cells(r) * b.cells(r)
		}
		t.pairs = append(t.pairs, own)
	}
	if t.dim = t.pairsAt + cells; cells > buckets {
		t.buckets, t.dim = buckets, t.pairsAt+buckets
		for b := range buckets {
			t.names = append(t.names, encoder.Name{Column: "pairs of columns", Level: fmt.Sprint("bucket ", b)})
		}
		return
	}
	t.nameCells(t.pairs, t.parameters.Weight)
}

// nameCells adds the names of the cells of pairs. Each resolution of a pair is a grid.
func (t *interactions) nameCells(pairs []pairedColumns, weight float64) {
	grid := 0
	for _, n := range t.names {
		grid = max(grid, n.Cell.Grid)
	}
	for _, p := range pairs {
		a, b := t.flat[p.a], t.flat[p.b]
		for _, r := range p.bins {
			grid++
			for i := range a.cells(r) {
				for j := range b.cells(r) {
					cell := encoder.Cell{Grid: grid, Columns: [2]string{a.column.Name, b.column.Name}, States: [2]int{i, j}, Aside: [2]string{a.aside(i, r), b.aside(j, r)}, Value: weight}
					t.names = append(t.names, encoder.Name{Column: a.column.Name + " × " + b.column.Name, Level: a.level(i, r) + ", " + b.level(j, r), Cell: cell})
				}
			}
		}
	}
}

// coarsest returns the coarsest resolution of a pair. Two columns without a number have one.
func (t *interactions) coarsest(a, b celled) int {
	if !a.number && !b.number {
		return t.parameters.PairBins
	}
	return min(4, t.parameters.PairBins)
}

// pairs reports whether the column can be part of a pair.
func (c *celled) pairs() bool { return c.column.Kind != data.Text }

// missing reports whether the column has an indicator of missing numbers.
func (c *celled) missing() bool { return c.number && c.count > 1 }

// cells returns the number of cells at a resolution.
func (c *celled) cells(bins int) int {
	bins = min(bins, c.finest)
	switch {
	case !c.number:
		return c.count
	case c.missing():
		return bins + 1
	}
	return bins
}

// cell returns the cell of a row, or -1 where none of the column's indicators is set.
func (c *celled) cell(x []float64, bins int) int {
	own, bins := x[c.first:c.first+c.count], min(bins, c.finest)
	switch {
	case !c.number:
		return slices.IndexFunc(own, func(v float64) bool { return v != 0 })
	case c.missing() && own[1] != 0:
		return bins
	}
	if c.cuts != nil {
		return c.cutsUpTo(own[0]) * bins / maxBins
	}
	return min(bins-1, int(own[0]*float64(bins)))
}

func (t *interactions) In() int { return t.in }

func (t *interactions) Out() int { return t.dim }

// Bound returns the largest of in, 1 and the weight of cells of coordinates. If pairs share buckets, it
// returns the largest possible sum in a bucket if that is larger.
func (t *interactions) Bound(in float64) float64 {
	most := max(in, 1, t.parameters.CoordinateWeight)
	if t.buckets > 0 {
		most = max(most, t.parameters.Weight*float64(t.mostEntries()-len(t.columns)))
	}
	return most
}

func (t *interactions) NewScratch() any { return &entryScratch{} }

// entryScratch has room for the entries of a row.
type entryScratch struct {
	index []uint32
	x     []float64
}

func (t *interactions) Name(j int, _ func(int) encoder.Name) encoder.Name { return t.names[j] }

func (t *interactions) Apply(dst, x []float64, scratch any) {
	s := scratch.(*entryScratch)
	s.index, s.x = t.Entries(x, s.index[:0], s.x[:0])
	clear(dst[:t.dim])
	for k, j := range s.index {
		dst[j] = s.x[k]
	}
}

// mostEntries returns the largest number of nonzero features of a row, without the features of text
// columns.
func (t *interactions) mostEntries() int {
	most := len(t.columns)
	for _, c := range t.columns {
		if c.number {
			most += bits.Len(uint(min(t.parameters.Bins, c.finest))) - 1
		}
	}
	for _, p := range slices.Concat(t.pairs, t.points) {
		most += len(p.bins)
	}
	return most
}

// Entries appends the features that are not 0, in ascending order.
func (t *interactions) Entries(x []float64, index []uint32, v []float64) ([]uint32, []float64) {
	for i := range t.columns {
		c := &t.columns[i]
		at, passed := c.at, 0
		if c.number {
			passed = 1
			for b := 2; b <= min(t.parameters.Bins, c.finest); b *= 2 {
				if cell := c.cell(x, b); cell < b {
					index, v = append(index, uint32(at+cell)), append(v, 1)
				}
				at += b
			}
		}
		for k := passed; k < c.count; k++ {
			if y := x[c.first+k]; y != 0 {
				index, v = append(index, uint32(at+k-passed)), append(v, y)
			}
		}
	}
	paired := len(index)
	for i := range t.pairs {
		p := &t.pairs[i]
		a, b := &t.flat[p.a], &t.flat[p.b]
		for k, r := range p.bins {
			if j, l := a.cell(x, r), b.cell(x, r); j >= 0 && l >= 0 {
				index = append(index, t.signed(p.first[k]+j*b.cells(r)+l))
			}
		}
	}
	if t.buckets > 0 {
		slices.Sort(index[paired:])
	}
	index, v = t.summed(index, v, paired)
	return t.appendPoints(x, index, v)
}
