package network

import (
	"fmt"
	"strings"
)

// Shape is the shape of a layer's input or output for one record: [features], [positions, features]
// or [height, width, channels]. The numbers of a record are stored in row-major order, so the
// features of one position are adjacent.
type Shape []int

// maxSize bounds the numbers of a record at any place of a network, so that sizes do not overflow.
const maxSize = 1 << 28

// Size returns the product of all dimensions. This is the length of a record's data. The product is
// 1 for an empty shape.
func (s Shape) Size() int {
	size := 1
	for _, n := range s {
		size *= n
	}
	return size
}

// features returns the last number of s. It panics for an empty shape.
func (s Shape) features() int { return s[len(s)-1] }

// Positions returns the product of all dimensions except the last. It is 1 if there is only one
// dimension. It panics for an empty shape.
func (s Shape) Positions() int { return s[:len(s)-1].Size() }

// String returns the shape as text, such as "28×28×1".
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

// check returns an error unless s is a valid shape with a size that does not overflow.
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
