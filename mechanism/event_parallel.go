package mechanism

import (
	"fmt"

	"github.com/ditherml/dither/privacy"
)

// Parallel is several events, each on its own part of the records. The part of each record is drawn
// once, independently of everything else. The draw depends on the record's place in the data set,
// not on its content. Later events may depend on the outputs of earlier events.
//
// A Parallel costs as much as the most expensive of its events. The proof is:
//
//   - Given the parts, neighbors differ in one part only.
//   - So the outputs of the other events are post-processing of that part's output.
//   - The hockey-stick divergence is jointly convex.
//   - So δ(ε) is at most the mean of the events' δ(ε), over the distribution of the record's part.
//   - The mean is at most the maximum.
//
// McSherry, "Privacy Integrated Queries", SIGMOD 2009, theorem 4, proves the case in which the
// content of a record determines its part. In that case a replaced record could change its part, so
// two events would count under replace-one.
type Parallel []Event

// String returns text such as "parallel(gaussian(3), k-norm(2))".
func (p Parallel) String() string {
	arguments := make([]any, len(p))
	for i, e := range p {
		arguments[i] = e
	}
	return call("parallel", arguments...)
}

func (p Parallel) check() error {
	if len(p) == 0 {
		return fmt.Errorf("mechanism: parallel() has no event, want at least one")
	}
	return nil
}

func (Parallel) unproved(privacy.Neighboring) string { return "" }
func (p Parallel) parts() []Event                    { return p }

func (p *eventParser) parallel() Event {
	s := Parallel{}
	for p.more() {
		s = append(s, p.part())
	}
	return s
}
