package kernel

// Factors are what consecutive records propose to add to one block of a network's parameters, a matrix of
// shape Right × Width, row after row: record i adds Σ_t right_t ⊗ left_t over its positions t. A layer only
// fills them; whoever sums verifies them. A fully connected layer has one position, a convolution one for
// each place of its output.
type Factors[T Float] struct {
	// Records and Positions count the factors; Left and Right are their lengths. Left may be 0 with Bias: the
	// block is then a vector of Right numbers, and Lefts is empty.
	Records, Positions, Left, Right int
	// Bias says that every left factor is followed by a 1, which Lefts does not hold.
	Bias bool
	// Lefts has shape Records × Positions × Left, Rights has shape Records × Positions × Right.
	Lefts, Rights []T
	// Index, if not nil, stands in the place of Lefts, for left factors that are mostly zeros: it has shape
	// Records × Positions × Entries, and a left factor is the sum over its entries of Values, or 1 without
	// Values, at coordinate Index. An index may come again, and NoIndex marks an entry that adds nothing.
	// Positions or Entries is 1: tokens in order, or a bag of them. The block is then laid out the other way
	// round, Left × Right without a bias, so that what belongs to one token stands together.
	Index   []uint32
	Entries int
	Values  []T
}

// NoIndex is the index of an entry that adds nothing: padding.
const NoIndex = ^uint32(0)

// Width is how many numbers a row of the block has: Left, and one more for a bias.
func (f Factors[T]) Width() int {
	if f.Bias {
		return f.Left + 1
	}
	return f.Left
}

// Numbers is how many numbers the block has.
func (f Factors[T]) Numbers() int { return f.Right * f.Width() }
