package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// madePair returns a pair of two numbers with equal cells. Value k of the row by row values is that of a cell.
func madePair(columns, rows int, value func(k int) Coefficient) Shape {
	side := func(name string, n int) Side {
		s := Side{Name: name, Ends: []float64{0}}
		for k := range n {
			s.States, s.Ends = append(s.States, fmt.Sprint(k)), append(s.Ends, float64(k+1))
		}
		return s
	}
	out := Shape{Name: "a × b", Effect: 1, Pair: &Pair{Across: side("a", columns), Up: side("b", rows)}}
	for k := range columns * rows {
		c := value(k)
		c.Feature = fmt.Sprintf("%d, %d", k%columns, k/columns)
		out.States = append(out.States, c)
	}
	return out
}

// boxes returns the left and the upper ends of the boxes of a path.
func boxes(path string) (out [][2]float64) {
	for _, part := range strings.Split(path, "M")[1:] {
		x, y, _ := strings.Cut(strings.SplitN(part, "h", 2)[0], ",")
		out = append(out, [2]float64{parse(x), parse(y)})
	}
	return out
}

// TestTileMap: each cell has one color of its size and sign. A cell whose interval contains 0 is hatched, one without
// records is empty, and the second row is above the first.
func TestTileMap(t *testing.T) {
	s := madePair(3, 2, func(k int) Coefficient {
		return []Coefficient{{Value: 0.8, Half: 0.1}, {Value: -0.8, Half: 0.1}, {Value: 0.1, Half: 0.05}, {Value: -0.3, Half: 0.4}, {Value: math.NaN(), Half: 1}, {Value: 5, Half: 0.1}}[k]
	})
	s.Shares = []float64{0.3, 0.2, 0.2, 0.2, 0.1, 0.01}
	m := newTileMap(s, 1)
	got := map[string]int{}
	for _, tile := range m.Tiles {
		got[tile.Class] = len(boxes(tile.Path))
	}
	if got["tile rises4"] != 1 || got["tile falls4"] != 1 || got["tile rises1"] != 1 || got["hatch falls2"] < 2 || len(m.Tiles) != 4 || len(boxes(m.Hollow)) != 1 {
		t.Errorf("got %v and %d hollow cells, want three full cells, one hatched one and two empty ones", got, len(boxes(m.Hollow)))
	}
	if !m.Hidden || !m.Empty || m.Scale[0].Text != "−0.8" || m.Scale[4].Text != "+0.8" || m.Effect != "effect 1" {
		t.Errorf("got %+v, want a legend from −0.8 to 0.8", m)
	}
	low, high := boxes(m.Tiles[0].Path)[0], boxes(m.Hollow)[0]
	if m.Tiles[0].Class != "tile falls4" || !(low[1] > high[1]) || !(low[0] > high[0]) {
		t.Errorf("the second cell is at %v and the fourth one at %v, want it lower and farther right", low, high)
	}
	if len(m.Values.Rows) != 4 || m.Values.Rows[3][0] != "0, 1" || m.Values.Rows[3][3] != "20.0 %" {
		t.Errorf("got the table %v", m.Values.Rows)
	}
	if want := "The largest change is +0.8000 at 0, 0, the least −0.8000 at 1, 0. In 1 of 4 cells the change may be noise alone."; !strings.Contains(m.Words, want) {
		t.Errorf("got %q, want %q", m.Words, want)
	}
	if equal := newTileMap(madePair(2, 2, func(int) Coefficient { return Coefficient{} }), 1); equal.Empty || equal.Hidden || len(equal.Tiles) != 1 {
		t.Errorf("of zeros got %+v", equal)
	}
}

