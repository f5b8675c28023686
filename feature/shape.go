package feature

var _, _ shaped = (*scattering)(nil), groupNorm{}

// Shape is that of the images that scattering makes: each is a channel, each of its numbers a place.
func (s *scattering) Shape(int, int) (channels, places int) {
	rows, columns := s.outShape()
	return s.colors * paths, rows * columns
}

// Shape is that of the numbers before, which stay in their places.
func (g groupNorm) Shape(channels, places int) (int, int) { return channels, places }
