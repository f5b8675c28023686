package mechanism

import (
	"fmt"
	"sync"

	"github.com/ditherml/dither/mechanism/internal/sample"
)

// Cyclic divides the records into this many parts, as Partitioned does, and goes round them: each sample is
// of the part whose turn it is, and takes each record of it with probability q, 0 < q ≤ 1, independently
// and anew each time. Rotate draws it. A round of releases, one from each part, is the event partition(parts,
// poisson(q, …)): the record is in one part, drawn independently of all others, and pays for that alone.
func Cyclic(parts int, q float64) (Sampling, error) {
	s := Sampling{kind: samplingCyclic, parts: parts, probability: 1}
	if q != 1 {
		poisson, err := Poisson(q)
		if err != nil {
			return Sampling{}, err
		}
		s.probability, s.threshold = q, poisson.threshold
	}
	_, err := s.Price(Gaussian{1})
	return s, err
}

// priceCyclic is the event of a round of releases.
func (s Sampling) priceCyclic(e Event) Event {
	if s.threshold == 0 {
		return Partition{s.parts, e}
	}
	return Partition{s.parts, PoissonSampled{s.probability, e}}
}

// Rotation draws one sample after the other, going round the parts of the records.
type Rotation struct {
	sampling Sampling
	records  int
	members  [][]int // of each part, ascending
	turn     *rounds

	mu   sync.Mutex
	next int    // how many samples were drawn
	last *drawn // nil before the first
}

// Rotate divides this many records, each by a draw of its own, and returns what draws the samples.
func (s Sampling) Rotate(records int) (*Rotation, error) {
	if records < 0 {
		return nil, errNegative
	}
	if s.kind != samplingCyclic && s.kind != samplingSeries {
		return nil, fmt.Errorf("mechanism: sampling is %v, want a cyclic one", s)
	}
	return &Rotation{sampling: s, records: records, members: divide(records, s.parts), turn: &rounds{}}, nil
}

// Draw draws the sample of the next part, from a stream of its own. The sample before must have been
// released: of two samples of one part nobody may choose.
func (r *Rotation) Draw() (Sample, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && !r.last.released.Load() {
		return Sample{}, fmt.Errorf("mechanism: sample %d of the rotation was not released, want its release before the next is drawn", r.next)
	}
	part := r.next % r.sampling.parts
	members := r.members[part]
	if r.sampling.threshold != 0 {
		members = at(members, sample.NewStream().Poisson(nil, len(members), r.sampling.threshold))
	}
	r.last = &drawn{sampling: r.sampling, records: r.records, part: part, round: r.turn}
	r.last.take(members)
	r.next++
	return Sample{r.last}, nil
}

// drawn returns how many samples were drawn, and the last of them.
func (r *Rotation) drawn() (int, *drawn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next, r.last
}

// at returns the numbers at these places.
func at(numbers, places []int) []int {
	taken := make([]int, len(places))
	for k, i := range places {
		taken[k] = numbers[i]
	}
	return taken
}

// divide puts each record into a part drawn uniformly and independently of everything else.
func divide(records, parts int) [][]int {
	members := make([][]int, parts)
	stream := sample.NewStream()
	for i := range records {
		part := stream.Below(uint64(parts))
		members[part] = append(members[part], i)
	}
	return members
}