// TestMapLabels: labels are within the view box and do not overlap, for sides of few and many numbers and levels.
func TestMapLabels(t *testing.T) {
	named := func(n, letters int) Side {
		s := Side{Name: strings.Repeat("name ", 20)}
		for k := range n {
			s.States = append(s.States, strings.Repeat("W", letters)+strconv.Itoa(k))
		}
		return s
	}
	ranged := func(n int, first float64, aside int) Side {
		s := Side{Name: "number", Aside: aside, Ends: []float64{first}}
		for k := range n {
			s.States, s.Ends = append(s.States, "range"), append(s.Ends, first+float64(k+1)*1e4/float64(n))
		}
		for range aside {
			s.States = append(s.States, "missing")
		}
		return s
	}
	sides := []Side{named(1, 1), named(2, 30), named(41, 8), named(20, 0), ranged(1, 0, 0), ranged(2, -5, 1), ranged(16, 1e6, 1), ranged(32, -125, 0), ranged(11, 0, 1)}
	for _, across := range sides {
		for _, up := range sides {
			s := Shape{Name: "pair", Pair: &Pair{Across: across, Up: up}}
			for k := range len(across.States) * len(up.States) {
				s.States = append(s.States, Coefficient{Value: float64(k%7) - 3})
			}
			m := newTileMap(s, 1)
			type area struct {
				left, right, top, bottom float64
				text                     string
			}
			var all []area
			for _, l := range m.Labels {
				x, y, long := parse(l.X), parse(l.Y), roomOf(l.Text)
				if l.Text == across.Name || strings.HasPrefix(l.Text, "name name") || l.Text == "number" {
					long *= 0.7 // of small letters
				}
				a := area{x, x + long, y - 10, y + 2, l.Text}
				switch {
				case l.Turned:
					a = area{x - 10, x + 2, y, y + long, l.Text}
				case l.Anchor == "middle":
					a.left, a.right = x-long/2, x+long/2
				case l.Anchor == "end":
					a.left, a.right = x-long, x
				}
				if a.left < 0 || a.right > 400.5 || a.bottom > parse(m.High) {
					t.Errorf("%d × %d: the label %q is at %v, want it within 400 × %s", len(across.States), len(up.States), l.Text, a, m.High)
				}
				for _, b := range all {
					if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
						t.Errorf("%d × %d: the labels %v and %v overlap", len(across.States), len(up.States), a, b)
					}
				}
				all = append(all, a)
			}
			for k := range min(maxSide, len(across.States)) {
				want := newMapped(s).across.label(k)
				if across.Ends == nil && !slices.ContainsFunc(m.Labels, func(l mapLabel) bool { return l.Text == want }) {
					t.Errorf("%d × %d: no label is %q", len(across.States), len(up.States), want)
				}
			}
		}
	}
}

// TestMapsOfPairs: pairs of coordinates are drawn first, and of other pairs those with an effect. At most maxMaps are.
// The others stand in the table, as pairs whose cells are not those of their sides.
func TestMapsOfPairs(t *testing.T) {
	var all []Shape
	for k := range maxMaps + 2 {
		s := madePair(2, 2, func(int) Coefficient { return Coefficient{Value: 0.1} })
		s.Name, s.Effect = fmt.Sprint("pair ", k), float64(maxMaps+1-k)
		if k == maxMaps+1 {
			s.Name, s.Pair.Point = "point", true
		}
		all = append(all, s)
	}
	number := 0
	got := newShapes(all, &number)
	if len(got.Maps) != maxMaps || got.Maps[0].Title != "point" || got.Maps[1].Title != "pair 0" || len(got.Rest.Rows) != 2 || got.Rest.Rows[0][0] != fmt.Sprint("pair ", maxMaps-1) || got.Rest.Rows[0][3] != "2" {
		t.Errorf("got the maps %v and the table %v", got.Maps, got.Rest)
	}
	all[0].States, all[1].Effect = all[0].States[1:], 0
	if !got.Clear || !got.Points || newShapes(all[maxMaps+1:], &number).Clear {
		t.Errorf("got %v and %v, want maps of a point and of pairs with effects", got.Points, got.Clear)
	}
	if got = newShapes(all[:2], &number); got.Points || len(got.Maps) != 0 || len(got.Rest.Rows) != 2 || got.Rest.Rows[1][3] != "–" {
		t.Errorf("got %d maps of a pair without all cells, and of one without an effect", len(got.Maps))
	}
}

// TestManyStates: a side has the levels with the most records, in their order, and an unknown level only with records.
func TestManyStates(t *testing.T) {
	s := Shape{Name: "pair", Pair: &Pair{Up: Side{Name: "b", States: []string{"x"}}}}
	for k := range maxSide + 3 {
		s.Pair.Across.States = append(s.Pair.Across.States, fmt.Sprint("level ", k))
		s.States, s.Shares = append(s.States, Coefficient{Value: 1}), append(s.Shares, float64(k%(maxSide+2)))
	}
	s.Pair.Across.Aside = 1 // without records
	m := newMapped(s)
	if got := m.across.shown; len(got) != maxSide || !slices.IsSorted(got) || got[0] != 2 || got[len(got)-1] != maxSide+1 || newTileMap(s, 1).Left != "2 rarer levels are not drawn" {
		t.Errorf("got the levels %v and %q", got, newTileMap(s, 1).Left)
	}
}
