//go:build !amd64 || noasm

package kernel

// packedColumns are of use to kernels only.
type packedColumns[T WholeEntry] struct{}

func (c *WholeColumns[T]) pack() packedColumns[T] { return packedColumns[T]{} }

// products is Products.
func (c *WholeColumns[T]) products(_ instructions, dst []float32, x []T) { c.productsPortable(dst, x) }

// productsByColumn is ProductsByColumn.
func (c *WholeColumns[T]) productsByColumn(set instructions, dst []float32, x []T) {
	c.turnProducts(set, dst, x)
}
