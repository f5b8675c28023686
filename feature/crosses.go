package feature

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/encoder"
)

// crosses keeps a row and appends products of features of different columns. For each list of
// columns it appends the product of one feature of each column, for all choices. The last column's
// choice runs fastest. For two columns of indicators the products are the indicators of both levels
// together.
type crosses struct {
	in       int
	products [][]int // the features of each product
	names    []encoder.Name
	most     int // largest number of factors of a product
}

var _ transform = (*crosses)(nil)

type crossesParameters struct {
	Columns crossLists `json:"columns"`
}

// crossLists are lists of columns: [["age", "sex"], ["age", "job", "sex"]], or on one line
// "age*sex+age*job*sex", with blanks between names and signs if wanted.
type crossLists [][]string

// UnmarshalJSON accepts a list of lists or a text.
func (c *crossLists) UnmarshalJSON(text []byte) error {
	var line string
	if json.Unmarshal(text, &line) != nil {
		return json.Unmarshal(text, (*[][]string)(c))
	}
	for _, list := range strings.Split(line, "+") {
		*c = append(*c, namesIn(list, "*"))
	}
	return nil
}

// namesIn returns the names of columns between the signs of a line, without the blanks around them: a
// schema declares no name that begins or ends with a blank.
func namesIn(line, sign string) []string {
	names := strings.Split(line, sign)
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return names
}

// newCrosses returns the transform of parameters {"columns": [["age", "sex"], …]}.
func newCrosses(parameters json.RawMessage, at surroundings) (transform, error) {
	names := at.names
	var p crossesParameters
	if err := decodeParameters(parameters, &p); err != nil {
		return nil, err
	}
	if len(p.Columns) == 0 {
		return nil, fmt.Errorf("no columns are given, want lists of two or three, such as columns=age*sex")
	}
	of := map[string][]int{}
	for j, n := range names {
		of[n.Column] = append(of[n.Column], j)
	}
	c := &crosses{in: len(names), names: slices.Clone(names)}
	seen := map[string]bool{}
	for _, columns := range p.Columns {
		key := slices.Clone(columns)
		slices.Sort(key)
		if text := strings.Join(key, "\x00"); seen[text] {
			return nil, fmt.Errorf("columns %s are crossed twice, want each set of columns once", strings.Join(columns, " × "))
		} else {
			seen[text] = true
		}
		if err := c.cross(columns, of); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// cross adds the products of a list of columns.
func (c *crosses) cross(columns []string, of map[string][]int) error {
	if len(columns) < 2 || len(columns) > 3 {
		return fmt.Errorf("a cross is of %d columns, want two or three", len(columns))
	}
	products := [][]int{nil}
	for i, column := range columns {
		if slices.Contains(columns[:i], column) {
			return fmt.Errorf("column %q is crossed with itself, want different columns", column)
		}
		if len(of[column]) == 0 {
			return fmt.Errorf("column %q has no features at this place, want a numeric, categorical or text column of the schema, before transforms that mix columns", column)
		}
		if len(products) > maxFeatures/len(of[column]) {
			return fmt.Errorf("the cross of %s has more than %d features, want columns of fewer levels", strings.Join(columns, " × "), maxFeatures)
		}
		products = extended(products, of[column])
	}
	if len(c.names)+len(products) > maxFeatures {
		return fmt.Errorf("the crosses have more than %d features, want fewer", maxFeatures)
	}
	for _, factors := range products {
		c.products, c.names = append(c.products, factors), append(c.names, c.productName(factors))
	}
	c.most = max(c.most, len(columns))
	return nil
}

// extended returns every product with every further factor.
func extended(products [][]int, factors []int) [][]int {
	out := make([][]int, 0, len(products)*len(factors))
	for _, p := range products {
		for _, f := range factors {
			out = append(out, append(p[:len(p):len(p)], f))
		}
	}
	return out
}

// productName returns "age × sex = f" for the number age and the level f of sex.
func (c *crosses) productName(factors []int) encoder.Name {
	var columns, levels []string
	for _, f := range factors {
		n := c.names[f]
		columns = append(columns, n.Column)
		if n.Level != "" {
			levels = append(levels, n.Level)
		}
	}
	return encoder.Name{Column: strings.Join(columns, " × "), Level: strings.Join(levels, ", ")}
}

func (c *crosses) In() int { return c.in }

func (c *crosses) Out() int { return len(c.names) }

// Bound returns the larger of in and the power of in with the largest number of factors.
func (c *crosses) Bound(in float64) float64 { return max(in, math.Pow(in, float64(c.most))) }

func (c *crosses) NewScratch() any { return nil }

func (c *crosses) Name(j int, before func(int) encoder.Name) encoder.Name {
	if j < c.in {
		return before(j)
	}
	return c.names[j]
}

func (c *crosses) Apply(dst, x []float64, _ any) {
	copy(dst, x[:c.in])
	for k, factors := range c.products {
		v := x[factors[0]]
		for _, f := range factors[1:] {
			v *= x[f]
		}
		dst[c.in+k] = v
	}
}
