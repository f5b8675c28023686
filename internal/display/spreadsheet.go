package display

import (
	"strconv"
	"strings"
)

// Spreadsheet puts an apostrophe in front of a text that a spreadsheet would run as a formula.
// Numbers, such as the level -1, are no formulas.
func Spreadsheet(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
