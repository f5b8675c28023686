package release

import (
	"fmt"

	"github.com/ditherml/dither/internal/release/internal/sample"
)

// Divide deals the records of a sample to this many groups, each record to one, uniformly and
// independently of everything else. It returns a sample whose records are the groups, for a
// VectorSum of one vector a group, and the records of each group, ascending. These are private, and
// for gradient code only.
//
// A record that is added or removed changes one group, whose vector may then be any other: it moves
// the sum by twice the largest norm of a vector. So a sum over groups keeps each vector within half
// of its Bound, which remains what one record moves it by. Where one record replaces another in its
// place, the same group changes. The sum then moves by Bound at most; accountants count twice that.
// What is proposed for a group must depend on the records of that group and on released values
// only.
//
// A release from the groups is one from the sample: what was drawn is released from once.
func (s Sample) Divide(groups int) (Sample, [][]int, error) {
	if s.drawn == nil || s.drawn.whole != nil {
		return Sample{}, nil, fmt.Errorf("release: the sample is empty or was divided before, want one that Draw made")
	}
	if groups < 1 || groups > maxGroups {
		return Sample{}, nil, fmt.Errorf("release: groups are %d, want 1 to %d", groups, maxGroups)
	}
	members := make([][]int, groups)
	stream := sample.NewStream()
	for _, i := range s.Indices() {
		k := stream.Below(uint64(groups))
		members[k] = append(members[k], i)
	}
	return Sample{&drawn{sampling: s.drawn.sampling, records: groups, whole: s.drawn}}, members, nil
}

// maxGroups bounds the groups of a sample.
const maxGroups = 1 << 24

var errDivided = fmt.Errorf("release: the sample was divided into groups, want one that Draw made; groups are summed by VectorSum alone")
