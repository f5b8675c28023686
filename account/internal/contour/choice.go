package contour

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// choice is a public choice between pairs: their losses, mixed by weights.
type choice struct {
	weights []float64
	sources []source
}

func newChoice(c pair.Choice) (choice, error) {
	var r choice
	var sum special.Total
	for i, v := range c {
		if !(v.Weight >= 0) {
			return choice{}, fmt.Errorf("contour: weight %d of a choice is %v, want at least 0", i, v.Weight)
		}
		if sum.Add(v.Weight); v.Weight == 0 {
			continue
		}
		s, err := newSource(v.Pair)
		if err != nil {
			return choice{}, err
		}
		r.weights, r.sources = append(r.weights, v.Weight), append(r.sources, s)
	}
	if math.Abs(sum.Value()-1) > 1e-9 {
		return choice{}, fmt.Errorf("contour: weights of a choice sum to %v, want 1", sum.Value())
	}
	return r, nil
}

func (c choice) infinite() (p, q float64) {
	for i, s := range c.sources {
		x, y := s.infinite()
		p, q = p+c.weights[i]*x, q+c.weights[i]*y
	}
	return p, q
}

func (c choice) top() float64 {
	top := math.Inf(-1)
	for _, s := range c.sources {
		top = math.Max(top, s.top())
	}
	return top
}

func (c choice) rules(level int, low, high float64, s side) (first, second *rule, err error) {
	first, second = new(rule), new(rule)
	exact := true
	for i, source := range c.sources {
		a, b, failed := source.rules(level, low, high, s)
		if failed != nil {
			return nil, nil, failed
		}
		if len(first.loss)+len(a.loss) > maxRule {
			return nil, nil, tooFine(float64(len(first.loss) + len(a.loss)))
		}
		if exact = exact && b == nil; b == nil {
			b = a
		}
		first.mix(*a, c.weights[i])
		second.mix(*b, c.weights[i])
	}
	if exact {
		second = nil
	}
	return first, second, nil
}

// mix adds the nodes of another rule with this weight. The smaller turn counts.
func (r *rule) mix(o rule, weight float64) {
	log := special.Log(weight)
	for j, loss := range o.loss {
		r.add(loss, o.logMass[j]+log, o.point[j])
	}
	if r.turn == 0 || o.turn > 0 && o.turn < r.turn {
		r.turn = o.turn
	}
}

// bounded is pair.BoundedRange: the loss l has density e^((l-ε)/2)/(2·(1-e^-ε)) on [-ε, ε].
type bounded struct{ epsilon float64 }

func (bounded) infinite() (p, q float64) { return 0, 0 }

func (b bounded) top() float64 { return b.epsilon }

func (b bounded) rules(level int, low, high float64, s side) (first, second *rule, err error) {
	first, second = &rule{turn: panelTurn}, &rule{turn: panelTurn}
	count := 1 + math.Ldexp(b.epsilon*(1+math.Max(math.Abs(low), math.Abs(high)))/8, level)
	if !(2*count*legendrePoints < maxRule) {
		return nil, nil, tooFine(2 * count * legendrePoints)
	}
	scale := -math.Ln2 - special.Log(-math.Expm1(-b.epsilon))
	for k, r := range [2]*rule{first, second} {
		for _, ends := range [2][2]float64{{-b.epsilon, 0}, {0, b.epsilon}} {
			if !s.holds(ends[0] + ends[1]) {
				continue
			}
			panels(ends[0], ends[1], int(count)+k, func(l, logWeight float64) {
				r.add(l, (l-b.epsilon)/2+scale+logWeight, false)
			})
		}
	}
	return first, second, nil
}
