package mechanism

import (
	"sync"
	"time"
)

// tryEvery is after how many parts of a file the slower way is tried again.
const tryEvery = 32

// pace remembers how fast parts of a file were done in each of two ways, seen in place and copied. Which is
// faster hangs on the operating system: pages of a few KB take longer to show than to copy, large ones do
// not. Both ways give the same bits. It is safe for concurrent use.
type pace struct {
	lock  sync.Mutex
	took  [2]float64 // ns a byte, near the median; 0: not known
	parts int
}

// Ways of a pace.
const (
	copied = iota
	inPlace
)

// next returns the way for the next part.
func (p *pace) next() int {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.parts++
	faster := inPlace
	if p.took[copied] < p.took[inPlace] {
		faster = copied
	}
	if p.parts%tryEvery == 0 {
		return 1 - faster
	}
	return faster
}

// note takes how long n bytes took in a way. It moves what is remembered by a sixteenth toward it, so that
// what lasts long for other reasons counts little.
func (p *pace) note(way, n int, lasted time.Duration) {
	if n == 0 {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	switch v, old := float64(lasted)/float64(n), p.took[way]; {
	case old == 0:
		p.took[way] = v
	case v < old:
		p.took[way] = max(v, old*15/16)
	default:
		p.took[way] = min(v, old*17/16)
	}
}
