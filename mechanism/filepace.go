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
	took  [2]float64 // ns a byte, near the least; 0: not known
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

// note takes how long n bytes took in a way. What is remembered is the least, and grows by at most a sixteenth at a
// time: parts last longer for other reasons, but not shorter.
func (p *pace) note(way, n int, lasted time.Duration) {
	if n == 0 {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	v := float64(lasted) / float64(n)
	if old := p.took[way]; old > 0 {
		v = min(v, old*17/16)
	}
	p.took[way] = v
}
