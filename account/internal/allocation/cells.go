package allocation

import (
	"math"
	"slices"
	"sort"
)

// cells is a distribution of mean count in intervals of the line, from edge[i] to edge[i+1]; edges
// are relative to count. It holds the mass of each interval, and its first moments from the lower
// and to the upper edge. All are sums of positive terms, so they keep a relative error of a unit
// for each term.
type cells struct {
	count       float64
	edge        []float64
	q, up, down []float64
	// beyond is the mass above the last edge, and beyondUp its first moment from there.
	beyond, beyondUp float64
	infinite         float64
}

// faint is the share of the mean, or the mass, below which it may be moved to the ends of the line.
const faint = 1e-50

// newCells returns empty cells for the sum of two distributions. Half of them are narrow and near
// the mean, where sums of many terms lie. The other half are of even width in the logarithm.
func newCells(l, o law) cells {
	count := l.count + o.count
	low, high := max(-count, l.d[0]+o.d[0]), l.d[len(l.d)-1]+o.d[len(o.d)-1]
	scale := (l.spread() + o.spread()) / 10
	edges := []float64{-count, low, high * (1 + 1e-12)}
	from, to := math.Asinh(low/scale), math.Asinh(high/scale)
	for i := 1; i < fine/2; i++ {
		edges = append(edges, scale*math.Sinh(from+(to-from)*float64(i)/(fine/2)))
	}
	// The least sum above 0.
	least := count + low
	for i := 0; least <= 1e-300 && i < 2; i++ {
		least = max(count+l.d[i]+o.d[1], count+l.d[1]+o.d[i])
	}
	if least > 0 {
		from, to = math.Log(least), math.Log(count+high)
		for i := range fine / 2 {
			edges = append(edges, math.Exp(from+(to-from)*float64(i)/(fine/2))-count)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	n := len(edges) - 1
	return cells{count: count, edge: edges, q: make([]float64, n), up: make([]float64, n), down: make([]float64, n)}
}

// spread returns E|d|.
func (l law) spread() float64 {
	sum := 0.0
	for i, d := range l.d {
		sum += l.q[i] * math.Abs(d)
	}
	return sum
}

// find returns the cell of a place.
func (c *cells) find(d float64) int {
	i := sort.SearchFloat64s(c.edge, d) - 1
	return min(max(i, 0), len(c.edge)-2)
}

// law returns the distribution after joining fine cells and putting the mass of each result on
// nodes. Within a result the mass below and the share of the mean above change by a small part.
func (c *cells) law(kind Kind) law {
	left, right := c.tails()
	l := law{kind: kind, count: c.count, infinite: c.infinite}
	b := builder{law: &l}
	last := len(c.q)
	for last > 1 && right[last-1] < faint*c.count {
		last--
	}
	start := 0
	for i := 1; i <= last; i++ {
		if i < last && !(grown(left[start], left[i]) || grown(right[i], right[start])) {
			continue
		}
		b.cell(c, start, i)
		start = i
	}
	b.top(c, last)
	return l
}

// tails returns, for each edge, the mass below and the share of the mean above.
func (c *cells) tails() (left, right []float64) {
	n := len(c.q)
	left, right = make([]float64, n+1), make([]float64, n+1)
	for i := range n {
		left[i+1] = left[i] + c.q[i]
	}
	right[n] = c.beyondUp + c.beyond*(c.count+c.edge[n])
	for i := n - 1; i >= 0; i-- {
		right[i] = right[i+1] + c.up[i] + c.q[i]*(c.count+c.edge[i])
	}
	return left, right
}

// grown reports whether a tail that grows from less to more grows enough for a cell to end there:
// by a 50th where it is large, by more where it is rare.
func grown(less, more float64) bool {
	if more < faint {
		return false
	}
	return !(math.Log(more/less) <= 0.02-0.004*math.Log(min(1, more)))
}

// builder puts cells on the nodes of a distribution, from the left.
type builder struct{ law *law }

// put adds mass to a node at or right of the last.
func (b builder) put(d, q float64) {
	if q <= 0 {
		return
	}
	l := b.law
	if n := len(l.d); n > 0 && l.d[n-1] >= d {
		l.q[n-1] += q
		return
	}
	l.d, l.q = append(l.d, d), append(l.q, q)
}

// cell puts the fine cells from first to before last on nodes, as one.
func (b builder) cell(c *cells, first, last int) {
	low, high := c.edge[first], c.edge[last]
	var q, up, down float64
	for i := first; i < last; i++ {
		q += c.q[i]
		up += c.up[i] + c.q[i]*(c.edge[i]-low)
		down += c.down[i] + c.q[i]*(high-c.edge[i+1])
	}
	if q == 0 {
		return
	}
	if b.law.kind == Lower {
		b.put(min(max(low+up/q, low), high), q)
		return
	}
	b.put(low, down/(high-low))
	b.put(high, up/(high-low))
}

// top puts the mass above the edge last on that edge and at infinity, or on its mean.
func (b builder) top(c *cells, last int) {
	low := c.edge[last]
	q, up := c.beyond, c.beyondUp+c.beyond*(c.edge[len(c.edge)-1]-low)
	for i := last; i < len(c.q); i++ {
		q += c.q[i]
		up += c.up[i] + c.q[i]*(c.edge[i]-low)
	}
	if q == 0 {
		return
	}
	if b.law.kind == Lower {
		b.put(low+up/q, q)
		return
	}
	b.put(low, q)
	b.law.infinite += up
}
