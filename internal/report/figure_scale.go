package report

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
)

// scale is the range of an axis. Low is less than High, and above 0 where Log is set.
type scale struct {
	Low, High float64
	Log       bool
	// Knots are values at equal distances from Low to High, if the axis is not even. They grow.
	Knots []float64
	// Room is how many letters fit along the axis, 0 for any number.
	Room int
}

// newScale returns a scale that holds all values with some margin. It also spans their intervals,
// as far as these are not much wider than the values. So one wild interval does not flatten every
// curve. A linear axis begins at 0 where the values come near it. The axis must be able to hold all
// values.
func newScale(values, around []float64, log bool) scale {
	s := scale{Low: math.Inf(1), High: math.Inf(-1), Log: log}
	for _, v := range values {
		s.Low, s.High = min(s.Low, s.forward(v)), max(s.High, s.forward(v))
	}
	if !(s.Low <= s.High) {
		s.Low, s.High = 0, 1
	}
	room := max(s.High-s.Low, s.alone())
	low, high := s.Low-room, s.High+room
	for _, v := range around {
		v = s.forward(v)
		s.Low, s.High = max(low, min(s.Low, v)), min(high, max(s.High, v))
	}
	fromZero := !log && s.Low >= 0 && s.Low < 0.4*s.High
	room = 0.05 * (s.High - s.Low)
	if s.High-s.Low <= 1e-9*math.Abs(s.High) {
		room = s.alone()
	}
	s.Low, s.High = s.Low-room, s.High+room
	if fromZero {
		s.Low = 0
	}
	if log {
		s.Low, s.High = max(math.Exp(s.Low), leastEnd), min(math.Exp(s.High), greatestEnd)
	}
	return s
}

// leastEnd and greatestEnd are the ends of the widest logarithmic axis: room around the largest
// values would have no end.
const leastEnd, greatestEnd = 1e-305, 1e305

// alone is the room around a value that stands alone, on an even axis.
func (s scale) alone() float64 {
	if s.Log {
		return math.Ln10 / 2
	}
	if size := max(math.Abs(s.Low), math.Abs(s.High)); size > 0 {
		return size / 2
	}
	return 1
}

// forward is the value on an even axis: its logarithm where the axis is logarithmic.
func (s scale) forward(v float64) float64 {
	if s.Log {
		return math.Log(v)
	}
	return v
}

// knotRoom is the room before the lower end of an axis with knots. The room after the upper end is
// seven times as much, for half of the label of a large number.
const knotRoom = 0.01

// place is where a value stands between the ends, from 0 to 1.
func (s scale) place(v float64) float64 {
	if s.Knots != nil {
		last := len(s.Knots) - 1
		k := min(last, max(1, sort.SearchFloat64s(s.Knots, v)))
		share := (float64(k-1) + (v-s.Knots[k-1])/(s.Knots[k]-s.Knots[k-1])) / float64(last)
		return knotRoom + (1-8*knotRoom)*min(1, max(0, share))
	}
	low, high := s.forward(s.Low), s.forward(s.High)
	return min(1, max(0, (s.forward(v)-low)/(high-low)))
}

// holds reports whether the axis can show a value at all.
func (s scale) holds(v float64) bool {
	return finite(v) && (v >= 1/largest || !s.Log)
}

// Ticks returns the marks of an axis: round numbers, or powers of ten with their parts between.
func (s scale) Ticks(low, high float64) []tick {
	ticks := evenTicks(low, high, figureTicks)
	switch {
	case s.Log:
		ticks = logTicks(low, high)
	case s.Knots != nil:
		ticks = s.apartTicks()
	}
	for times := 0; times < 3 && s.Room > 0 && letters(ticks) > s.Room; times++ {
		thin(ticks)
	}
	return ticks
}

// letters counts what labels take, each with a gap.
func letters(ticks []tick) int {
	sum := 0
	for _, t := range ticks {
		if t.Label != "" {
			sum += len([]rune(t.Label)) + 2
		}
	}
	return sum
}

// thin takes every second label away.
func thin(ticks []tick) {
	odd := false
	for i := range ticks {
		if ticks[i].Label == "" {
			continue
		}
		if odd {
			ticks[i].Label = ""
		}
		odd = !odd
	}
}

// figureTicks is more than an axis has marks: most have between four and eight.
const figureTicks = 8.5

// logTicks are marks at 1, 2, …, 9 times powers of ten. The powers are labelled, every second or
// third where there are many. Where there are few, so are 2 and 5, and round numbers where even
// these are missing.
func logTicks(low, high float64) []tick {
	every := math.Ceil((math.Log10(high) - math.Log10(low)) / 6)
	ticks := powerTicks(low, high, every, false)
	if labelled(ticks) < 3 {
		ticks = powerTicks(low, high, every, true)
	}
	if labelled(ticks) < 3 {
		return evenTicks(low, high, figureTicks)
	}
	return ticks
}

// apartTicks are marks at the lower end and at 1, 2 and 5 times powers of ten, which stand apart on an axis with
// knots. Their labels stand apart too, if the room is known. Powers of ten come first.
func (s scale) apartTicks() []tick {
	ticks := []tick{{Value: s.Low, Label: plain(s.Low)}}
	for _, digit := range []float64{1, 5, 2} {
		for power := math.Floor(math.Log10(s.High)); power >= 0; power-- {
			value := parse(strconv.FormatFloat(digit, 'f', 0, 64) + "e" + strconv.FormatFloat(power, 'f', 0, 64))
			near := func(t tick) bool {
				distance := math.Abs(s.place(value) - s.place(t.Value))
				return distance < 1/figureTicks || s.Room > 0 && distance*float64(s.Room) < float64(len(plain(value))+len(t.Label))/2+2
			}
			if value > s.Low && value <= s.High && !slices.ContainsFunc(ticks, near) {
				ticks = append(ticks, tick{Value: value, Label: plain(value)})
			}
		}
	}
	slices.SortFunc(ticks, func(a, b tick) int { return cmp.Compare(a.Value, b.Value) })
	return ticks
}

// powerTicks are marks of powers of ten and between, which are labelled at every this many powers
// and, if asked for, at 2 and 5.
func powerTicks(low, high, every float64, parts bool) []tick {
	var ticks []tick
	if !(low > 0) || math.IsInf(high, 1) {
		return nil
	}
	last := math.Ceil(math.Log10(high))
	for power := math.Floor(math.Log10(low)); power <= last; power++ {
		for digit := 1.0; digit <= 9; digit++ {
			value := parse(strconv.FormatFloat(digit, 'f', 0, 64) + "e" + strconv.FormatFloat(power, 'f', 0, 64))
			if value < low*(1-1e-9) || value > high*(1+1e-9) || (every > 1 && digit > 1) {
				continue
			}
			t := tick{Value: value}
			if digit == 1 && math.Mod(power, every) == 0 || parts && (digit == 2 || digit == 5) {
				t.Label = plain(value)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// labelled counts marks with a label.
func labelled(ticks []tick) int {
	n := 0
	for _, t := range ticks {
		if t.Label != "" {
			n++
		}
	}
	return n
}
