package ranks

// Pieces returns the option that pieces of a message have at most this length.
func Pieces(length int) Option { return func(s *settings) { s.piece = length } }
