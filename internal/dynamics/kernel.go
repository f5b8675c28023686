package dynamics

import (
	"fmt"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/network"
)

// maxJacobian bounds the numbers of a Jacobian: half a gibibyte.
const maxJacobian = 1 << 26

// Jacobian returns ∂f/∂w of the outputs of all records by the trained numbers, at the problem's
// weights. Its shape is (records·outputs) × Trained; output k of record i is row i·outputs + k.
func Jacobian(p Problem) (kernel.Matrix[float64], error) {
	if err := p.check(); err != nil {
		return kernel.Matrix[float64]{}, err
	}
	n, k := len(p.Labels), p.Network.Output().Size()
	if n > maxJacobian/p.Network.Trained()/k {
		return kernel.Matrix[float64]{}, fmt.Errorf("dynamics: the Jacobian of %d outputs of %d records by %d weights has more than %d numbers, want fewer; take fewer records", k, n, p.Network.Trained(), maxJacobian)
	}
	w := newPass(p)
	out := dense.New(n*k, p.Network.Trained())
	one := make([]float64, n)
	for output := range k {
		w.tape.Forward(p.Inputs, n, p.Weights)
		for i := range w.slopes {
			w.slopes[i] = 0
			if i%k == output {
				w.slopes[i] = 1
			}
		}
		w.factors = w.tape.Backward(w.slopes)
		for i := range n {
			one[i] = 1
			w.addRow(dense.Row(out, i*k+output), one)
			one[i] = 0
		}
	}
	return out, nil
}

// addRow adds the factors of the one record that has a weight to a row.
func (w *pass) addRow(row, one []float64) {
	for b, f := range w.factors {
		numbers := w.blocks[b].Numbers()
		w.space.AddSum(row[:numbers], f, one)
		row = row[numbers:]
	}
}

// Kernel is the tangent kernel of a network, with the part of each group of parameters.
type Kernel struct {
	// Records and Outputs describe the rows: output k of record i is row i·Outputs + k.
	Records, Outputs int
	// Groups are the parts H_r = J_r·J_rᵀ; the kernel is their sum.
	Groups []kernel.Matrix[float64]
}

// NewKernel returns the tangent kernel at the problem's weights, in groups of this many blocks, in
// the order of network.Blocks.
func NewKernel(p Problem, groups []int) (*Kernel, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.checkGroups(groups); err != nil {
		return nil, err
	}
	jacobian, err := Jacobian(p)
	if err != nil {
		return nil, err
	}
	out := &Kernel{Records: len(p.Labels), Outputs: p.Network.Output().Size()}
	blocks, from := p.Network.Blocks(), 0
	for _, count := range groups {
		to := from + numbers(blocks[:count])
		own := jacobian
		own.Data, own.Columns = own.Data[from:], to-from
		part := dense.Product(own, own.Transposed())
		dense.Symmetrize(part)
		out.Groups = append(out.Groups, part)
		blocks, from = blocks[count:], to
	}
	return out, nil
}

// numbers returns how many numbers blocks have together.
func numbers(blocks []network.Block) int {
	sum := 0
	for _, b := range blocks {
		sum += b.Numbers()
	}
	return sum
}

// Sum returns H = Σ_r H_r.
func (k *Kernel) Sum() kernel.Matrix[float64] {
	out := dense.New(k.Records*k.Outputs, k.Records*k.Outputs)
	for _, part := range k.Groups {
		for j, v := range part.Data {
			out.Data[j] += v
		}
	}
	return out
}

// Clipped returns M = Σ_r H_r·diag(s_r), the movement of the outputs under weights scales[r][i] for
// group r of record i. One list of weights applies to all groups.
func (k *Kernel) Clipped(scales [][]float64) kernel.Matrix[float64] {
	size := k.Records * k.Outputs
	out := dense.New(size, size)
	for r, part := range k.Groups {
		s := scales[min(r, len(scales)-1)]
		for i := range size {
			row := dense.Row(out, i)
			for j := range row {
				row[j] += part.At(i, j) * s[j/k.Outputs]
			}
		}
	}
	return out
}
