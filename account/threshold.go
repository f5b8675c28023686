package account

import (
	"math"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
)

// withThresholds returns an event for the price of a group of this many records k. In it, each
// threshold is a statement that assumedGroup prices right. It reports false where no price is
// known.
//
// A release of names (internal/release.PartitionTerms) costs its noise. With a probability of δ,
// it also costs the name of a record that no other record has. This threshold is no release of its
// own: the records of a group may have one name in common. That name passes the threshold with more
// than k·δ, since its count is k times as large. So a statement of (0, δ) after noise is taken for
// such a threshold (see passing). That is never less than the k·δ of a statement by itself. A
// statement in a sequence without noise before it has no price here.
func withThresholds(e mechanism.Event, records int) (mechanism.Event, bool) {
	if records == 1 {
		return e, true
	}
	switch e := e.(type) {
	case mechanism.Sequence:
		out := make(mechanism.Sequence, len(e))
		for i, part := range e {
			known := true
			if d, threshold := part.(mechanism.AssumedDP); threshold && d.Epsilon == 0 && d.Delta > 0 {
				if i == 0 {
					return e, false
				}
				d.Delta, known = passing(e[i-1], d.Delta, records)
				d.Delta /= float64(records)
				out[i] = d
			} else {
				out[i], known = withThresholds(part, records)
			}
			if !known {
				return e, false
			}
		}
		return out, true
	case mechanism.Repeat:
		inner, known := withThresholds(e.Event, records)
		return mechanism.Repeat{Event: inner, Count: e.Count}, known
	case mechanism.Partition:
		inner, known := withThresholds(e.Event, records)
		return mechanism.Partition{Parts: e.Parts, Event: inner}, known
	case mechanism.BandedMatrix:
		// Records of a group stand in different parts, and their rows meet. All of them move at
		// most k times as much as one. But there is no proof here that their samples are worth no
		// more than samples of one part.
		return e, e.Probability == 1
	}
	return e, true
}

// passing returns a bound on the probability that any name is released that only a group of k
// records has. For one record's names it is at most δ. It reports false for noise without a known
// bound.
//
// The threshold lies a tail of δ above the rows of one record, and the rows of the group are at
// most k-1 bounds more. As in internal/release.PartitionTerms, the tail is convex below the
// threshold. So the worst case is all rows under one name, or each row under its own. In the second
// case they pass with at most k·δ.
func passing(noise mechanism.Event, delta float64, records int) (float64, bool) {
	k, together := float64(records), 0.0
	switch noise := noise.(type) {
	case mechanism.Gaussian:
		below := special.BisectLog(1e-12, 64, 1e-12, func(x float64) bool { return special.NormalCDF(-x) > delta }) * (1 - 1e-9)
		together = special.NormalCDF((k-1)/noise.NoiseMultiplier - below)
	case mechanism.KNorm:
		together = delta * math.Exp((k-1)/noise.NoiseMultiplier)
	default:
		return 0, false
	}
	if !(together < 0.5) || delta >= 0.5 { // beyond the threshold the tail is not convex
		return 1, true
	}
	return min(1, max(together, k*delta)*(1+1e-9)), true
}
