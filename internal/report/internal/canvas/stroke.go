package canvas

import "math"

// outline returns polygons that cover a line: one for each straight piece of ink and one for the
// outer side of each corner. All turn the same way, so that where they overlap they fill each
// other. Next to nothing overlaps, so that edges stay soft.
func outline(points []Point, closed bool, style Line) [][]Point {
	if closed && len(points) > 1 {
		points = append(points[:len(points):len(points)], points[0])
	}
	points = distinct(points)
	half := style.Width / 2
	var out [][]Point
	for _, piece := range dashed(points, style.Dashes) {
		for k := 1; k < len(piece); k++ {
			if k > 1 {
				out = append(out, corner(piece[k-2], piece[k-1], piece[k], half))
			}
			out = append(out, bar(piece[k-1], piece[k], half))
		}
	}
	if last := len(points) - 1; closed && len(style.Dashes) == 0 && last > 1 {
		out = append(out, corner(points[last-1], points[0], points[1], half))
	}
	return out
}

// distinct leaves out points that are where the one before is, and have no direction.
func distinct(points []Point) []Point {
	var out []Point
	for _, p := range points {
		if len(out) == 0 || p != out[len(out)-1] {
			out = append(out, p)
		}
	}
	return out
}

// bar is a straight piece of a line with flat ends.
func bar(from, to Point, half float64) []Point {
	x, y := side(from, to, half)
	return []Point{{from.X + x, from.Y + y}, {to.X + x, to.Y + y}, {to.X - x, to.Y - y}, {from.X - x, from.Y - y}}
}

// side is the way from the middle of a line to its left edge.
func side(from, to Point, half float64) (x, y float64) {
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	return -half * (to.Y - from.Y) / length, half * (to.X - from.X) / length
}

// corner is the gap between two bars on the outer side of a turn, rounded.
func corner(before, at, after Point, half float64) []Point {
	x1, y1 := side(before, at, half)
	x2, y2 := side(at, after, half)
	cross := x1*y2 - y1*x2
	// The gap is on the right of a turn to the left, and goes clockwise as a bar does.
	turn := -math.Atan2(math.Abs(cross), x1*x2+y1*y2)
	if cross > 0 {
		x1, y1 = -x2, -y2
	}
	first := math.Atan2(y1, x1)
	steps := math.Ceil(-turn / (math.Pi / 6))
	out := []Point{at, {at.X + x1, at.Y + y1}}
	for i := 1.0; i <= steps; i++ {
		sin, cos := math.Sincos(first + turn*i/steps)
		out = append(out, Point{at.X + half*cos, at.Y + half*sin})
	}
	return out
}

// dashed cuts a line into its pieces of ink.
func dashed(points []Point, dashes []float64) [][]Point {
	if len(points) < 2 {
		return nil
	}
	if len(dashes) == 0 {
		return [][]Point{points}
	}
	out := [][]Point{{points[0]}}
	turn, left := 0, dashes[0]
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		length := math.Hypot(to.X-from.X, to.Y-from.Y)
		done := 0.0
		for length-done > left {
			done += left
			at := Point{from.X + (to.X-from.X)*done/length, from.Y + (to.Y-from.Y)*done/length}
			if last := len(out) - 1; turn%2 == 0 {
				out[last] = append(out[last], at)
			} else {
				out = append(out, []Point{at})
			}
			turn++
			left = dashes[turn%len(dashes)]
		}
		left -= length - done
		if last := len(out) - 1; turn%2 == 0 {
			out[last] = append(out[last], to)
		}
	}
	return out
}
