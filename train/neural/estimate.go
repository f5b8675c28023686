package neural

import (
	"github.com/ditherml/dither/network"
)

// These are costs measured on one core at about 3.6 GHz, in nanoseconds. productCost is a
// multiply-add of a forward pass, a backward pass and the exact sum, together. numberCost is an
// output of a layer, forward and backward. weightCost is noise and update of a weight, drawCost a
// record to draw from, and cellCost a cell to read.
const (
	productCost = 0.03
	sparseCost  = 2 // of a product with an entry of a sparse row or a token
	numberCost  = 5
	weightCost  = 10
	drawCost    = 2
	cellCost    = 25
)

const (
	// textEntries is the assumed number of nonzero features of a bag of words. Reading such a text
	// takes as long as textCells cells of numbers.
	textEntries, textCells = 400, 4000
	// weightBytes is the memory of a weight: in both widths, in momentum, average, noise and sum.
	// partBytes is its memory in the sum of a goroutine. baseBytes is the memory of the program
	// without a run.
	weightBytes, partBytes, baseBytes = 52, 8, 32 << 20
	// tapeBytes is the memory of an output of a layer for a record in work: in both passes, and in
	// integers.
	tapeBytes = 8
)

// Estimate returns a rough estimate of the time and the memory that Fit takes on this number of
// processors, in seconds and bytes. It uses only public numbers, such as the declared number of
// records or the bound on that number. Reading the table is included. For the networks of
// docs/benchmarks.md the estimate is within a factor of about 3. Other layers and machines may
// differ more.
func (s Setup) Estimate(o Options, processors int) (seconds float64, bytes int64) {
	p := s.Plan
	records, entries := p.records(), s.Features.Dim()
	cells := float64(len(s.Schema.Features()) + 1)
	rowBytes, sparse := 2*float64(entries)+4*cells, s.takesEntries()
	if s.Schema.HasText() {
		cells += textCells * (cells - 1)
		if s.Features.Encoder().Tokens() == 0 {
			entries = min(entries, textEntries*len(s.Schema.Features()))
			rowBytes = 14 * float64(entries) // as cells of the table and as features
		}
	}
	work, numbers := layerWork(p.Network.Layers, p.Network.Input, entries)
	if !sparse {
		numbers += s.Network.Input().Size()
	}
	steps := float64(p.Steps)
	each := work + numberCost*float64(numbers)
	all := steps*(records*p.Share()*each+weightCost*float64(p.Network.Trained)) + float64(processors)*(steps*drawCost+cellCost*cells)*records
	chunk := min(float64(s.chunk(o, sparse)), max(1, records*p.Share()/float64(processors)))
	if p.Person != nil {
		chunk = max(chunk, float64(p.Person.MaxRows)) // a person's rows are in work together
	}
	whole := records*(rowBytes+16) + float64(s.Network.Weights())*weightBytes + float64(processors)*(float64(p.Network.Trained)*partBytes+chunk*float64(numbers)*tapeBytes)
	// The garbage collector lets the heap grow to about twice the memory in use.
	return all / 1e9 / float64(processors), int64(2*whole) + baseBytes
}

// takesEntries guesses whether the network will receive the nonzero entries of rows. It will if a
// text column is a bag of words.
func (s Setup) takesEntries() bool { return s.Network.TakesEntries() && s.Schema.HasText() }

// layerWork returns the cost of products of parameters in layers for a record with this number of
// nonzero inputs. It also returns the number of outputs of the layers.
func layerWork(layers network.Layers, in network.Shape, entries int) (work float64, numbers int) {
	for _, layer := range layers {
		alone, err := network.New(in, layer)
		if err != nil {
			return work, numbers // network.New has accepted them
		}
		out := alone.Output()
		var inner network.Layers
		switch l := layer.(type) {
		case network.Frozen:
			inner = l.Layers
		case network.Residual:
			inner = l.Layers
		case network.Attention:
			numbers += 2 * max(1, l.Heads) * in[0] * in[0]
			work += productCost * 4 * float64(in[0]*in.Size())
		}
		if inner != nil {
			w, n := layerWork(inner, in, entries)
			work, numbers = work+w, numbers+n
		} else {
			work += productWork(alone, entries)
		}
		in, entries, numbers = out, out.Size(), numbers+out.Size()
	}
	return work, numbers
}

// productWork returns the cost of the products of the blocks of a network of one layer.
func productWork(alone *network.Network, entries int) (work float64) {
	in, out := alone.Input(), alone.Output()
	for _, b := range alone.Blocks() {
		switch {
		case b.Sparse:
			work += sparseCost * float64(min(entries, in.Size())*b.Right)
		case b.Left == 0:
			work += productCost * float64(out.Size())
		case len(out) == 1: // a state has read all positions
			work += productCost * float64(in.Positions()*b.Numbers())
		default:
			work += productCost * float64(out.Positions()*b.Numbers())
		}
	}
	return work
}
