package query

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
)

// expression is a number or a condition, made of the declared columns of one row and of constants.
// Its bounds follow from the bounds of the columns by interval arithmetic, so they are public. A
// missing cell makes a number missing, written NaN. A condition is then missing too, unless its
// other parts decide it.
type expression struct {
	text         string
	truth        bool
	lower, upper float64
	// target reports that the target column is read.
	target bool
	value  evaluator
}

// evaluator attaches an expression to a data set. Its result returns the value of a row.
type evaluator func(d *data.Dataset) func(i int) float64

// maxMagnitude bounds the magnitude of an expression.
const maxMagnitude = 1e100

// parseExpression returns an expression over the columns of a schema. It has numbers, names of
// columns, + - *, and clamp(expression, low, high). Comparisons with = != < <= > >= are of numbers,
// or of a column with one of its levels. "not", "and" and "or" join conditions. A condition counts
// as 0 or 1 where a number is expected.
//
// Plain names have letters, digits, _ and a single - or . between them. Any other name stands in
// back quotes, and any other level in quotation marks. Errors name positions, columns and levels,
// which are public.
func parseExpression(s *data.Schema, text string) (expression, error) {
	n, err := parse(text)
	if err != nil {
		return expression{}, err
	}
	b := binder{schema: s, features: s.Features()}
	e, err := b.bind(n)
	if err != nil {
		return expression{}, err
	}
	e.text = text
	return e, nil
}

// parseCondition returns an expression that must be a condition.
func parseCondition(s *data.Schema, text string) (expression, error) {
	e, err := parseExpression(s, text)
	if err == nil && !e.truth {
		return e, fmt.Errorf("query: %q is a number, want a condition such as age >= 30", text)
	}
	return e, err
}

// String returns the source text of the expression.
func (e expression) String() string { return e.text }

// Bounds returns the least and the largest number that the expression can be, by the declared
// bounds.
func (e expression) bounds() (lower, upper float64) { return e.lower, e.upper }

// Condition reports whether the expression is true or false for a row rather than a number.
func (e expression) Condition() bool { return e.truth }

// needsTarget reports whether the expression names the target column.
func (e expression) needsTarget() bool { return e.target }

// on returns the expression as a function of the rows of d, which must have the same schema. A
// value is within bounds, or NaN where it is missing. It depends on its row only.
func (e expression) on(d *data.Dataset) func(i int) float64 {
	value, lower, upper := e.value(d), e.lower, e.upper
	return func(i int) float64 {
		v := value(i)
		if v != v { // NaN: missing
			return v
		}
		return min(max(v, lower), upper)
	}
}

// constant returns a public number.
func constant(v float64) expression {
	return expression{lower: v, upper: v, value: func(*data.Dataset) func(int) float64 { return func(int) float64 { return v } }}
}

// apply returns the combination of expressions row by row. f must return NaN for missing numbers.
func apply(f func(v []float64) float64, parts ...expression) expression {
	e := expression{value: func(d *data.Dataset) func(int) float64 {
		values := make([]func(int) float64, len(parts))
		for k, p := range parts {
			values[k] = p.value(d)
		}
		return func(i int) float64 {
			var room [3]float64
			v := room[:len(values)]
			for k, value := range values {
				v[k] = value(i)
			}
			return f(v)
		}
	}}
	for _, p := range parts {
		e.target = e.target || p.target
	}
	return e
}

// arithmetic returns an operation on numbers with the bounds of its result.
func arithmetic(operation string, parts []expression) expression {
	a := parts[0]
	var e expression
	switch operation {
	case "negate":
		e = apply(func(v []float64) float64 { return -v[0] }, a)
		e.lower, e.upper = -a.upper, -a.lower
	case "+":
		e = apply(func(v []float64) float64 { return v[0] + v[1] }, parts...)
		e.lower, e.upper = a.lower+parts[1].lower, a.upper+parts[1].upper
	case "-":
		e = apply(func(v []float64) float64 { return v[0] - v[1] }, parts...)
		e.lower, e.upper = a.lower-parts[1].upper, a.upper-parts[1].lower
	case "*":
		e = apply(func(v []float64) float64 { return v[0] * v[1] }, parts...)
		b := parts[1]
		e.lower = min(a.lower*b.lower, a.lower*b.upper, a.upper*b.lower, a.upper*b.upper)
		e.upper = max(a.lower*b.lower, a.lower*b.upper, a.upper*b.lower, a.upper*b.upper)
	case "clamp":
		low, high := parts[1].lower, parts[2].lower
		e = apply(func(v []float64) float64 {
			if v[0] != v[0] { // NaN: missing
				return v[0]
			}
			return min(max(v[0], low), high)
		}, a)
		e.lower, e.upper = min(max(a.lower, low), high), min(max(a.upper, low), high)
	}
	return e
}

// condition returns an expression of 0, 1 and NaN.
func condition(f func(v []float64) float64, parts ...expression) expression {
	e := apply(f, parts...)
	e.truth, e.lower, e.upper = true, 0, 1
	return e
}

// comparison compares two numbers.
func comparison(operator string, a, b expression) expression {
	return condition(func(v []float64) float64 {
		if v[0] != v[0] || v[1] != v[1] { // NaN: missing
			return math.NaN()
		}
		return truthOf(compare(operator, v[0], v[1]))
	}, a, b)
}

func compare(operator string, a, b float64) bool {
	switch operator {
	case "=":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

func truthOf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// logic returns conditions joined in the three-valued logic of Kleene. A missing part matters only
// where the other part leaves the answer open.
func logic(operator string, parts []expression) expression {
	switch operator {
	case "not":
		return condition(func(v []float64) float64 { return 1 - v[0] }, parts...)
	case "and":
		return condition(func(v []float64) float64 {
			if v[0] == 0 || v[1] == 0 {
				return 0
			}
			return v[0] * v[1]
		}, parts...)
	}
	return condition(func(v []float64) float64 {
		if v[0] == 1 || v[1] == 1 {
			return 1
		}
		return v[0] * v[1] // 0 or NaN
	}, parts...)
}
