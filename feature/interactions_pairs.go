package feature

import "math/bits"

// summed replaces the signed features from a place on by features with their sums, without sums of 0.
func (t *interactions) summed(index []uint32, v []float64, from int) ([]uint32, []float64) {
	kept := from
	for i := from; i < len(index); {
		at, sum := index[i]>>1, 0.0
		for ; i < len(index) && index[i]>>1 == at; i++ {
			sum += t.parameters.Weight * float64(1-2*int(index[i]&1))
		}
		if sum != 0 {
			index[kept], v = at, append(v, sum)
			kept++
		}
	}
	return index[:kept], v
}

// signed returns twice the feature of a cell of a pair, and 1 more if its sign is negative.
func (t *interactions) signed(cell int) uint32 {
	if t.buckets == 0 {
		return uint32(t.pairsAt+cell) << 1
	}
	h := mixed(uint64(cell))
	return uint32(t.pairsAt+int(h>>(65-bits.Len(uint(t.buckets)))))<<1 | uint32(h&1)
}

// mixed returns the hash of a number by the finalizer of MurmurHash3. The hash of 0 is not 0.
func mixed(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
