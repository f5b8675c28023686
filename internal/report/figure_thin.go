package report

import (
	"slices"

	"github.com/ditherml/dither/internal/figure"
)

// mostPoints is the largest number of points of a curve that are drawn one by one, and thinStrips
// the number of strips of a panel. A longer curve keeps a few points of each strip. A strip is
// about two pixels wide, so the kept points cover those that are left out.
const mostPoints, thinStrips = 1000, 160

// thinned leaves out points of a long curve whose points grow in X. Within one strip of the panel
// it keeps the first, the last, the lowest and the highest point. It also keeps the ends of the
// widest intervals. These are at most six of a strip, and at most 966 in all. So every extreme
// stays, and the curve with all its points runs within one strip of the drawn curve. A curve of at
// most mostPoints points stays complete.
func (p drawnPanel) thinned(points []figure.Point) []figure.Point {
	if len(points) <= mostPoints {
		return points
	}
	strip := func(i int) int { return int(p.X.place(points[i].X) * thinStrips) }
	var out []figure.Point
	for from := 0; from < len(points); {
		to := from + 1
		for to < len(points) && strip(to) == strip(from) {
			to++
		}
		out = append(out, outermost(points[from:to])...)
		from = to
	}
	return out
}

// outermost are the first and the last of some points and the extremes of their values and
// intervals, in order.
func outermost(points []figure.Point) []figure.Point {
	kept := make([]int, 6)
	low, high, least, most := &kept[0], &kept[1], &kept[2], &kept[3]
	kept[5] = len(points) - 1
	for i, p := range points {
		if p.Y < points[*low].Y {
			*low = i
		}
		if p.Y > points[*high].Y {
			*high = i
		}
		if p.Low < points[*least].Low {
			*least = i
		}
		if p.High > points[*most].High {
			*most = i
		}
	}
	slices.Sort(kept)
	var out []figure.Point
	for _, i := range slices.Compact(kept) {
		out = append(out, points[i])
	}
	return out
}
