package query

import (
	"math"
	"strconv"
)

// node is a part of a parsed expression: a leaf, or an operation on its parts.
type node struct {
	kind  nodeKind
	text  string  // of a name, a text, an operation or a comparison
	value float64 // of a number
	parts []*node
	at    int
}

type nodeKind uint8

const (
	numberNode nodeKind = iota
	nameNode
	textNode
	operationNode // + - * negate clamp
	compareNode   // = != < <= > >=
	logicNode     // and or not
)

// maxDepth bounds the nesting of an expression.
const maxDepth = 100

// parse returns the tree of an expression of this grammar:
//
//	either     = both {"or" both}
//	both       = denial {"and" denial}
//	denial     = "not" denial | comparison
//	comparison = sum [("=" | "!=" | "<" | "<=" | ">" | ">=") sum]
//	sum        = product {("+" | "-") product}
//	product    = factor {"*" factor}
//	factor     = "-" factor | number | name | text | "(" either ")" | "clamp" "(" sum "," number "," number ")"
func parse(text string) (*node, error) {
	list, err := tokens(text)
	if err != nil {
		return nil, err
	}
	p := &parser{list: list}
	n := p.either()
	if p.err == nil && p.peek().kind != endToken {
		p.fail("the end of the expression, or an operator before this; " + joined)
	}
	return n, p.err
}

type parser struct {
	list  []token
	next  int
	depth int
	err   error
}

func (p *parser) peek() token { return p.list[p.next] }

func (p *parser) fail(want string) {
	if p.err == nil {
		p.err = syntax(p.peek().at, want)
	}
}

// take consumes a token of this kind and one of these texts.
func (p *parser) take(kind tokenKind, texts ...string) (token, bool) {
	t := p.peek()
	for _, text := range texts {
		if p.err == nil && t.kind == kind && t.text == text {
			p.next++
			return t, true
		}
	}
	return t, false
}

func (p *parser) want(mark string) {
	if _, ok := p.take(markToken, mark); !ok {
		p.fail("\"" + mark + "\"")
	}
}

// chain returns parts joined by operators of one rank, from the left.
func (p *parser) chain(kind nodeKind, tokens tokenKind, part func() *node, operators ...string) *node {
	n := part()
	for {
		t, ok := p.take(tokens, operators...)
		if !ok {
			return n
		}
		n = &node{kind: kind, text: t.text, parts: []*node{n, part()}, at: t.at}
	}
}

func (p *parser) either() *node { return p.chain(logicNode, nameToken, p.both, "or") }
func (p *parser) both() *node   { return p.chain(logicNode, nameToken, p.denial, "and") }

func (p *parser) denial() *node {
	if t, ok := p.take(nameToken, "not"); ok {
		if !p.enter() {
			return &node{}
		}
		defer p.leave()
		return &node{kind: logicNode, text: "not", parts: []*node{p.denial()}, at: t.at}
	}
	return p.comparison()
}

func (p *parser) comparison() *node {
	n := p.sum()
	if t, ok := p.take(markToken, "=", "!=", "<", "<=", ">", ">="); ok {
		return &node{kind: compareNode, text: t.text, parts: []*node{n, p.sum()}, at: t.at}
	}
	return n
}

func (p *parser) sum() *node     { return p.chain(operationNode, markToken, p.product, "+", "-") }
func (p *parser) product() *node { return p.chain(operationNode, markToken, p.factor, "*") }

// enter reports whether the nesting may grow by one.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail("less nesting")
	}
	return p.err == nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) factor() *node {
	if !p.enter() {
		return &node{}
	}
	defer p.leave()
	t := p.peek()
	switch {
	case t.kind == nameToken && t.text == "clamp" && p.list[p.next+1].text == "(":
		return p.clamp()
	case t.kind == nameToken || t.kind == quotedToken:
		p.next++
		return &node{kind: nameNode, text: t.text, at: t.at}
	case t.kind == textToken:
		p.next++
		return &node{kind: textNode, text: t.text, at: t.at}
	case t.kind == numberToken:
		return p.number(1)
	}
	if _, ok := p.take(markToken, "-"); ok {
		return &node{kind: operationNode, text: "negate", parts: []*node{p.factor()}, at: t.at}
	}
	if _, ok := p.take(markToken, "("); ok {
		n := p.either()
		p.want(")")
		return n
	}
	p.fail("a column, a number, a text in quotation marks or (")
	return &node{}
}

// number reads a finite number, times a sign.
func (p *parser) number(sign float64) *node {
	t := p.peek()
	v, err := strconv.ParseFloat(t.text, 64)
	if t.kind != numberToken || err != nil || math.IsInf(v, 0) {
		p.fail("a number")
		return &node{}
	}
	p.next++
	return &node{kind: numberNode, text: t.text, value: sign * v, at: t.at}
}

// clamp reads clamp(expression, low, high).
func (p *parser) clamp() *node {
	n := &node{kind: operationNode, text: "clamp", at: p.peek().at}
	p.next += 2
	n.parts = append(n.parts, p.sum())
	for range 2 {
		p.want(",")
		sign := 1.0
		if _, ok := p.take(markToken, "-"); ok {
			sign = -1
		}
		n.parts = append(n.parts, p.number(sign))
	}
	p.want(")")
	return n
}
