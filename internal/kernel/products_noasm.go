//go:build !amd64 || noasm

package kernel

// packedColumns are for kernels only.
type packedColumns[T IntEntry] struct{}

func (c *IntColumns[T]) pack() packedColumns[T] { return packedColumns[T]{} }

// products is Products.
func (c *IntColumns[T]) products(_ instructions, dst []float32, x []T) { c.productsPortable(dst, x) }

// productsByColumn is ProductsByColumn.
func (c *IntColumns[T]) productsByColumn(set instructions, dst []float32, x []T) {
	c.turnProducts(set, dst, x)
}
