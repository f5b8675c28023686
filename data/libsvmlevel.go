package data

import "strconv"

// levelTexts finds the level that a text means: the level itself, or the first level that is the
// same number. So +1 and 1.0 are the level "1". Numbers from 2^53 on may be rounded, and mean no other
// text.
type levelTexts struct {
	texts   map[string]bool // levels and missing marks, which stay as they are
	numbers map[float64]string
}

func newLevelTexts(levels []string, marks MissingSet) levelTexts {
	l := levelTexts{texts: make(map[string]bool, len(levels)+len(marks)), numbers: make(map[float64]string, len(levels))}
	for mark := range marks {
		l.texts[mark] = true
	}
	for _, level := range levels {
		l.texts[level] = true
		v, err := strconv.ParseFloat(level, 64)
		if _, taken := l.numbers[v]; err == nil && !taken && hasText(v) {
			l.numbers[v] = level
		}
	}
	return l
}

// find returns the level, or the text where there is none.
func (l levelTexts) find(text string) string {
	if len(l.numbers) == 0 || l.texts[text] {
		return text
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	if level, ok := l.numbers[v]; ok { // such numbers have texts
		return level
	}
	return text
}
