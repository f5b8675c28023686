package dynamics

import (
	"fmt"

	"github.com/ditherml/dither/network"
	"gonum.org/v1/gonum/mat"
)

// maxJacobian bounds the numbers of a Jacobian: half a gibibyte.
const maxJacobian = 1 << 26

// Jacobian returns ∂f/∂w of the outputs of all records by the trained numbers, at the problem's weights, of shape
// (records·outputs) × Trained; output k of record i is row i·outputs + k.
func Jacobian(p Problem) (*mat.Dense, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	n, k := len(p.Labels), p.Network.Output().Size()
	if n > maxJacobian/p.Network.Trained()/k {
		return nil, fmt.Errorf("dynamics: the Jacobian of %d outputs of %d records by %d weights has more than %d numbers, want fewer; take fewer records", k, n, p.Network.Trained(), maxJacobian)
	}
	w := newPass(p)
	out := mat.NewDense(n*k, p.Network.Trained(), nil)
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
			w.addRow(out.RawRowView(i*k+output), one)
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
	// Records and Outputs say what the rows are: output k of record i is row i·Outputs + k.
	Records, Outputs int
	// Groups are the parts H_r = J_r·J_rᵀ; the kernel is their sum.
	Groups []*mat.SymDense
}

// NewKernel returns the tangent kernel at the problem's weights, in groups of so many blocks, in the order of
// network.Blocks.
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
	rows, _ := jacobian.Dims()
	for _, count := range groups {
		to := from + numbers(blocks[:count])
		part := mat.NewSymDense(rows, nil)
		part.SymOuterK(1, jacobian.Slice(0, rows, from, to))
		out.Groups = append(out.Groups, part)
		blocks, from = blocks[count:], to
	}
	return out, nil
}

// numbers is how many numbers blocks have together.
func numbers(blocks []network.Block) int {
	sum := 0
	for _, b := range blocks {
		sum += b.Numbers()
	}
	return sum
}

// Sum returns H = Σ_r H_r.
func (k *Kernel) Sum() *mat.SymDense {
	out := mat.NewSymDense(k.Records*k.Outputs, nil)
	for _, part := range k.Groups {
		out.AddSym(out, part)
	}
	return out
}

// Clipped returns M = Σ_r H_r·diag(s_r): how the outputs move under weights scales[r][i] for group r of record i.
// With one list of weights for several groups, all groups have those.
func (k *Kernel) Clipped(scales [][]float64) *mat.Dense {
	size := k.Records * k.Outputs
	out := mat.NewDense(size, size, nil)
	for r, part := range k.Groups {
		s := scales[min(r, len(scales)-1)]
		for i := range size {
			row := out.RawRowView(i)
			for j := range row {
				row[j] += part.At(i, j) * s[j/k.Outputs]
			}
		}
	}
	return out
}
