package database

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/moment"
)

// Declared is what a database declares about the cells of one column.
type Declared struct {
	// Lower and Upper are the bounds of numbers. They are infinite where none is declared.
	Lower, Upper float64
	// Levels are the only possible texts or numbers, nil where none are declared.
	Levels []string
	// Required reports that no cell is missing. Key reports that the column alone is the primary key.
	Required, Key bool
	// Length is the length of all lists in the column, 0 where none is declared.
	Length int
	// Comment is the comment on the column.
	Comment string
}

// Check adds what a CHECK condition says about one column, which the condition calls by name. A
// condition counts where it compares the column with a constant or a list of constants. Several
// such conditions may be joined by AND. Anything else is left out, so a bound is never tighter than
// the database's own. Dates count in days, and moments in seconds, as Number does.
func (d *Declared) Check(condition, name string) {
	if tokens, ok := lex(condition); ok {
		d.check(tokens, columnName{text: name})
	}
}

// columnName is the name of a column as conditions call it. In PostgreSQL the word Age stands for the column age,
// and the quoted name "Age" for another column. In SQLite the case of letters is never significant.
type columnName struct {
	text    string
	anyCase bool
}

// is reports whether a token calls the column.
func (c columnName) is(t token) bool {
	switch {
	case t.kind != 'w' && t.kind != 'q':
		return false
	case c.anyCase:
		return strings.EqualFold(t.text, c.text)
	case t.kind == 'w':
		return lowered(t.text) == c.text
	}
	return t.text == c.text
}

