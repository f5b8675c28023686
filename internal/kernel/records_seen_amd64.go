//go:build amd64 && !noasm

package kernel

// Each of the next functions is the function of its name for the first records. It returns their
// number.

func roundBoundedVector(set instructions, dst, v, scales []float64, n2 []int64, low, high float64) (all bool, done int) {
	if done = recordsOf(set, len(dst)); done == 0 {
		return true, 0
	}
	return roundBoundedAVX512(&dst[0], &v[0], &scales[0], &n2[0], low, high, done) == 0, done
}

func shortenVector(set instructions, v, norms []float64, most float64) (done int) {
	if done = recordsOf(set, len(v)); done > 0 {
		shortenAVX512(&v[0], &norms[0], most, done)
	}
	return done
}

func measureUnitsVector(set instructions, n2 []int64, multipliers []float32, tails []int32, u UnitRows) (done int) {
	if done = recordsOf(set, len(n2)); done > 0 {
		measureUnitsAVX512(&n2[0], &multipliers[0], &tails[0], 2*uint64(u.Bits), u.Most, u.Intercept, u.Rest, done)
	}
	return done
}

func rootsTimesVector(set instructions, dst []float64, n2 []int64, units []float32) (done int) {
	if done = recordsOf(set, len(dst)); done > 0 {
		rootsTimesAVX512(&dst[0], &n2[0], &units[0], done)
	}
	return done
}

func widenVector(set instructions, dst []float64, v []float32, factor float64) (done int) {
	if done = recordsOf(set, len(dst)); done > 0 {
		widenAVX512(&dst[0], &v[0], factor, done)
	}
	return done
}

func interceptScoresVector(set instructions, dst, src, units []float32, scale float64, b AffineTerms) (done int) {
	switch done = recordsOf(set, len(dst)); {
	case done == 0:
	case b.Betas == nil:
		interceptScoresAVX512(&dst[0], &src[0], &units[0], &b.Tails[0], scale, b.Weight, done)
	default:
		centeredScoresAVX512(&dst[0], &src[0], &units[0], &b.Tails[0], &b.Betas[0], scale, b.Weight, b.Center, done)
	}
	return done
}

func dotRoundedVector(set instructions, q []float64, v []int32) (sum int64, done int) {
	if done = recordsOf(set, len(q)); done > 0 {
		sum = dotRoundedAVX512(&q[0], &v[0], done)
	}
	return sum, done
}

// The kernels take a positive multiple of 16 records. roundBoundedAVX512 returns 0 if none is in
// doubt.
//
//go:noescape
func roundBoundedAVX512(dst, v, scales *float64, n2 *int64, low, high float64, n int) (doubt uint64)

//go:noescape
func shortenAVX512(v, norms *float64, most float64, n int)

//go:noescape
func measureUnitsAVX512(n2 *int64, multipliers *float32, tails *int32, bits uint64, most, intercept, rest float64, n int)

//go:noescape
func rootsTimesAVX512(dst *float64, n2 *int64, units *float32, n int)

//go:noescape
func widenAVX512(dst *float64, v *float32, factor float64, n int)

//go:noescape
func interceptScoresAVX512(dst, src, units *float32, tails *int32, scale, weight float64, n int)

//go:noescape
func centeredScoresAVX512(dst, src, units *float32, tails, betas *int32, scale, weight, center float64, n int)

//go:noescape
func dotRoundedAVX512(q *float64, v *int32, n int) (sum int64)
