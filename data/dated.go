package data

import (
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/moment"
)

// isDated reports whether a column of a file holds dates or moments. Their numbers are for columns
// that are declared as numbers, and their texts for all others.
func isDated(said columnar.Column) bool {
	return said.Kind == columnar.Dates || said.Kind == columnar.Times
}

// appendDated appends the text of a date or of a moment.
func appendDated(dst []byte, said columnar.Column, v float64) []byte {
	if said.Kind == columnar.Dates {
		return moment.AppendDate(dst, v)
	}
	return moment.AppendTime(dst, v, said.Zoned)
}

// datedTexts returns the texts of dates or moments.
func datedTexts(said columnar.Column, dated columnar.Cells) columnar.Cells {
	cells, codes := columnar.Cells{Codes: make([]int32, len(dated.Numbers))}, map[float64]int32{}
	for i, v := range dated.Numbers {
		if text, is := dated.Exact[i]; is {
			cells.Codes[i], cells.Texts = int32(len(cells.Texts)), append(cells.Texts, []byte(text))
			continue
		}
		if !finite(v) {
			cells.Codes[i] = -1
			continue
		}
		code, known := codes[v]
		if !known {
			code = int32(len(cells.Texts))
			codes[v], cells.Texts = code, append(cells.Texts, appendDated(nil, said, v))
		}
		cells.Codes[i] = code
	}
	return cells
}
