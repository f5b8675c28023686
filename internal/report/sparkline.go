package report

import "strings"

// sparkBlocks are an eighth to eight eighths of a line's height.
var sparkBlocks = []rune("▁▂▃▄▅▆▇█")

// Sparkline returns a curve as one character a value, for terminals. The lowest block is the least
// of the values, the highest the greatest, and equal steps of blocks are equal steps of value. A
// value that is not finite is a space. Values that are all equal are in the middle. There is no
// axis: print the first and the last value next to it.
func Sparkline(values []float64) string {
	low, high := largest, -largest
	for _, v := range values {
		if finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	var b strings.Builder
	for _, v := range values {
		switch top := float64(len(sparkBlocks) - 1); {
		case !finite(v):
			b.WriteByte(' ')
		case high > low:
			b.WriteRune(sparkBlocks[int((v/2-low/2)/(high/2-low/2)*top+0.5)])
		default:
			b.WriteRune(sparkBlocks[len(sparkBlocks)/2])
		}
	}
	return b.String()
}
