package network

import "github.com/ditherml/dither/internal/kernel"

// Layer is a description of one layer of a network. It contains no trained parameters, and it can
// be written as text. Other packages cannot implement Layer. So all layers are from this package,
// and none of them mixes records.
type Layer interface {
	// kind returns the name of the layer in descriptions, such as "linear".
	kind() string
	// output returns the shape of the layer's output for an input shape. It returns an error if the
	// layer does not accept that shape.
	output(in Shape) (Shape, error)
	// blocks returns the layer's blocks of parameters for a shape that output accepts, or nil for
	// none.
	blocks(in Shape) []Block

	// initial fills the blocks with first values for an activation with this gain after the layer.
	initial(in Shape, blocks [][]float32, gain float64, random *generator)
	worker32(in Shape, s *space) worker[float32]
	worker64(in Shape, s *space) worker[float64]
}

// Kind returns the name of a layer's type in descriptions, such as "linear".
func Kind(l Layer) string { return l.kind() }

// Block describes a block of parameters, which is a matrix. The field Right is the number of rows,
// and the field Left is the number of columns. If Bias is true, each row has one more number. The
// rows are stored one after the other. A sparse block, such as a table of embeddings, is stored
// transposed. A record's gradient is a sum of outer products of vectors of the lengths Right and
// Left; see kernel.Factors.
type Block struct {
	// Name is the name of the block. For example, "2.conv.weights" is a block of layer 2, counted
	// from 0.
	Name string
	// Right and Left are the numbers of rows and columns of the block, without the column of
	// biases.
	Right, Left int
	// Bias reports whether each row of the block ends with a bias.
	Bias bool
	// Sparse reports whether the inputs of the block are lists of indices. Such indices are tokens,
	// or positions of nonzero features.
	Sparse bool
	// Frozen reports whether training leaves the block unchanged. No gradients are computed for a
	// frozen block.
	Frozen bool
}

// Width returns the length of a row of the block: Left, plus one for a bias.
func (b Block) Width() int {
	if b.Bias {
		return b.Left + 1
	}
	return b.Left
}

// Numbers returns the number of parameters in the block.
func (b Block) Numbers() int { return b.Right * b.Width() }

// control is the state that the workers of a tape share and its methods change.
type control struct {
	training, serial bool
	masks            *masks
}

// space is the state for making the workers of a tape.
type space struct {
	*control
	records int  // the largest number in a pass
	frozen  bool // whether the new workers are frozen
	padding *padding
}

// freeze returns the space for layers that are not trained.
func (s *space) freeze() *space { return &space{s.control, s.records, true, s.padding} }

// worker is a layer at work on chunks of records. It keeps state between a forward pass and the
// next backward pass. Its passes never allocate.
type worker[T kernel.Float] interface {
	// bind sets the memory of the numbers of the layer's blocks.
	bind(blocks [][]T)
	// forward computes y from x, both of n records. It may keep x and y until the next call.
	forward(y, x []T, n int)
	// backward computes the derivatives of the records' losses by the inputs of the last forward
	// pass, unless dx is nil. dy holds the derivatives with respect to its outputs. It may keep dy
	// until the next call.
	backward(dx, dy []T, n int)
	// factors appends the factors of the last passes, one for each trained block.
	factors(dst []kernel.Factors[T], n int) []kernel.Factors[T]
	// habits returns which memory may be shared.
	habits() habits
}

// habits describes a worker's use of memory. The chain derives from it which buffers may overwrite
// others.
type habits struct {
	// inPlace says that y may be x, and dx may be dy, which is therefore no part of the factors.
	inPlace bool
	// nothing says that y is x and dx is dy, and neither pass does anything. It includes inPlace.
	nothing bool
	// needsOutput says that the backward pass reads the y of the forward pass.
	needsOutput bool
}

// build makes the worker of a layer for numbers of type T.
func build[T kernel.Float](l Layer, in Shape, s *space) worker[T] {
	var zero T
	if _, single := any(zero).(float32); single {
		return any(l.worker32(in, s)).(worker[T])
	}
	return any(l.worker64(in, s)).(worker[T])
}

// multiply is kernel.Gemm on one processor or on several.
func multiply[T kernel.Float](serial bool, c kernel.Matrix[T], alpha T, a, b kernel.Matrix[T], beta T) {
	if serial {
		kernel.GemmSerial(c, alpha, a, b, beta)
	} else {
		kernel.Gemm(c, alpha, a, b, beta)
	}
}

// plain is embedded by the workers of layers without parameters.
type plain[T kernel.Float] struct{}

func (plain[T]) bind([][]T) {}

func (plain[T]) factors(dst []kernel.Factors[T], _ int) []kernel.Factors[T] { return dst }
