package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Conv is a layer that computes a convolution. A kernel covers Kernel × Kernel places of an image
// [height, width, channels], or Kernel positions of a text [positions, features]. The layer has one
// block of parameters for each group of channels (see the field Groups). A block has one row for
// each output channel of its group. A row contains the weights in the order [kernel row, kernel
// column, channel of the group], then the bias.
type Conv struct {
	// Channels is the number of output channels.
	Channels int `json:"channels"`
	// Kernel is the number of places that a kernel covers in each dimension.
	Kernel int `json:"kernel"`
	// Stride is the distance between neighboring positions of the kernel. 0 means 1.
	Stride int `json:"stride,omitempty"`
	// Padding is the number of zeros that are added on each side of the image or text.
	Padding int `json:"padding,omitempty"`
	// Dilation is the distance between neighboring places that a kernel covers. 0 means 1.
	Dilation int `json:"dilation,omitempty"`
	// Groups is the number of parts into which input and output channels are divided. Each part of
	// the output channels depends on one part of the input channels. 0 means 1.
	Groups int `json:"groups,omitempty"`
	// NoBias omits the bias. In a description of layers it is written bias: false.
	NoBias bool `json:"no_bias,omitempty"`
}

var _ Layer = Conv{}

func (l Conv) described() any {
	type fields Conv
	bias := inverted(l.NoBias)
	l.NoBias = false // bias says it
	return struct {
		fields
		Bias inverted `json:"bias,omitempty"`
	}{fields(l), bias}
}

// kind returns "conv".
func (Conv) kind() string { return "conv" }

func (l Conv) window(in Shape) (window, error) {
	return newWindow(in, l.Kernel, l.Stride, l.Padding, l.Dilation)
}

func (l Conv) groups() int { return max(l.Groups, 1) }

// output returns the shape of the places of the windows, with Channels.
func (l Conv) output(in Shape) (Shape, error) {
	w, err := l.window(in)
	switch g := l.groups(); {
	case err != nil:
		return nil, err
	case l.Groups < 0 || l.Channels < 1 || l.Channels%g != 0 || w.channels%g != 0:
		return nil, fmt.Errorf("channels are %d of %d in %d groups, want positive numbers that the groups divide", l.Channels, w.channels, l.Groups)
	case w.kernelRows*w.kernel > maxSize/w.positions()/w.channels:
		return nil, fmt.Errorf("kernel is %d for an input of %v, want less than %d numbers in all windows", l.Kernel, in, maxSize)
	}
	return w.shape(in, l.Channels), nil
}

// blocks returns one block for each group, of shape channels of the group × numbers in a window of
// the group.
func (l Conv) blocks(in Shape) []Block {
	w, err := l.window(in)
	if err != nil {
		return nil
	}
	blocks := make([]Block, l.groups())
	for g := range blocks {
		blocks[g] = Block{Name: "weights", Right: l.Channels / l.groups(), Left: w.size(w.channels / l.groups()), Bias: !bool(l.NoBias)}
		if len(blocks) > 1 {
			blocks[g].Name = fmt.Sprintf("weights.%d", g)
		}
	}
	return blocks
}

func (l Conv) initial(in Shape, blocks [][]float32, gain float64, random *generator) {
	for g, b := range l.blocks(in) {
		// The number of outputs is the number of values that one input place reaches through the
		// kernel.
		random.fillUniform(blocks[g], b, variance(gain, b.Left, b.Left/(in.features()/l.groups())*b.Right))
	}
}

func (l Conv) worker32(in Shape, s *space) worker[float32] { return newConv[float32](l, in, s) }
func (l Conv) worker64(in Shape, s *space) worker[float64] { return newConv[float64](l, in, s) }

// conv is Conv at work. The windows are written as the rows of a matrix, one for each place of the
// output. The pass is then a product of matrices. These rows are the left factors. Each of several
// groups has its own rows and its own copy of its part of dy.
type conv[T kernel.Float] struct {
	space   *space
	window  window
	runs    [][]run // of each group
	block   Block   // of a group
	groups  int
	frozen  bool
	batch   int // the number of records that are worked on at a time, so that their rows stay in the cache
	weights [][]T
	lefts   [][]T // of all records of a pass, or of a batch if nothing is trained
	rights  [][]T // with several groups, of all records
	spread  []T   // derivatives with respect to the rows of a batch
	dy      []T
}

// convNumbers is the number of entries of rows that are worked on at a time.
const convNumbers = 1 << 16

