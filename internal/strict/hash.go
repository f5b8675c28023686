package strict

// IsHash reports whether a text is a SHA-256 in the spelling of this program's files: 64
// hexadecimal digits in lower case.
func IsHash(text string) bool {
	if len(text) != 64 {
		return false
	}
	for _, r := range text {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f') {
			return false
		}
	}
	return true
}
