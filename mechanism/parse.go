package mechanism

import (
	"fmt"
	"strconv"
	"strings"
)

// maxEventDepth bounds the nesting of an expression, so that hostile text cannot
// exhaust the stack.
const maxEventDepth = 64

// ParseEvent returns the event of an expression in the format of Event.String. An error states the
// position in the text, in bytes from 1, and the text that was expected.
func ParseEvent(text string) (Event, error) {
	p := &eventParser{text: text}
	e := p.event()
	if p.space(); p.err == nil && p.at != len(p.text) {
		p.want("the end of the event")
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, CheckEvent(e)
}

// eventParser reads an expression until the first error, and reads nothing after it.
type eventParser struct {
	text  string
	at    int
	depth int
	first bool // the next argument is the first of its event
	err   error
}

// want records what was expected at this position, unless an error is recorded already.
func (p *eventParser) want(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("mechanism: event text is wrong at position %d, want %s", p.at+1, what)
	}
}

func (p *eventParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// take consumes c, after spaces, and reports whether it found c.
func (p *eventParser) take(c byte) bool {
	p.space()
	if p.err == nil && p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// word consumes a run of bytes that are neither spaces nor punctuation.
func (p *eventParser) word() string {
	p.space()
	rest := p.text[p.at:]
	end := strings.IndexAny(rest, " (),")
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	return rest[:end]
}

// event reads a name and its arguments.
func (p *eventParser) event() Event {
	p.space()
	start := p.at
	read, known := eventReaders[p.word()]
	switch {
	case p.depth > maxEventDepth:
		p.want(fmt.Sprintf("at most %d nested events", maxEventDepth))
	case !known:
		p.at = start
		p.want("one of " + strings.Join(EventNames(), ", "))
	case !p.take('('):
		p.want("(")
	}
	if p.err != nil {
		return nil
	}
	p.depth++
	p.first = true
	e := read(p)
	p.first = false
	p.depth--
	if p.err == nil && !p.take(')') {
		p.want(")")
	}
	return e
}

// argument consumes the comma before every argument but the first.
func (p *eventParser) argument(what string) {
	if !p.first && !p.take(',') {
		p.want(", and " + what)
	}
	p.first = false
}

func (p *eventParser) number(what string) float64 {
	p.argument(what)
	v, err := strconv.ParseFloat(p.word(), 64)
	if err != nil {
		p.want(what + " before it")
	}
	return v
}

func (p *eventParser) count64(what string) int64 {
	p.argument(what)
	v, err := strconv.ParseInt(p.word(), 10, 64)
	if err != nil {
		p.want(what + " before it")
	}
	return v
}

func (p *eventParser) count(what string) int {
	p.argument(what)
	v, err := strconv.Atoi(p.word())
	if err != nil {
		p.want(what + " before it")
	}
	return v
}

func (p *eventParser) part() Event {
	p.argument("an event")
	if p.err != nil {
		return nil
	}
	return p.event()
}

// more reports whether another argument follows.
func (p *eventParser) more() bool {
	p.space()
	return p.err == nil && p.at < len(p.text) && (p.first && p.text[p.at] != ')' || !p.first && p.text[p.at] == ',')
}
