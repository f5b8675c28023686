package linalg

// run does the product.
func (g *gemmProduct[T]) run(workers int) {
	w := workspaceOf[T]()
	g.part(w, [2]int{0, g.c.Rows}, [2]int{0, g.c.Columns})
	w.release()
}