// lowered returns a text with small letters in place of the capitals of ASCII, which PostgreSQL folds
// under every encoding.
func lowered(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// CheckTable adds what the CHECK conditions in a CREATE TABLE statement of SQLite or DuckDB say about one column.
func (d *Declared) CheckTable(statement, name string) {
	tokens, ok := lex(statement)
	if !ok {
		return
	}
	for i, t := range tokens {
		if !t.is("CHECK") || i+1 == len(tokens) || !tokens[i+1].is("(") {
			continue
		}
		if n := closing(tokens[i+1:]); n > 0 {
			d.check(tokens[i+1:i+2+n], columnName{text: name, anyCase: true})
		}
	}
}

// check adds what a condition says, unless it has CASE, whose parts are no terms.
func (d *Declared) check(condition []token, name columnName) {
	if slices.ContainsFunc(condition, func(t token) bool { return t.is("CASE") }) {
		return
	}
	for _, term := range terms(condition) {
		d.term(term, name)
	}
}

// token is a part of a condition: a word, a mark, a number, a quoted name or a text.
type token struct {
	kind byte // w, m, n, q or t
	text string
}

func (t token) is(word string) bool {
	return t.kind == 'w' && strings.EqualFold(t.text, word) || t.kind == 'm' && t.text == word
}

// lex cuts a condition into tokens.
func lex(text string) (tokens []token, ok bool) {
	for i := 0; i < len(text); {
		from := i
		switch c := text[i]; {
		case c == ' ' || c == '\n' || c == '\t':
			i++
			continue
		case strings.HasPrefix(text[i:], "--") || strings.HasPrefix(text[i:], "/*"):
			end, length := "\n", 1
			if c == '/' {
				end, length = "*/", 2
			}
			n := strings.Index(text[i+2:], end)
			if n < 0 {
				return tokens, c == '-'
			}
			i += 2 + n + length
			continue
		case c == '\'' || c == '"':
			var b strings.Builder
			for i++; ; i++ {
				if i == len(text) {
					return nil, false
				}
				if text[i] == c {
					if i++; i == len(text) || text[i] != c {
						break
					}
				}
				b.WriteByte(text[i])
			}
			kind := byte('t')
			if c == '"' {
				kind = 'q'
			}
			if n := len(tokens); n > 0 && c == '\'' && tokens[n-1].is("E") && from > 0 && text[from-1] != ' ' { // E'…' has escapes
				return nil, false
			}
			tokens = append(tokens, token{kind, b.String()})
			continue
		case isDigit(c) || c == '.' && i+1 < len(text) && isDigit(text[i+1]):
			for i < len(text) && (isDigit(text[i]) || text[i] == '.' || (text[i] == 'e' || text[i] == 'E') || (text[i] == '-' || text[i] == '+') && (text[i-1] == 'e' || text[i-1] == 'E')) {
				i++
			}
			tokens = append(tokens, token{'n', text[from:i]})
			continue
		case isLetter(c):
			for i < len(text) && (isLetter(text[i]) || isDigit(text[i]) || text[i] == '$') {
				i++
			}
			tokens = append(tokens, token{'w', text[from:i]})
			continue
		}
		for _, mark := range []string{"::", "<=", ">=", "<>", "!=", "=="} {
			if strings.HasPrefix(text[i:], mark) {
				i += 2
				break
			}
		}
		if i == from {
			i++
		}
		tokens = append(tokens, token{'m', text[from:i]})
	}
	return tokens, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// bare takes pairs of parentheses around a whole term away.
func bare(t []token) []token {
	for len(t) > 1 && t[0].is("(") && closing(t) == len(t)-1 {
		t = t[1 : len(t)-1]
	}
	return t
}

// closing returns the place of the mark that closes the first one, or -1.
func closing(t []token) int {
	depth := 0
	for i, one := range t {
		switch {
		case one.is("(") || one.is("["):
			depth++
		case one.is(")") || one.is("]"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// split cuts a term at a word outside parentheses. The AND of BETWEEN belongs to BETWEEN.
func split(t []token, word string) [][]token {
	var out [][]token
	from, depth, between := 0, 0, false
	for i, one := range t {
		switch {
		case one.is("(") || one.is("["):
			depth++
		case one.is(")") || one.is("]"):
			depth--
		case depth == 0 && one.is("BETWEEN"):
			between = true
		case depth == 0 && one.is(word) && between && word == "AND":
			between = false
		case depth == 0 && one.is(word):
			out, from = append(out, t[from:i]), i+1
		}
	}
	return append(out, t[from:])
}

// terms returns the parts that AND joins. Where OR joins anything outside parentheses, the whole is
// one term.
func terms(t []token) [][]token {
	t = bare(t)
	if len(split(t, "OR")) > 1 {
		return [][]token{t}
	}
	parts := split(t, "AND")
	if len(parts) == 1 {
		return parts
	}
	var out [][]token
	for _, part := range parts {
		out = append(out, terms(part)...)
	}
	return out
}

// isColumn reports whether a term is the column itself, cast perhaps to a type that keeps its value.
func isColumn(t []token, name columnName) bool {
	if t = bare(t); len(t) > 2 && t[len(t)-1].is("precision") {
		t = t[:len(t)-1]
	}
	if n := len(t); n > 2 && t[n-2].is("::") && slices.ContainsFunc([]string{"text", "numeric", "double", "varchar", "bpchar"}, t[n-1].is) {
		t = bare(t[:n-2])
	} else if n > 3 && t[n-3].is("::") && t[n-2].is("character") && t[n-1].is("varying") {
		t = bare(t[:n-3])
	}
	return len(t) == 1 && name.is(t[0])
}

// isText reports whether a token is the name of a type of texts.
func isText(t token) bool {
	return slices.ContainsFunc([]string{"text", "varchar", "bpchar", "character"}, t.is)
}

// uncast takes casts and parentheses away.
func uncast(t []token) []token {
	for {
		t = bare(t)
		at := -1
		depth := 0
		for i, one := range t {
			switch {
			case one.is("(") || one.is("["):
				depth++
			case one.is(")") || one.is("]"):
				depth--
			case depth == 0 && one.is("::"):
				at = i
			}
		}
		if at < 1 || !isType(t[at+1:]) {
			return t
		}
		t = t[:at]
	}
}

// isType reports whether a term is the name of a type.
func isType(t []token) bool {
	for i, one := range t {
		if i == 0 && one.kind != 'w' && one.kind != 'q' || one.kind == 't' || one.is("=") || one.is("AND") || one.is("OR") {
			return false
		}
	}
	return len(t) > 0
}

// term adds what a term says.
func (d *Declared) term(t []token, name columnName) {
	t = bare(t)
	if parts := split(t, "OR"); len(parts) > 1 {
		d.either(parts, name)
		return
	}
	for i, one := range t {
		left, right := t[:i], t[i+1:]
		switch {
		case depthAt(t, i) > 0:
		case one.is("BETWEEN") && isColumn(left, name):
			if ends := split(right, "AND"); len(ends) == 2 && !slices.ContainsFunc(t, isText) {
				d.bound(">=", ends[0])
				d.bound("<=", ends[1])
			}
			return
		case one.is("IN") && isColumn(left, name):
			d.list(bare(right))
			return
		case one.is("=") || one.is("=="):
			d.equal(left, right, name)
			return
		case one.is("<") || one.is("<=") || one.is(">") || one.is(">="):
			if slices.ContainsFunc(t, isText) { // texts have another order than numbers
				return
			}
			if isColumn(left, name) {
				d.bound(one.text, right)
			} else if isColumn(right, name) {
				d.bound(map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[one.text], left)
			}
			return
		}
	}
}

// depthAt returns the number of parentheses that are open at a place.
func depthAt(t []token, at int) int {
	depth := 0
	for _, one := range t[:at] {
		switch {
		case one.is("(") || one.is("["):
			depth++
		case one.is(")") || one.is("]"):
			depth--
		}
	}
	return depth
}

// either adds the levels of equalities joined by OR.
func (d *Declared) either(parts [][]token, name columnName) {
	var all []string
	for _, part := range parts {
		one := Declared{Lower: math.Inf(-1), Upper: math.Inf(1)}
		if one.term(part, name); one.Levels == nil {
			return
		}
		all = append(all, one.Levels...)
	}
	d.restrict(all)
}

// equal adds an equality: with a constant, with ANY of several, or of the length of lists.
func (d *Declared) equal(left, right []token, name columnName) {
	switch {
	case isColumn(left, name) && len(right) > 1 && right[0].is("ANY"):
		inner := uncast(right[1:])
		if len(inner) > 2 && inner[0].is("ARRAY") && inner[1].is("[") && closing(inner[1:]) == len(inner)-2 {
			d.list(inner[2 : len(inner)-1])
		}
	case isColumn(left, name):
		d.list(right)
	case isColumn(right, name):
		d.list(left)
	default:
		if n := len(left); n > 3 && (left[0].is("cardinality") || left[0].is("array_length")) && left[1].is("(") && left[n-1].is(")") && isColumn(split(left[2:n-1], ",")[0], name) {
			if v, ok := number(right); ok && v >= 1 && v <= 1<<20 && v == math.Trunc(v) {
				d.Length = int(v)
			}
		}
	}
}

// list adds levels between commas.
func (d *Declared) list(t []token) {
	var levels []string
	for _, part := range split(t, ",") {
		level, ok := constant(part)
		if !ok {
			return
		}
		levels = append(levels, level)
	}
	d.restrict(levels)
}

// restrict keeps the levels that all conditions allow.
func (d *Declared) restrict(levels []string) {
	var kept []string
	for _, level := range levels {
		if !slices.Contains(kept, level) && (d.Levels == nil || slices.Contains(d.Levels, level)) {
			kept = append(kept, level)
		}
	}
	d.Levels = kept
}

// bound adds a comparison of the column with a constant.
func (d *Declared) bound(mark string, t []token) {
	v, ok := number(t)
	switch {
	case !ok:
	case mark == ">" || mark == ">=":
		d.Lower = max(d.Lower, v)
	default:
		d.Upper = min(d.Upper, v)
	}
}

// constant returns a text or a number.
func constant(t []token) (string, bool) {
	t = uncast(t)
	switch {
	case len(t) == 1 && (t[0].kind == 't' || t[0].kind == 'n'):
		return t[0].text, true
	case len(t) == 2 && t[0].is("-") && t[1].kind == 'n':
		return "-" + t[1].text, true
	case len(t) == 1 && (t[0].is("true") || t[0].is("false")):
		return strings.ToLower(t[0].text), true
	}
	return "", false
}

// number returns a number, or the number of a date or a moment in UTC.
func number(t []token) (float64, bool) {
	text, ok := constant(t)
	if !ok {
		return 0, false
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return moment.Parse(text)
}
