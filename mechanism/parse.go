package mechanism

import (
	"fmt"
	"strconv"
	"strings"
)

// maxEventDepth bounds the nesting of an expression, so that hostile text cannot
// exhaust the stack.
const maxEventDepth = 64

// ParseEvent reads the expression that Event.String prints. The error names the
// position (in bytes, from 1) and what was wanted there.
func ParseEvent(text string) (Event, error) {
	p := &eventParser{text: text}
	e, err := p.event(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at != len(p.text) {
		return nil, p.want("the end of the event")
	}
	return e, CheckEvent(e)
}

type eventParser struct {
	text string
	at   int
}

func (p *eventParser) want(what string) error {
	return fmt.Errorf("mechanism: event text is wrong at position %d, want %s", p.at+1, what)
}

func (p *eventParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// take consumes c, after spaces, and reports whether it stood there.
func (p *eventParser) take(c byte) bool {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == c {
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

func (p *eventParser) event(depth int) (Event, error) {
	if depth > maxEventDepth {
		return nil, p.want(fmt.Sprintf("at most %d nested events", maxEventDepth))
	}
	start := p.at
	name := p.word()
	read, known := map[string]func(int) (Event, error){
		"gaussian":    p.gaussian,
		"non-private": func(int) (Event, error) { return NonPrivate{}, nil },
		"poisson":     p.poisson,
		"repeat":      p.repeat,
		"sequence":    p.sequence,
	}[name]
	if !known {
		p.at = start
		return nil, p.want("gaussian, non-private, poisson, repeat or sequence")
	}
	if !p.take('(') {
		return nil, p.want("(")
	}
	e, err := read(depth)
	if err == nil && !p.take(')') {
		err = p.want(")")
	}
	return e, err
}

func (p *eventParser) gaussian(int) (Event, error) {
	v, err := strconv.ParseFloat(p.word(), 64)
	if err != nil {
		return nil, p.want("a noise multiplier before it")
	}
	return Gaussian{NoiseMultiplier: v}, nil
}

func (p *eventParser) poisson(depth int) (Event, error) {
	q, err := strconv.ParseFloat(p.word(), 64)
	if err != nil {
		return nil, p.want("a sampling probability before it")
	}
	if !p.take(',') {
		return nil, p.want(", and an event")
	}
	e, err := p.event(depth + 1)
	return PoissonSampled{Probability: q, Event: e}, err
}

func (p *eventParser) repeat(depth int) (Event, error) {
	count, err := strconv.Atoi(p.word())
	if err != nil {
		return nil, p.want("a count before it")
	}
	if !p.take(',') {
		return nil, p.want(", and an event")
	}
	e, err := p.event(depth + 1)
	return Repeat{Event: e, Count: count}, err
}

func (p *eventParser) sequence(depth int) (Event, error) {
	s := Sequence{}
	if p.space(); p.at < len(p.text) && p.text[p.at] == ')' {
		return s, nil
	}
	for {
		e, err := p.event(depth + 1)
		if err != nil {
			return nil, err
		}
		s = append(s, e)
		if !p.take(',') {
			return s, nil
		}
	}
}
