package noise

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/ditherml/dither/internal/parallel"
)

// ruler is a way to make a number of a random word: the word times one of the widths, over 2^64,
// is the magnitude, in units of 2^-Fine standard deviations; the grid then keeps fewer bits. A
// ziggurat has the widths of its layers. Two numbers of one word have one share of their widths.
type ruler struct {
	name   string
	widths []uint64 // in a search they fall
	fine   uint
}

// proportions is a ruler of small ratios: one number times a ratio of small integers is another.
func proportions() ruler {
	r := ruler{name: "small ratios", fine: fineBits}
	for k := uint64(1); k <= 12; k++ {
		r.widths = append(r.widths, k<<(fineBits+1))
	}
	return r
}

// fineBits is how fine a ruler of this package is.
const fineBits = 54

// shares finds numbers that may have come from one random word, in pieces of numbers, whatever
// their places in the piece are. A share is what a number is of one width, in units of 2^-64.
type shares struct {
	ruler
	bits        uint     // the grid's standard deviation is 2^bits
	reciprocals []uint64 // of the widths, between 2^63 and 2^64
	lengths     []uint   // of the widths, in bits
	slacks      []uint64 // how far off a share of each width may be
	// parts hold an entry for each number and width: the upper bits of a share, then the number's
	// place and the width. Every share of a part is below every share of the next one.
	parts   [1 << partBits][]uint64
	sorted  []uint64
	buckets []uint32
	groups  []int32 // of each number: another one of its group, or itself
}

const (
	// partBits is how many bits of a share name its part. A part is small enough for the caches of a processor.
	partBits = 6
	// placeBits and widthBits are for the place of a number in its piece, and for the width.
	placeBits, widthBits = 12, 9
	tagBits              = placeBits + widthBits
)

// newShares returns a search in numbers of a grid. A share is known up to half a cell of the grid,
// one unit of the ruler, and rounding.
func newShares(r ruler, gridBits uint) *shares {
	r.widths = slices.SortedFunc(slices.Values(r.widths), func(a, b uint64) int { return cmp.Compare(b, a) })
	s := &shares{ruler: r, bits: gridBits}
	for _, w := range r.widths {
		length := uint(bits.Len64(w))
		reciprocal, _ := bits.Div64(1<<(length-1)-1, math.MaxUint64, w) // (2^(63+length)-1)/w
		slack, _ := bits.Div64(s.cell()/2+1, 0, w)
		s.reciprocals, s.lengths, s.slacks = append(s.reciprocals, reciprocal), append(s.lengths, length), append(s.slacks, slack+4)
	}
	return s
}

// cell returns the width of the grid, in units of the ruler.
func (s *shares) cell() uint64 { return 1 << (s.fine - s.bits) }

// chance returns an upper bound on the probability that two independent numbers are equal, given
// either of them. No magnitude has more than this mass. Take the widths v of the given number and w
// of the other. The other's share is at most 2 above what is computed, and so in an interval of
// 2·(slack_v + slack_w) + 2. The other then lies in an interval of that times w units. Such an
// interval meets one cell more than fit into it.
func (s *shares) chance(mass float64) float64 {
	sum := 0.0
	for k := range s.widths {
		for l, w := range s.widths {
			sum += math.Ldexp(2*float64(s.slacks[k]+s.slacks[l]+1)*float64(w), -64)/float64(s.cell()) + 1
		}
	}
	return sum * mass
}

// forest returns the distances of the edges of a forest. An edge joins two numbers of a piece that
// one word may have made, and the forest joins what all such pairs join. So the number of edges is
// the rank of the graph of all such pairs: how many numbers could be left out so that no pair is left.
func (s *shares) forest(piece []int64) (distances []int) {
	s.fill(piece)
	s.sort()
	s.groups = slices.Grow(s.groups[:0], len(piece))[:len(piece)]
	for i := range s.groups {
		s.groups[i] = int32(i)
	}
	far := slices.Max(s.slacks)*2>>tagBits + 1
	for i, a := range s.sorted {
		for _, b := range s.sorted[i+1:] {
			if b>>tagBits-a>>tagBits > far {
				break
			}
			if s.match(piece, a, b) && s.join(place(a), place(b)) {
				distances = append(distances, int(max(place(a), place(b))-min(place(a), place(b))))
			}
		}
	}
	return distances
}

