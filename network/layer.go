package network

import "github.com/ditherml/dither/internal/kernel"

// Layer describes one layer of a network. It holds no numbers that training changes, and is what stands in a
// description as text. The layers of this package are all there are: that records are not mixed is a promise
// of this package.
type Layer interface {
	// kind is the name of the layer in descriptions: "linear".
	kind() string
	// output returns the shape that the layer gives for one that it takes, or an error that says what it
	// cannot take.
	output(in Shape) (Shape, error)
	// blocks returns the blocks of parameters that the layer has for a shape that output accepts, nil for
	// none.
	blocks(in Shape) []Block

	// initial fills the blocks with first values for an activation of the given gain that follows.
	initial(in Shape, blocks [][]float32, gain float64, random *generator)
	worker32(in Shape, s *space) worker[float32]
	worker64(in Shape, s *space) worker[float64]
}

// Kind returns the name of a layer in descriptions, such as "linear".
func Kind(l Layer) string { return l.kind() }

// Block describes a block of parameters, a matrix of Right × Width numbers, row after row, where
// Width is Left, and one more with Bias. A sparse block, such as a table of embeddings, is laid out
// the other way round, Left × Right. Its factors have the same names: see kernel.Factors.
type Block struct {
	// Name says which block it is: "2.conv.weights" is of the layer at place 2, counted from 0.
	Name        string
	Right, Left int
	// Bias says that a row of the block ends with a bias.
	Bias bool
	// Sparse says that the factors have indices in the place of left factors.
	Sparse bool
	// Frozen says that the block is not trained: no factors are formed for it.
	Frozen bool
}

// Width is how many numbers stand next to each of the Right ones.
func (b Block) Width() int {
	if b.Bias {
		return b.Left + 1
	}
	return b.Left
}

// Numbers is how many numbers the block has.
func (b Block) Numbers() int { return b.Right * b.Width() }

// control is what the workers of a tape share and its methods change.
type control struct {
	training, serial bool
	masks            *masks
}

// space is where the workers of a tape are made.
type space struct {
	*control
	records int  // the most that a pass may have
	frozen  bool // whether what is made here is not trained
	padding *padding
}

// freeze returns the space for layers that are not trained.
func (s *space) freeze() *space { return &space{s.control, s.records, true, s.padding} }

// worker is a layer at work on chunks of records, with what it keeps between a pass forward and the pass
// backward that follows. It never allocates after it was made.
type worker[T kernel.Float] interface {
	// bind says where the numbers of the layer's blocks are.
	bind(blocks [][]T)
	// forward computes y from x, both of n records. It may keep x and y until the next call.
	forward(y, x []T, n int)
	// backward computes the derivatives of the records' losses by the inputs of the last pass
	// forward, unless dx is nil. dy are the derivatives by its outputs. It may keep dy until the
	// next call.
	backward(dx, dy []T, n int)
	// factors appends the factors of the last passes, one for each block that is trained.
	factors(dst []kernel.Factors[T], n int) []kernel.Factors[T]
	// habits says which memory may be shared.
	habits() habits
}

// habits says how a worker goes about memory, from which its surroundings derive what may overwrite what.
type habits struct {
	// inPlace: y may be x, and dx may be dy, which is therefore no part of the factors.
	inPlace bool
	// nothing: y is x and dx is dy, and neither pass does anything. It includes inPlace.
	nothing bool
	// needsOutput: the pass backward reads the y of the pass forward.
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

// multiply is kernel.Gemm by one processor or by several.
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
