package release

import (
	"fmt"
	"sync"

	"github.com/ditherml/dither/internal/release/internal/sample"
)

// Rotation draws samples of the parts of the records, one after the other, and begins again after
// the last part.
type Rotation struct {
	sampling Sampling
	parts    int
	coin     float64 // the probability with which a part takes a record of its own
	series   bool    // a Series draws the samples
	steps    int     // how many samples there are at most; 0: no end
	records  int
	members  [][]int // of each part, ascending
	round    *rounds

	mu   sync.Mutex
	next int    // how many samples were drawn
	last *drawn // nil before the first
}

// Rotate divides the records into parts, by an independent draw for each record. It returns the
// Rotation that draws samples of the parts.
func Rotate(s Sampling, records int) (*Rotation, error) {
	if records < 0 {
		return nil, errNegative
	}
	parts, q, err := partsOf(s)
	if err != nil {
		return nil, err
	}
	return &Rotation{sampling: s, parts: parts, coin: q, records: records, members: divide(records, parts), round: &rounds{parts: parts}}, nil
}

// Draw returns a sample of the next part, drawn from its own random stream. The previous sample
// must have been released. Otherwise a caller could draw two samples of one part and choose one.
func (r *Rotation) Draw() (Sample, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && !r.last.released.Load() {
		return Sample{}, fmt.Errorf("release: sample %d of the rotation was not released, want its release before the next is drawn", r.next)
	}
	if r.steps > 0 && r.next >= r.steps {
		return Sample{}, fmt.Errorf("release: all %d samples of the rotation were drawn, want no more", r.steps)
	}
	part := r.next % r.parts
	members := r.members[part]
	if r.coin != 1 {
		members = entriesAt(members, sample.NewStream().Poisson(nil, len(members), threshold(r.coin)))
	}
	r.last = &drawn{sampling: r.sampling, records: r.records, once: true, series: r.series, part: part, round: r.round}
	r.last.take(members)
	r.next++
	return Sample{r.last}, nil
}

// latest returns the last sample that was drawn, nil before the first.
func (r *Rotation) latest() *drawn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}
