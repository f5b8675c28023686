package dynamics_test

import (
	"fmt"

	"github.com/ditherml/dither/internal/dynamics"
	"github.com/ditherml/dither/network"
)

// half is (f - y)²/2.
type half struct{}

func (half) Value(f []float64, y float64) float64 { return (f[0] - y) * (f[0] - y) / 2 }

func (half) Residuals(dst, f []float64, y float64) { dst[0] = f[0] - y }

func (half) Smoothness() float64 { return 1 }

// The first record lies far from what the network gives, the two others near it and on the other side. Clipped to
// one norm, two gradients outvote the long one.
func Example() {
	n, err := network.New(network.Shape{4}, network.Linear{Outputs: 1, NoBias: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := dynamics.Problem{Network: n, Loss: half{}, Weights: make([]float64, 4), Labels: []float64{3, -1, -1},
		Inputs: []float64{1, 0.3, 0, 0, 1, 0, 0.3, 0, 1, 0, 0, 0.3}}
	flat := dynamics.Clipping{Name: "flat", Groups: []int{1}, Weight: func(_ int, norm float64) float64 { return min(1, 0.1/norm) }}
	tangent, err := dynamics.NewKernel(p, flat.Groups)
	if err != nil {
		fmt.Println(err)
		return
	}
	scales, err := dynamics.Scales(p, flat)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := dynamics.Describe(tangent.Clipped(scales))
	fmt.Printf("symmetric %v, eigenvalues positive %v, form positive %v %v\n", c.Symmetric(), c.Positive(), c.PositiveForm(), err)
	down, err := dynamics.Descend(p, flat, dynamics.Options{Steps: 20000, LearningRate: 0.1})
	fmt.Printf("loss only falls %v, to zero %v %v\n", down.Monotone(), down.Verdict(), err)
	// Output:
	// symmetric false, eigenvalues positive true, form positive false <nil>
	// loss only falls false, to zero yes <nil>
}