// match reports whether two entries are of two numbers and have one share, as far as it is known.
func (s *shares) match(piece []int64, a, b uint64) bool {
	k, l := a&(1<<widthBits-1), b&(1<<widthBits-1)
	first, second := s.share(piece[place(a)], int(k)), s.share(piece[place(b)], int(l))
	return place(a) != place(b) && max(first, second)-min(first, second) <= s.slacks[k]+s.slacks[l]
}

// join joins the groups of two numbers, and reports whether they were two.
func (s *shares) join(i, j int32) bool {
	for s.groups[i] != i {
		i = s.groups[i]
	}
	for s.groups[j] != j {
		j = s.groups[j]
	}
	s.groups[max(i, j)] = min(i, j)
	return i != j
}

// place returns the place of the number of an entry.
func place(entry uint64) int32 { return int32(entry >> widthBits & (1<<placeBits - 1)) }

// share returns the share of a number of the k-th width, at most 2 units too small. The magnitude
// is below the width.
func (s *shares) share(v int64, k int) uint64 {
	magnitude := uint64(max(v, -v)) << (s.fine - s.bits)
	high, low := bits.Mul64(magnitude<<(64-s.lengths[k]), s.reciprocals[k])
	return high<<1 | low>>63
}

// fill computes the shares of a piece.
func (s *shares) fill(piece []int64) {
	for p := range s.parts {
		s.parts[p] = s.parts[p][:0]
	}
	for i, v := range piece {
		magnitude := uint64(max(v, -v)) << (s.fine - s.bits)
		if magnitude == 0 {
			continue
		}
		for k, w := range s.widths {
			if magnitude >= w {
				break
			}
			value := s.share(v, k)
			part := &s.parts[value>>(64-partBits)]
			*part = append(*part, value>>tagBits<<tagBits|uint64(i)<<widthBits|uint64(k))
		}
	}
}

// sort brings the shares in ascending order.
func (s *shares) sort() {
	s.sorted = s.sorted[:0]
	for _, part := range s.parts {
		from := len(s.sorted)
		s.sorted = slices.Grow(s.sorted, len(part))[:from+len(part)]
		s.sortPart(s.sorted[from:], part)
	}
}

// sortPart writes a part in ascending order: into buckets, which leaves little to do.
func (s *shares) sortPart(dst, part []uint64) {
	bucketBits := bits.Len(uint(len(part)))
	shift := 64 - partBits - bucketBits
	s.buckets = slices.Grow(s.buckets[:0], 1<<bucketBits+1)[:1<<bucketBits+1]
	clear(s.buckets)
	mask := uint64(1)<<bucketBits - 1
	for _, a := range part {
		s.buckets[a>>shift&mask+1]++
	}
	for b := range mask {
		s.buckets[b+1] += s.buckets[b]
	}
	for _, a := range part {
		at := &s.buckets[a>>shift&mask]
		dst[*at] = a
		*at++
	}
	for i, a := range dst {
		j := i
		for ; j > 0 && dst[j-1] > a; j-- {
			dst[j] = dst[j-1]
		}
		dst[j] = a
	}
}

// checkShares looks at pieces of numbers for pairs that one word may have made. Pieces have at most
// this length. One test counts pairs, the other one looks at their distances.
func checkShares(ctx context.Context, r ruler, gridBits uint, pieces [][]int64, size int, mass float64) ([]Finding, error) {
	distances, ranks := make([][]int, len(pieces)), make([]int, len(pieces))
	parallel.Parts(len(pieces), func(from, to int) {
		s := newShares(r, gridBits)
		for i := from; i < to && ctx.Err() == nil; i++ {
			distances[i] = s.forest(pieces[i])
			ranks[i] = len(distances[i])
		}
	})
	numbers := 0
	for _, p := range pieces {
		numbers += len(p)
	}
	test, q := "one word for two numbers, "+r.name, newShares(r, gridBits).chance(mass)
	return []Finding{
		checkRanks(test, ranks, size, q),
		checkDistances(test+", at like distances", slices.Concat(distances...), numbers, size, q),
	}, ctx.Err()
}

// layersOf returns the ruler of a ziggurat of equal areas over half of the normal curve: layer 0 is
// as wide as the whole range, and each next one ends where the curve crosses its lower edge.
func layersOf(widths []uint64) ruler { return ruler{name: "layers", widths: widths, fine: fineBits} }

// longest returns how long a piece may be, so that pairs by chance stay rare.
func (s *shares) longest(mass float64) int {
	return min(1<<placeBits, 1+int(math.Sqrt(0.02/s.chance(mass))))
}
