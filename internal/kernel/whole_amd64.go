//go:build amd64 && !noasm

package kernel

// dotVector is DotInt of a positive multiple of 16 entries, or of none of them.
func dotVector[T IntEntry](set instructions, x []T, m []int16) (sum int64, done int) {
	if set == portable {
		return 0, 0
	}
	switch x := any(x).(type) {
	case []int16:
		sum = dotShortAVX2(&x[0], &m[0], len(x))
	case []uint8:
		sum = dotByteAVX2(&x[0], &m[0], len(x))
	}
	return sum, len(x)
}

// squareVector is SquareInt of a positive multiple of 16 entries, or of none of them.
func squareVector[T IntEntry](set instructions, x []T) (sum int64, done int) {
	if set == portable {
		return 0, 0
	}
	switch x := any(x).(type) {
	case []int16:
		sum = squareShortAVX2(&x[0], len(x))
	case []uint8:
		sum = squareByteAVX2(&x[0], len(x))
	}
	return sum, len(x)
}

// dotShortAVX2 returns Σ x·m; n is a positive multiple of 16.
//
//go:noescape
func dotShortAVX2(x *int16, m *int16, n int) (sum int64)

// squareShortAVX2 returns Σ x²; n is a positive multiple of 16.
//
//go:noescape
func squareShortAVX2(x *int16, n int) (sum int64)

// dotByteAVX2 returns Σ x·m; n is a positive multiple of 16.
//
//go:noescape
func dotByteAVX2(x *uint8, m *int16, n int) (sum int64)

// squareByteAVX2 returns Σ x²; n is a positive multiple of 16.
//
//go:noescape
func squareByteAVX2(x *uint8, n int) (sum int64)
