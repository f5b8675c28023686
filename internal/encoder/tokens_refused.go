package encoder

import "fmt"

// RefuseTokens returns an error, in the name of a package, if the encoded features are tokens. The
// numbers of tokens are names, not quantities, so a linear model cannot use them.
func RefuseTokens(name string, e *Encoder) error {
	if e.Tokens() == 0 {
		return nil
	}
	return fmt.Errorf("%s: the text columns keep their words at positions, want a network that begins with an embedding; or leave positions out of the schema for a bag of words", name)
}
