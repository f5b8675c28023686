package kernel

// RotatedColumns is the number of columns that RotateRows takes.
const RotatedColumns = 32

// Rotation is the plane rotation of two rows u and v: u becomes C·u - S·v and v becomes S·u + C·v.
type Rotation struct{ C, S float64 }

// RotateRows rotates rows of RotatedColumns numbers each, which are in z one after the other. The
// first rotation is of rows 0 and 1, the next of rows 1 and 2, and so on. z must have one row more
// than there are rotations. The call panics, and writes nothing, if it has fewer. With AVX-512
// products are fused with sums. The result therefore depends on the instructions, by a rounding or
// two of each number.
func RotateRows(z []float64, rotations []Rotation) { rotateRows(available, z, rotations) }

// rotateRows is RotateRows with a set of instructions that the processor has.
func rotateRows(set instructions, z []float64, rotations []Rotation) {
	if len(rotations) == 0 {
		return
	}
	if len(z) < (len(rotations)+1)*RotatedColumns {
		panic("kernel: RotateRows: there are fewer rows than rotations and one more")
	}
	if rotateVector(set, z, rotations) {
		return
	}
	for k, r := range rotations {
		upper, lower := z[k*RotatedColumns:(k+1)*RotatedColumns], z[(k+1)*RotatedColumns:(k+2)*RotatedColumns]
		for j, u := range upper {
			v := lower[j]
			upper[j], lower[j] = r.C*u-r.S*v, r.S*u+r.C*v
		}
	}
}
