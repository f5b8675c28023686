package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Limits of the maps of pairs.
const (
	maxMaps       = 6  // on a page
	maxSide       = 20 // states without an order along a side
	maxSideRunes  = 16 // of a label
	maxSideRoom   = 110.0
	mapShades     = 4   // of each sign
	leastInMap    = 0.1 // share of the records of a cell, relative to equal shares
	maxMapHeight  = 320.0
	sideGap       = 10.0 // before missing cells of a number
	lineHeight    = 14.0
	levelRow      = 18.0
	mostRow       = 28.0
	hatchDistance = 5.0
)

// tileMap is the map of a pair as the template shows it.
type tileMap struct {
	ID, Title, Words string
	High             string // of the view box
	Frame            string
	Tiles            []tiles
	Hollow           string // outlines of cells whose intervals contain 0
	Labels           []mapLabel
	Swatches         []swatch   // of the legend
	Scale            []mapLabel // its numbers
	Hidden, Empty    bool       // whether the legend has such cells
	Left             string     // states that are not drawn
	Effect, Change   string
	Values           *Table
	ValuesLeft       int
}

// tiles are cells of one shade. The class names it, and says whether they are hatched.
type tiles struct{ Class, Path string }

// swatch is a color of the legend.
type swatch struct{ Class, X string }

// mapLabel is a text of a map. A turned one runs up.
type mapLabel struct {
	X, Y, Anchor, Text string
	Turned             bool
}

// newTileMap lays out the map of a pair.
func newTileMap(s Shape, number int) tileMap {
	out := tileMap{ID: "map" + strconv.Itoa(number), Title: shorten(s.title(), maxLabelRunes), Effect: "no effect", Change: s.change()}
	if s.Effect > 0 {
		out.Effect = "effect " + s.effect()
	}
	m := newMapped(s)
	m.lay(&out)
	largest := m.largest()
	m.fill(&out, largest)
	out.Words = m.words()
	out.Values, out.ValuesLeft = m.table()
	out.Scale = scaleLabels(largest)
	for shade := -mapShades; shade <= mapShades; shade++ {
		if shade != 0 {
			out.Swatches = append(out.Swatches, swatch{shadeClass(shade), strconv.Itoa(30 + 20*len(out.Swatches))})
		}
	}
	if n := m.across.left + m.up.left; n > 0 {
		out.Left = strconv.Itoa(n) + " rarer levels are not drawn"
	}
	return out
}

// scaleLabels are the numbers below the swatches: ends, middles and 0. Long middles are left out.
func scaleLabels(largest float64) (out []mapLabel) {
	for k, share := range []float64{-1, -0.5, 0, 0.5, 1} {
		text := brief(share * largest)
		if share > 0 {
			text = "+" + text
		}
		if k%2 == 0 || roomOf(text) < 39 {
			out = append(out, mapLabel{X: strconv.Itoa(30 + 40*k), Text: text})
		}
	}
	return out
}

// mapped is a pair with the places of its cells.
type mapped struct {
	Shape
	across, up axis
	average    float64 // share of the records of a cell, if all are equal
}

// axis is a side with the states that are drawn.
type axis struct {
	Side
	shown []int     // states, in order
	at    []float64 // ends of the drawn states, from the start of the side
	to    []float64
	left  int // states without an order that are left out
}

func newMapped(s Shape) *mapped {
	m := &mapped{Shape: s}
	columns, rows := make([]float64, len(s.Pair.Across.States)), make([]float64, len(s.Pair.Up.States))
	for i, share := range s.Shares {
		columns[i%len(columns)] += share
		rows[i/len(columns)] += share
	}
	if s.Shares == nil {
		columns, rows = nil, nil
	}
	m.across, m.up = newAxis(s.Pair.Across, columns), newAxis(s.Pair.Up, rows)
	m.average = 1 / float64(max(1, len(s.States)))
	return m
}

