package network

// padding says which positions of the records of a pass are padding: tokens that an Embedding does
// not know. Layers after it look at it for as long as there are as many positions: attention gives
// padding no weight, a recurrent state stays as it is, and a mean over all positions is one over
// those that are not padding.
type padding struct {
	positions int
	of        []bool // records × positions
}

// at reports whether a position of a record is padding. Without an embedding nothing is.
func (p *padding) at(record, position int) bool {
	return p != nil && p.of[record*p.positions+position]
}

// known is how many positions of a record are not padding, out of this many.
func (p *padding) known(record, positions int) int {
	for t := range positions {
		if p.at(record, t) {
			positions--
		}
	}
	return positions
}

// before returns the space for a layer with this input: with new padding where the layer begins with tokens.
func (s *space) before(layer Layer, in Shape) *space {
	if s.padding != nil || !beginsWithTokens(layer) {
		return s
	}
	out := *s
	out.padding = &padding{in[0], make([]bool, s.records*in[0])}
	return &out
}

// behind returns the space for the layers behind one with this output: without the padding where positions are others.
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
