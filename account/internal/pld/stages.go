package pld

// stages carries out a plan.
func stages(items []item, p *plan) *lattice {
	if p.blocks == 1 {
		return fold(items, p.step, p.outer)
	}
	var blocks []item
	for _, v := range split(items, p.blocks) {
		l := fold(v.items, p.step, p.inner)
		if l == nil {
			return nil
		}
		blocks = append(blocks, item{lattice: l.coarsen(p.ratio), count: v.count})
	}
	return fold(blocks, p.step*float64(p.ratio), p.outer)
}

// block is a list of items that is composed with itself count times.
type block struct {
	items []item
	count int64
}

// times returns the item with another count.
func (v item) times(count int64) item {
	v.count = count
	return v
}

// split divides counts into n equal blocks, and the rest into blocks of about the same size.
func split(items []item, n int64) []block {
	var even []item
	var odd []block
	total, size := int64(0), int64(0)
	for _, v := range items {
		total += v.count
		if v.count >= n {
			even = append(even, v.times(v.count/n))
		}
	}
	size = max((total+n-1)/n, 1)
	room := int64(0)
	for _, v := range items {
		for rest := v.count % n; rest > 0; {
			if room == 0 {
				odd, room = append(odd, block{count: 1}), size
			}
			take := min(rest, room)
			last := &odd[len(odd)-1]
			last.items = append(last.items, v.times(take))
			rest, room = rest-take, room-take
		}
	}
	if even == nil {
		return odd
	}
	return append(odd, block{even, n})
}
