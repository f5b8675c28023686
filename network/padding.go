package network

// padding holds which positions of the records of a pass are padding: tokens that an Embedding does
// not know. Later layers use it while the number of positions stays the same. Attention gives
// padding no weight, and padding leaves a recurrent state unchanged. A mean over all positions
// leaves padding out.
type padding struct {
	positions int
	of        []bool // records × positions
}

// at reports whether a position of a record is padding. Without an embedding no position is.
func (p *padding) at(record, position int) bool {
	return p != nil && p.of[record*p.positions+position]
}

// known returns how many of this number of a record's positions are not padding.
func (p *padding) known(record, positions int) int {
	for t := range positions {
		if p.at(record, t) {
			positions--
		}
	}
	return positions
}

// before returns the space for a layer with this input. It has new padding if the layer begins with
// tokens.
func (s *space) before(layer Layer, in Shape) *space {
	if s.padding != nil || !beginsWithTokens(layer) {
		return s
	}
	out := *s
	out.padding = &padding{in[0], make([]bool, s.records*in[0])}
	return &out
}

// behind returns the space for layers after one with this output. Padding ends if the number of
// positions changes.
func (s *space) behind(shape Shape) *space {
	if s.padding == nil || len(shape) == 2 && shape[0] == s.padding.positions {
		return s
	}
	out := *s
	out.padding = nil
	return &out
}

// beginsWithTokens reports whether a layer is an embedding, or layers that begin with one.
func beginsWithTokens(layer Layer) bool {
	if outer, holds := layer.(interface{ inner() Layers }); holds {
		inner := outer.inner()
		return len(inner) > 0 && beginsWithTokens(inner[0])
	}
	_, is := layer.(Embedding)
	return is
}
