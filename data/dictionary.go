package data

import (
	"math"
	"strconv"
	"strings"
)

// dictionary holds a column as codes into its texts, in order of appearance.
type dictionary struct {
	name   string
	index  map[string]int32
	levels []string
	codes  []int32
	// kept are the texts of rows that were kept. renamed maps codes in levels to codes in kept,
	// plus 1; 0 is a text that so far has appeared in dropped rows only.
	kept    []string
	renamed []int32
}

// hasText reports whether a number has a text, as a level or a key. The text must be exact: a number from
// 2^53 on may be that of another level or person, rounded.
func hasText(v float64) bool { return math.Abs(v) < 1<<53 }

// numberText appends the text of a number, nothing for a missing cell.
func numberText(text []byte, v float64) []byte {
	if !hasText(v) {
		return text
	}
	return strconv.AppendFloat(text, v+0, 'f', -1, 64) // -0 is the number 0, and -0 + 0 is 0
}

func (e *dictionary) add(text string, marks MissingSet) {
	if marks.missing(text) {
		e.codes = append(e.codes, -1)
		return
	}
	code, ok := e.index[text]
	if !ok {
		code = e.learn(strings.Clone(text)) // the cell is part of a whole row
	}
	e.codes = append(e.codes, code)
}

// addBytes adds a text given in bytes.
func (e *dictionary) addBytes(text []byte, marks MissingSet) {
	if marks.has(text) {
		e.codes = append(e.codes, -1)
		return
	}
	code, ok := e.index[string(text)]
	if !ok {
		code = e.learn(string(text))
	}
	e.codes = append(e.codes, code)
}

// learn gives a new text the next code.
func (e *dictionary) learn(text string) int32 {
	code := int32(len(e.levels))
	e.index[text] = code
	e.levels = append(e.levels, text)
	return code
}

// join appends the codes of another dictionary, by their texts.
func (e *dictionary) join(other *dictionary) {
	renamed := make([]int32, len(other.levels))
	for i, text := range other.levels {
		code, ok := e.index[text]
		if !ok {
			code = e.learn(text)
		}
		renamed[i] = code
	}
	for _, code := range other.codes {
		if code >= 0 {
			code = renamed[code]
		}
		e.codes = append(e.codes, code)
	}
}

// forget numbers the texts of codes from a row on anew, in order of appearance. It leaves out texts
// without a remaining row. It continues where it ended before.
func (e *dictionary) forget(from int) {
	for len(e.renamed) < len(e.levels) {
		e.renamed = append(e.renamed, 0)
	}
	for i := from; i < len(e.codes); i++ {
		code := e.codes[i]
		if code < 0 {
			continue
		}
		if e.renamed[code] == 0 {
			e.kept = append(e.kept, e.levels[code])
			e.renamed[code] = int32(len(e.kept))
		}
		e.codes[i] = e.renamed[code] - 1
	}
}
