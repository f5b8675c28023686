package rows

import (
	"sync"
	"time"
)

const (
	// tryEvery is after how many parts of a file the slower way is tried again, at first. Each time
	// that nothing comes of it the next try is after twice as many, up to rarelyEvery.
	tryEvery, rarelyEvery = 32, 256
	// worthSeeing is what share of the time of copies blocks in place may take to be preferred:
	// where both take the same time on each processor, all of them together copy faster. Giving
	// views back takes messages to all processors.
	worthSeeing = 0.9
)

// Pace remembers how fast parts of a file were done in each of two ways, seen in place and copied.
// Which is faster depends on the operating system: pages of a few KB take longer to show than to
// copy, large ones do not. Both ways give the same bits. It is safe for concurrent use.
type Pace struct {
	lock  sync.Mutex
	Took  [2]float64 // ns a byte, near the least; 0: not known
	best  int        // the way that was faster when it was looked at last
	wait  int        // parts between tries
	since int        // parts since the last try
}

// Ways of a pace.
const (
	Copied = iota
	InPlace
)

// next returns the way for the next part.
func (p *Pace) next() int {
	p.lock.Lock()
	defer p.lock.Unlock()
	for way, took := range p.Took {
		if took == 0 {
			return way // not known yet
		}
	}
	best := Copied
	if p.Took[InPlace] < worthSeeing*p.Took[Copied] {
		best = InPlace
	}
	if best != p.best || p.wait == 0 {
		p.best, p.wait, p.since = best, tryEvery, 0
	}
	if p.since++; p.since < p.wait {
		return best
	}
	p.wait, p.since = min(2*p.wait, rarelyEvery), 0
	return 1 - best
}

// note takes how long n bytes took in a way. What is remembered is the least, and grows by at most
// a sixteenth at a time: parts last longer for other reasons, but not shorter.
func (p *Pace) note(way, n int, lasted time.Duration) {
	if n == 0 {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	v := float64(lasted) / float64(n)
	if old := p.Took[way]; old > 0 {
		v = min(v, old*17/16)
	}
	p.Took[way] = v
}
