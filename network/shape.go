package network

import (
	"fmt"
	"strings"
)

// Shape is the shape of what a layer takes or gives for one record: [features], [positions, features] or
// [height, width, channels]. The numbers of a record stand in row-major order, so that the features of one
// position stand together.
type Shape []int

// maxSize bounds the numbers that a record has at any place of a network, so that sizes do not overflow.
const maxSize = 1 << 28

// Size is how many numbers a record has: the product of s, 1 for an empty shape.
func (s Shape) Size() int {
	size := 1
	for _, n := range s {
		size *= n
	}
	return size
}

// Features is the last number of s. It panics for an empty shape.
func (s Shape) features() int { return s[len(s)-1] }

// Positions is the product of the numbers before the last, 1 when there are none.
func (s Shape) Positions() int { return s[:len(s)-1].Size() }

// String returns s as 28×28×1.
func (s Shape) String() string {
	var b strings.Builder
	for i, n := range s {
		if i > 0 {
			b.WriteString("×")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// check returns an error unless s is the shape of something whose size can be counted.
func (s Shape) check() error {
	if len(s) == 0 {
		return fmt.Errorf("shape is empty, want at least the number of features")
	}
	size := 1
	for _, n := range s {
		if n < 1 || n > maxSize/size {
			return fmt.Errorf("shape is %v, want positive numbers whose product is at most %d", s, maxSize)
		}
		size *= n
	}
	return nil
}

// with returns s with another number of features.
func (s Shape) with(features int) Shape {
	out := append(Shape(nil), s...)
	out[len(out)-1] = features
	return out
}
