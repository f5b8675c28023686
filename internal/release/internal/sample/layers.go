package sample

// LayerWidths returns the number of points of each layer, from the lowest to the highest.
func LayerWidths() []uint64 {
	widths := make([]uint64, len(layers))
	for i := range layers {
		widths[i] = layers[i].width
	}
	return widths
}
