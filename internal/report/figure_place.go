package report

// placement finds room for the texts of marks in a panel whose origin is at the lower left.
type placement struct {
	width, high float64
	taken       []box        // texts that stand already
	points      [][2]float64 // what should not be covered
}

// box is a rectangle.
type box struct{ left, low, width, high float64 }

// newPlacement knows the points of the curves, in between too, and the marks.
func newPlacement(p drawnPanel, width, high float64) *placement {
	out := &placement{width: width, high: high}
	place := func(x, y float64) [2]float64 { return [2]float64{width * p.X.place(x), high * p.Y.place(y)} }
	const between = 4
	for _, s := range p.Series {
		for i, at := range s.Points {
			here := place(at.X, at.Y)
			out.points = append(out.points, here)
			if i == 0 || !s.Joined {
				continue
			}
			before := place(s.Points[i-1].X, s.Points[i-1].Y)
			for k := 1.0; k < between; k++ {
				out.points = append(out.points, [2]float64{before[0] + (here[0]-before[0])*k/between, before[1] + (here[1]-before[1])*k/between})
			}
		}
	}
	for _, m := range p.Marks {
		out.points = append(out.points, place(m.X, m.Y))
	}
	return out
}

// put chooses the place of a text next to a point. It prefers to cover curves over covering other
// texts or leaving the panel, and covers as little as possible.
func (p *placement) put(x, y, width, high float64) box {
	const gap = 7
	best, least := box{}, -1.0
	for _, ring := range []float64{1, 2.4, 4} {
		for _, side := range [][2]float64{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			centre := [2]float64{x + side[0]*(width/2+gap), y + side[1]*ring*(high/2+gap*0.7)}
			b := box{centre[0] - width/2, centre[1] - high/2, width, high}
			b.left = max(2, min(b.left, p.width-width-2))
			b.low = max(1, min(b.low, p.high-high-1))
			if cost := p.cost(b) + ring/10; least < 0 || cost < least {
				best, least = b, cost
			}
		}
	}
	p.taken = append(p.taken, best)
	return best
}

// cost counts what a box covers.
func (p *placement) cost(b box) float64 {
	cost := 0.0
	for _, other := range p.taken {
		if b.left < other.left+other.width && other.left < b.left+b.width && b.low < other.low+other.high && other.low < b.low+b.high {
			cost += 100
		}
	}
	for _, at := range p.points {
		if at[0] > b.left-2 && at[0] < b.left+b.width+2 && at[1] > b.low-2 && at[1] < b.low+b.high+2 {
			cost++
		}
	}
	return cost
}
