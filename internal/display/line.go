package display

import (
	"os"
	"strings"
)

// OneLine returns an error on one line, free of control characters.
func OneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "; ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '�'
		}
		return r
	}, text)
}

// Exists reports whether the path exists.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Pathless returns an error without the path that an *os.PathError repeats.
func Pathless(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
