package feature

var _, _ shaped = (*scattering)(nil), groupNorm{}

// Shape returns the shape of the scattering images. Each image is a channel, and each of its
// numbers a place.
func (s *scattering) Shape(int, int) (channels, places int) {
	rows, columns := s.outShape()
	return s.colors * paths, rows * columns
}

// Shape returns its arguments, since the transform changes no number's place.
func (g groupNorm) Shape(channels, places int) (int, int) { return channels, places }