func newConv[T kernel.Float](l Conv, in Shape, s *space) *conv[T] {
	w, err := l.window(in)
	if err != nil {
		panic(err)
	}
	c := &conv[T]{space: s, window: w, block: l.blocks(in)[0], groups: l.groups(), frozen: s.frozen, weights: make([][]T, l.groups())}
	each := w.positions() * c.block.Left
	c.batch = min(s.records, max(1, convNumbers/each))
	kept := s.records
	if c.frozen {
		kept = c.batch
	}
	for g := range c.groups {
		c.runs = append(c.runs, w.runs(g, c.groups))
		c.lefts = append(c.lefts, make([]T, kept*each))
		if c.groups > 1 && !c.frozen {
			c.rights = append(c.rights, make([]T, s.records*w.positions()*c.block.Right))
		}
	}
	c.spread = make([]T, c.batch*each)
	return c
}

func (c *conv[T]) bind(blocks [][]T) { copy(c.weights, blocks) }

// rows returns the rows of a group for records first ≤ i < end.
func (c *conv[T]) rows(group, first, end int) []T {
	each := c.window.positions() * c.block.Left
	if c.frozen {
		first, end = 0, end-first
	}
	return c.lefts[group][first*each : end*each]
}

// part returns the columns of a group of y, of shape records · positions × all channels, as a
// matrix.
func (c *conv[T]) part(y []T, group int) kernel.Matrix[T] {
	all := c.groups * c.block.Right
	return kernel.Matrix[T]{Data: y[min(len(y), group*c.block.Right):], Rows: len(y) / all, Columns: c.block.Right, RowStride: all, ColumnStride: 1}
}

// forward computes y = rows·Wᵀ + b for each group.
func (c *conv[T]) forward(y, x []T, n int) {
	in, out := c.window.height*c.window.width*c.window.channels, c.window.positions()*c.groups*c.block.Right
	for first := 0; first < n; first += c.batch {
		end := min(n, first+c.batch)
		to := y[first*out : end*out]
		beta := c.setBias(to)
		for g := range c.groups {
			rows := c.rows(g, first, end)
			gather(rows, x[first*in:end*in], c.runs[g], end-first, len(rows)/(end-first), in)
			multiply(c.space.serial, c.part(to, g), 1, kernel.NewMatrix(rows, len(rows)/c.block.Left, c.block.Left),
				weightMatrix(c.weights[g], c.block).Transposed(), beta)
		}
	}
}

// setBias writes the biases of all groups to every row of y and returns 1. It returns 0 if there
// are none.
func (c *conv[T]) setBias(y []T) T {
	if !c.block.Bias || len(y) == 0 {
		return 0
	}
	for g, weights := range c.weights {
		for j := range c.block.Right {
			y[g*c.block.Right+j] = weights[j*c.block.Width()+c.block.Left]
		}
	}
	repeat(y, c.groups*c.block.Right)
	return 1
}

// backward computes the derivatives with respect to the rows, which are dy·W. Each is added to the
// input that the row's entry was copied from.
func (c *conv[T]) backward(dx, dy []T, n int) {
	c.dy = dy
	if !c.frozen {
		c.split(dy)
	}
	if dx == nil {
		return
	}
	clear(dx)
	in, out := c.window.height*c.window.width*c.window.channels, c.window.positions()*c.groups*c.block.Right
	for first := 0; first < n; first += c.batch {
		end := min(n, first+c.batch)
		spread := c.spread[:(end-first)*c.window.positions()*c.block.Left]
		for g := range c.groups {
			multiply(c.space.serial, kernel.NewMatrix(spread, len(spread)/c.block.Left, c.block.Left), 1,
				c.part(dy[first*out:end*out], g), weightMatrix(c.weights[g], c.block), 0)
			scatter(dx[first*in:end*in], spread, c.runs[g], end-first, len(spread)/(end-first), in)
		}
	}
}

// split copies the parts of dy to the groups.
func (c *conv[T]) split(dy []T) {
	width := c.block.Right
	for g, right := range c.rights {
		for from, to := g*width, 0; from < len(dy); from, to = from+c.groups*width, to+width {
			copy(right[to:to+width], dy[from:])
		}
	}
}

func (c *conv[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	if c.frozen {
		return dst
	}
	positions := c.window.positions()
	for g := range c.groups {
		f := kernel.Factors[T]{Records: n, Positions: positions, Left: c.block.Left, Right: c.block.Right, Bias: c.block.Bias,
			Lefts: c.rows(g, 0, n), Rights: c.dy}
		if c.groups > 1 {
			f.Rights = c.rights[g][:n*positions*c.block.Right]
		}
		dst = append(dst, f)
	}
	return dst
}

func (c *conv[T]) habits() habits { return habits{} }
