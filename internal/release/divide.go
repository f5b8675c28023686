package release

import (
	"fmt"

	"github.com/ditherml/dither/internal/release/internal/sample"
)

// Divide divides the records of a sample into groups. Each record is in one group, drawn uniformly
// and independently of everything else. The first result is a sample whose records are the groups;
// it is for a VectorSum with one vector for each group. The second result lists the records of each
// group, ascending. The list is private, and only for gradient code. The vector that is proposed
// for a group must depend only on the records of that group and on released values.
//
// Adding or removing a record changes one group, whose vector may change arbitrarily. So the sum
// over groups may change by twice the largest norm of a vector. Therefore the sum limits each
// vector to half of its Bound, and one record changes the sum by at most Bound. Replacing a record
// changes one group too, so the sum also changes by at most Bound. Accountants count twice that.
//
// A release from the groups counts as the release from the sample. There is only one release from a
// drawn sample.
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
