package encoder

import "github.com/ditherml/dither/data"

// ScaleTarget returns a target mapped from its declared bounds to [-1, 1]. Values outside are moved
// to the bounds, and NaN stays NaN.
func ScaleTarget(t data.Target, v float64) float64 {
	return max(-1, min(1, (2*v-t.Lower-t.Upper)/(t.Upper-t.Lower)))
}

// UnscaleTarget returns a number of [-1, 1] mapped to the declared bounds of a target. It is the
// inverse of ScaleTarget. Numbers outside are moved to the bounds.
func UnscaleTarget(t data.Target, z float64) float64 {
	v := (t.Lower + t.Upper + float64(z*(t.Upper-t.Lower))) / 2
	return max(t.Lower, min(t.Upper, v))
}

// ClassCoordinate returns the coordinate of a class on score k of this number of scores. It is the
// ideal value of that score.
func ClassCoordinate(class, k, columns int) float64 {
	switch {
	case columns == 1:
		return float64(2*class - 1)
	case class == k:
		return 1
	}
	return 0
}
