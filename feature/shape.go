package feature

var _, _ shaped = (*scattering)(nil), groupNorm{}

// Shape returns the shape of the images that scattering computes. Each image is a channel, and each
// of its numbers a place.
func (s *scattering) Shape(int, int) (channels, places int) {
	rows, columns := s.outShape()
	return s.colors * paths, rows * columns
}

// Shape returns the shape of the numbers before, which stay in their places.
func (g groupNorm) Shape(channels, places int) (int, int) { return channels, places }