// newAxis selects the states of a side. Missing cells and unknown levels need a share of the records. Of many states
// without an order, those with the largest shares remain.
func newAxis(s Side, shares []float64) axis {
	out := axis{Side: s}
	for k := range s.States {
		if k < len(s.States)-s.Aside || shares == nil || shares[k] > 0 {
			out.shown = append(out.shown, k)
		}
	}
	if s.Ends == nil && len(out.shown) > maxSide {
		out.left = len(out.shown) - maxSide
		if shares != nil {
			slices.SortStableFunc(out.shown, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
		}
		out.shown = out.shown[:maxSide]
		slices.Sort(out.shown)
	}
	return out
}

// numbers returns the number of drawn ranges of a number.
func (a *axis) numbers() int { return max(0, len(a.Ends)-1) }

// gap returns the room before the missing cells of a number.
func (a *axis) gap() float64 {
	if a.Ends != nil && len(a.shown) > a.numbers() {
		return sideGap
	}
	return 0
}

// lay gives each drawn state a length.
func (a *axis) lay(length float64) {
	each := (length - a.gap()) / float64(max(1, len(a.shown)))
	for k := range a.shown {
		at := each * float64(k)
		if a.Ends != nil && k >= a.numbers() {
			at += a.gap()
		}
		a.at, a.to = append(a.at, at), append(a.to, at+each)
	}
}

// label returns the label of a drawn state.
func (a *axis) label(k int) string {
	text := shorten(a.States[a.shown[k]], maxSideRunes)
	for n := maxSideRunes - 1; roomOf(text) > maxSideRoom; n-- {
		text = shorten(text, n)
	}
	return text
}

// title names the column of a side and its unit.
func (a *axis) title(limit int) string {
	return shorten(Shape{Name: a.Name, Unit: a.Unit}.axis(), limit)
}

// end returns the label of an end of a range.
func (a *axis) end(k int) string { return brief(a.Ends[k]) }

// longestState and longestEnd return the room that the longest label of a state, or of an end, needs.
func (a *axis) longestState() (most float64) {
	for k := a.numbers(); k < len(a.shown); k++ {
		most = max(most, roomOf(a.label(k)))
	}
	return most
}

func (a *axis) longestEnd() (most float64) {
	for k := range a.Ends {
		most = max(most, roomOf(a.end(k)))
	}
	return most
}

// roomOf returns the length of a label, in units of a view box. It is at least that of most fonts.
func roomOf(label string) (sum float64) {
	for _, r := range label {
		switch {
		case r >= 0x1100: // scripts with square letters
			sum += 12
		case unicode.IsUpper(r) || strings.ContainsRune("@%&mw–…<>=+−", r):
			sum += 9.6
		default:
			sum += 7.7
		}
	}
	return sum
}

// cell returns the position of a drawn cell in States.
func (m *mapped) cell(column, row int) int {
	return m.up.shown[row]*len(m.across.States) + m.across.shown[column]
}

// empty reports whether the released frequencies show no records in a cell, or hardly any.
func (m *mapped) empty(cell int) bool {
	return m.Shares != nil && m.Shares[cell] < leastInMap*m.average
}

// each calls a function with each drawn cell that is not empty.
func (m *mapped) each(visit func(column, row int, c Coefficient)) {
	for row := range m.up.shown {
		for column := range m.across.shown {
			if cell := m.cell(column, row); !m.empty(cell) && finite(m.States[cell].Value) {
				visit(column, row, m.States[cell])
			}
		}
	}
}

// hidden reports whether an interval contains 0.
func hidden(c Coefficient) bool { return c.Half > 0 && math.Abs(c.Value) <= c.Half }

// largest returns the end of the scale: a round number that no drawn value passes.
func (m *mapped) largest() float64 {
	most := 0.0
	m.each(func(_, _ int, c Coefficient) { most = max(most, math.Abs(c.Value)) })
	if !(most > 0) {
		return 1
	}
	unit := math.Pow10(int(math.Floor(math.Log10(most))))
	for _, round := range []float64{1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8} {
		if round*unit >= most {
			return round * unit
		}
	}
	return 10 * unit
}

// lay gives the map its size, its labels and its frame.
func (m *mapped) lay(out *tileMap) {
	left, top := 10+max(m.up.longestState(), m.up.longestEnd()), 26.0
	wide := chartWidth - left - chartRight
	m.across.lay(wide)
	each := m.across.to[0] - m.across.at[0]
	row := min(mostRow, max(each, 8))
	if m.up.Ends == nil {
		row = min(mostRow, max(each, levelRow))
	}
	high := row * float64(len(m.up.shown))
	if m.up.Ends != nil {
		high = max(2*lineHeight, min(maxMapHeight, high)) + m.up.gap()
	}
	m.up.lay(high)
	for k := range m.across.shown {
		m.across.at[k], m.across.to[k] = left+m.across.at[k], left+m.across.to[k]
	}
	for k := range m.up.shown {
		m.up.at[k], m.up.to[k] = top+high-m.up.at[k], top+high-m.up.to[k]
	}
	out.Frame = fmt.Sprintf("M%s,%sH%sV%sH%sZ", coordinate(left), coordinate(top), coordinate(left+wide), coordinate(top+high), coordinate(left))
	out.Labels = append(out.Labels, mapLabel{X: "4", Y: "12", Text: m.up.title(64)})
	m.labelUp(out, left)
	below := m.labelAcross(out, top+high, each) + lineHeight + 4
	out.Labels = append(out.Labels, mapLabel{X: coordinate(left + wide/2), Y: coordinate(below), Anchor: "middle", Text: m.across.title(int(wide / letterWidth))})
	out.High = coordinate(below + 6)
}

// labelUp labels the side that goes up.
func (m *mapped) labelUp(out *tileMap, left float64) {
	a, x := &m.up, coordinate(left-6)
	for k := range a.shown {
		if k >= a.numbers() {
			out.Labels = append(out.Labels, mapLabel{X: x, Y: coordinate((a.at[k]+a.to[k])/2 + 4), Anchor: "end", Text: a.label(k)})
		}
	}
	if n := a.numbers(); n > 0 {
		for _, k := range ends(n, a.at[0]-a.to[0], 2*lineHeight) {
			y := a.at[0] - float64(k)*(a.at[0]-a.to[0])
			out.Labels = append(out.Labels, mapLabel{X: x, Y: coordinate(y + 4), Anchor: "end", Text: a.end(k)})
		}
	}
}

// ends returns which ends of ranges have labels that need this much room. The first and the last are among them.
func ends(ranges int, length, room float64) (out []int) {
	step := 1
	for step < ranges && (float64(step)*length < room || ranges%step != 0) {
		step++
	}
	for k := 0; k <= ranges; k += step {
		out = append(out, k)
	}
	return out
}

// labelAcross labels the side that goes across, and returns the lower end of its labels.
func (m *mapped) labelAcross(out *tileMap, bottom, each float64) float64 {
	a := &m.across
	if n := a.numbers(); n > 0 {
		for _, k := range ends(n, each, a.longestEnd()+10) {
			half := roomOf(a.end(k)) / 2
			x := max(half, min(a.at[0]+float64(k)*each, chartWidth-half))
			out.Labels = append(out.Labels, mapLabel{X: coordinate(x), Y: coordinate(bottom + lineHeight + 2), Anchor: "middle", Text: a.end(k)})
		}
		bottom += lineHeight + 2
	}
	longest := a.longestState()
	turned := a.Ends == nil && longest+4 > each
	for k := a.numbers(); k < len(a.shown); k++ {
		l := mapLabel{X: coordinate((a.at[k] + a.to[k]) / 2), Y: coordinate(bottom + lineHeight + 2), Anchor: "middle", Text: a.label(k)}
		switch {
		case turned:
			l.X, l.Y, l.Anchor, l.Turned = coordinate((a.at[k]+a.to[k])/2+4), coordinate(bottom+6), "end", true
		case a.Ends != nil: // it may be longer than the cell
			l.X, l.Anchor = coordinate(a.to[k]), "end"
		}
		out.Labels = append(out.Labels, l)
	}
	switch {
	case turned:
		return bottom + 6 + longest
	case longest > 0:
		return bottom + lineHeight + 2
	}
	return bottom
}

// fill draws the cells.
func (m *mapped) fill(out *tileMap, largest float64) {
	paths := map[string]*strings.Builder{}
	var classes []string
	for shade := -mapShades; shade <= mapShades; shade++ {
		for _, kind := range []string{"tile ", "hatch "} {
			if class := kind + shadeClass(shade); shade != 0 {
				classes, paths[class] = append(classes, class), &strings.Builder{}
			}
		}
	}
	var hollow strings.Builder
	drawn := 0
	m.each(func(column, row int, c Coefficient) {
		drawn++
		x, y := m.across.at[column]+0.5, m.up.to[row]+0.5
		wide, high := m.across.to[column]-m.across.at[column]-1, m.up.at[row]-m.up.to[row]-1
		shade := int(min(mapShades, math.Ceil(mapShades*math.Abs(c.Value)/largest-1e-9)))
		if shade = max(1, shade); c.Value < 0 {
			shade = -shade
		}
		box := fmt.Sprintf("M%s,%sh%sv%sh-%sz", coordinate(x), coordinate(y), coordinate(wide), coordinate(high), coordinate(wide))
		if !hidden(c) {
			paths["tile "+shadeClass(shade)].WriteString(box)
			return
		}
		out.Hidden = true
		hollow.WriteString(box)
		hatch(paths["hatch "+shadeClass(shade)], x, y, wide, high)
	})
	out.Empty = drawn < len(m.across.shown)*len(m.up.shown)
	for _, class := range classes {
		if text := paths[class].String(); text != "" {
			out.Tiles = append(out.Tiles, tiles{class, text})
		}
	}
	out.Hollow = hollow.String()
}

// shadeClass names a shade.
func shadeClass(shade int) string {
	if shade < 0 {
		return "falls" + strconv.Itoa(-shade)
	}
	return "rises" + strconv.Itoa(shade)
}

// hatch draws lines from the lower left to the upper right of a box, at equal distances.
func hatch(b *strings.Builder, x, y, wide, high float64) {
	for at := hatchDistance / 2; at < wide+high; at += hatchDistance {
		// The line x + y = at of the box, with y down.
		fmt.Fprintf(b, "M%s,%sL%s,%s", coordinate(x+max(0, at-high)), coordinate(y+min(at, high)), coordinate(x+min(at, wide)), coordinate(y+max(0, at-wide)))
	}
}

// words describe the map.
func (m *mapped) words() string {
	var most, least *Coefficient
	drawn, unsure := 0, 0
	m.each(func(_, _ int, c Coefficient) {
		drawn++
		if hidden(c) {
			unsure++
		}
		if most == nil || c.Value > most.Value {
			most = &c
		}
		if least == nil || c.Value < least.Value {
			least = &c
		}
	})
	text := fmt.Sprintf("Map of the %s by %s, from left to right, and %s, from the bottom up.", m.change(), m.Pair.Across.Name, m.Pair.Up.Name)
	if most != nil {
		text += fmt.Sprintf(" The largest change is %s at %s, the least %s at %s. In %d of %d cells the change may be noise alone.", changed(most.Value), most.Feature, changed(least.Value), least.Feature, unsure, drawn)
	}
	return text
}

// table lists the cells that are drawn, and how many of them are left out. If there are too many, those with the most
// records are listed.
func (m *mapped) table() (t *Table, left int) {
	type listed struct {
		row   []string
		share float64
	}
	var all []listed
	t = &Table{Title: "Values of the map", Columns: []string{"cell", m.change(), "±"}}
	if m.Shares != nil {
		t.Columns = append(t.Columns, "of the records")
	}
	m.each(func(column, row int, c Coefficient) {
		one := listed{row: []string{c.Feature, changed(c.Value), "–"}}
		if c.Half > 0 {
			one.row[2] = digitsUp(c.Half, 3)
		}
		if m.Shares != nil {
			one.share = m.Shares[m.cell(column, row)]
			one.row = append(one.row, percent(one.share))
		}
		all = append(all, one)
	})
	if len(all) > maxValueRows {
		slices.SortStableFunc(all, func(a, b listed) int { return cmp.Compare(b.share, a.share) })
		all, left = all[:maxValueRows], len(all)-maxValueRows
	}
	for _, one := range all {
		t.Rows = append(t.Rows, one.row)
	}
	return t, left
}
