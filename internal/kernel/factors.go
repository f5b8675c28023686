package kernel

// Factors are proposals for the contributions of consecutive records to one block of a network's
// parameters. The block is a matrix of shape Right × Width, row after row. Record i adds Σ_t
// right_t ⊗ left_t over its positions t. A layer only fills Factors; the code that sums verifies
// them. A fully connected layer has one position, a convolution one for each place of its output.
type Factors[T Float] struct {
	// Records and Positions count the factors; Left and Right are their lengths. Left may be 0 with
	// Bias. The block is then a vector of Right numbers, and Lefts is empty.
	Records, Positions, Left, Right int
	// Bias says that a 1 follows every left factor. Lefts does not hold it.
	Bias bool
	// Lefts has shape Records × Positions × Left, Rights has shape Records × Positions × Right.
	Lefts, Rights []T
	// Index, if not nil, replaces Lefts, for left factors that are mostly zeros. It has shape
	// Records × Positions × Entries. A left factor is the sum over its entries of Values, or 1
	// without Values, at coordinate Index. An index may repeat, and NoIndex marks an entry that
	// adds nothing. Positions or Entries is 1: tokens in order, or a bag of them. The block then
	// has the transposed layout, Left × Right without a bias, so that the numbers of one token are
	// adjacent.
	Index   []uint32
	Entries int
	Values  []T
}

// NoIndex is the index of an entry that adds nothing: padding.
const NoIndex = ^uint32(0)

// Width returns the length of a row of the block: Left, and one more for a bias.
func (f Factors[T]) Width() int {
	if f.Bias {
		return f.Left + 1
	}
	return f.Left
}

// Numbers returns how many numbers the block has.
func (f Factors[T]) Numbers() int { return f.Right * f.Width() }
