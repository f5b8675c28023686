package release

import (
	"fmt"
	"sync"

	"github.com/ditherml/dither/internal/release/internal/sample"
)

// Rotation draws one sample after the other, going round the parts of the records.
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

// Rotate divides this many records, each by a draw of its own, and returns what draws the samples.
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

// Draw draws the sample of the next part, from a stream of its own. The sample before must have
// been released: of two samples of one part nobody may choose.
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
