package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word, number, quoted text or mark of an expression, at a byte position from 0.
type token struct {
	kind tokenKind
	text string
	at   int
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	quotedToken // a name in back quotes
	numberToken
	textToken
	markToken
)

// maxExpression bounds the length of an expression.
const maxExpression = 4096

// marks are the marks of expressions, longer ones first, with their meanings.
var marks = []struct{ mark, meaning string }{
	{"<=", "<="}, {">=", ">="}, {"!=", "!="}, {"==", "="}, {"≤", "<="}, {"≥", ">="}, {"≠", "!="}, {"−", "-"}, {"×", "*"},
	{"=", "="}, {"<", "<"}, {">", ">"}, {"+", "+"}, {"-", "-"}, {"*", "*"}, {"(", "("}, {")", ")"}, {",", ","},
}

// tokens returns the tokens of an expression. A minus or point between letters or digits of a name
// belongs to the name. Spaces around it make it a subtraction. Names in back quotes and texts in
// quotation marks may hold anything.
func tokens(text string) ([]token, error) {
	if len(text) > maxExpression || !utf8.ValidString(text) {
		return nil, fmt.Errorf("query: the expression is no text of at most %d bytes, want a shorter one", maxExpression)
	}
	var list []token
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			at += size
			continue
		}
		t, length := scanToken(text[at:], r)
		if length == 0 {
			return nil, syntax(at, "a name, a number or a mark such as + or <=; "+joined)
		}
		t.at = at
		list = append(list, t)
		at += length
	}
	return append(list, token{at: len(text)}), nil
}

// scanToken returns the token with which text begins and its length, 0 when there is none.
func scanToken(text string, first rune) (token, int) {
	switch {
	case first == '\'' || first == '"' || first == '`':
		end := strings.IndexRune(text[1:], first)
		if end < 0 {
			return token{}, 0
		}
		kind := textToken
		if first == '`' {
			kind = quotedToken
		}
		return token{kind: kind, text: text[1 : 1+end]}, end + 2
	case first >= '0' && first <= '9' || first == '.':
		n := numberLength(text)
		return token{kind: numberToken, text: text[:n]}, n
	case inName(first):
		n := nameLength(text)
		return token{kind: nameToken, text: text[:n]}, n
	}
	for _, m := range marks {
		if strings.HasPrefix(text, m.mark) {
			return token{kind: markToken, text: m.meaning}, len(m.mark)
		}
	}
	return token{}, 0
}

func inName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// nameLength returns the length of letters, digits and underscores with single minuses or points
// between them.
func nameLength(text string) int {
	n := 0
	for i, r := range text {
		if inName(r) {
			n = i + utf8.RuneLen(r)
		} else if i != n || r != '-' && r != '.' {
			break
		}
	}
	return n
}

// numberLength returns the length of digits and points, and of an exponent.
func numberLength(text string) int {
	n := 0
	for n < len(text) {
		c := text[n]
		sign := (c == '+' || c == '-') && (text[n-1] == 'e' || text[n-1] == 'E')
		if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && !sign {
			break
		}
		n++
	}
	return n
}

// joined says how conditions are joined. Other languages write && or AND.
const joined = "join conditions by and, or, not, in small letters"

// syntax returns the error of a text that is no expression. Positions in it count from 1.
func syntax(at int, want string) error {
	return fmt.Errorf("query: the expression is wrong at position %d, want %s", at+1, want)
}
