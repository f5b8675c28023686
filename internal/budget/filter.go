package budget

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/slack"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Filter describes the costs that a ledger sums. It is chosen when the ledger is made, and it never
// changes.
type Filter struct {
	// Name is "basic", "gdp", "zcdp" or "rdp".
	Name string `json:"name"`
	// Orders are the orders of the Rényi divergences that the filter rdp sums. They are ascending,
	// and each is above 1.
	Orders []float64 `json:"orders,omitempty"`
	// Deltas are the parts into which the filter rdp divides delta, one for each order. Their sum
	// is at most the delta of the ledger.
	Deltas []float64 `json:"deltas,omitempty"`
}

// Names of filters.
const (
	Basic = "basic"
	GDP   = "gdp"
	ZCDP  = "zcdp"
	RDP   = "rdp"
)

// Note returns one or two sentences that a person should know before choosing the filter.
func (f Filter) Note() string {
	switch f.Name {
	case Basic:
		return "Epsilons and deltas of plans add up. Any plan fits, many plans cost more than under the other filters."
	case GDP:
		return "Squared parameters of Gaussian noise add up, exactly. A plan on samples, such as DP-SGD, is charged as if every record took part in every step: rdp charges less."
	case ZCDP:
		return "Parameters of zero-concentrated privacy add up: Gaussian noise and pure plans. A plan on samples is charged as if every record took part in every step: rdp charges less."
	}
	return "Rényi divergences at fixed orders add up. Plans on samples, such as DP-SGD, are charged what their samples cost."
}

// filter is how prices of one kind are made, summed and held to a cap.
type filter interface {
	// size returns how many numbers a price has.
	size() int
	// price returns what a plan adds to the sums, rounded upward. Entries are finite and not negative.
	price(p plan) ([]float64, error)
	// fits reports whether sums are within the capacity.
	fits(s sums) bool
	// epsilon returns the epsilon that sums prove at the delta of the cap, rounded upward; +Inf for none.
	epsilon(s []float64) float64
	// share returns the part of the capacity that sums take, from 0 on; more than 1 does not fit.
	share(s []float64) float64
	// stepwise reports whether the price of a composition is the sum of the prices of its steps. Then a
	// plan may end at a step that depends on its outputs.
	stepwise() bool
}

// plan is what a filter prices: an event under a relation.
type plan struct {
	event mechanism.Event
	text  string // of the event
	n     privacy.Neighboring
	rows  int     // of one protected unit
	delta float64 // at which basic prices
	draws float64 // of noise
}

// mostDraws is how many draws of noise the plans of one ledger have together. The slack of that many
// draws is taken off the cap when capacities are computed: 5e-10 of epsilon and 1e-33 or less of delta.
var mostDraws = math.Ldexp(1, 68)

// unknownDraws is what a plan counts that does not say how many draws of noise it takes.
var unknownDraws = math.Ldexp(1, 44)

// slackOf is slack.Of for counts beyond integers.
func slackOf(draws float64) slack.Distance {
	draws *= 1 + 1e-15
	return slack.Distance{LogRatio: math.Ldexp(draws, -slack.Bits), Tail: math.Ldexp(draws, -slack.TailBits)}
}

// narrowed returns the epsilon and delta that sums of accounted prices must prove, so that what is drawn
// keeps the cap.
func narrowed(t Terms) (epsilon, delta float64, err error) {
	epsilon, delta = slackOf(mostDraws).Narrow(t.Epsilon, t.Delta)
	if !(epsilon > t.Epsilon/2 && delta > t.Delta*0.99) {
		return 0, 0, fmt.Errorf("budget: cap is epsilon %v at delta %v, want what leaves room for the rounding of noise, such as epsilon 1 at delta 1e-6", t.Epsilon, t.Delta)
	}
	return epsilon, delta, nil
}

// newFilter returns the filter of terms whose other fields are valid.
func newFilter(t Terms) (filter, error) {
	if t.Filter.Name != RDP && (t.Filter.Orders != nil || t.Filter.Deltas != nil) {
		return nil, fmt.Errorf("budget: filter %s has orders, want none; orders are those of rdp", t.Filter.Name)
	}
	if t.Filter.Name != Basic && t.Delta == 0 {
		return nil, fmt.Errorf("budget: delta is 0 under filter %s, want filter basic, or a positive delta", t.Filter.Name)
	}
	switch t.Filter.Name {
	case Basic:
		return newBasic(t), nil
	case GDP:
		return newGDP(t)
	case ZCDP:
		return newZCDP(t)
	case RDP:
		return newRDP(t)
	}
	return nil, fmt.Errorf("budget: filter is %q, want %s", t.Filter.Name, strings.Join([]string{Basic, GDP, ZCDP, RDP}, ", "))
}

// one is a filter with one number: a sum under a cap.
type one struct {
	t        Terms
	capacity *big.Int
	number   func(p plan) (float64, error)
	prove    func(sum float64) float64
	refusal  string // what to do with plans that have no price
}

func (one) size() int      { return 1 }
func (one) stepwise() bool { return true }

func (f one) price(p plan) ([]float64, error) {
	v, err := f.number(p)
	if err != nil {
		return nil, fmt.Errorf("budget: filter %s has no price: %w; %s", f.t.Filter.Name, err, f.refusal)
	}
	if math.IsInf(v, 1) {
		return nil, notPrivate(p)
	}
	return []float64{v}, nil
}

func (f one) fits(s sums) bool { return s[0].Cmp(f.capacity) <= 0 }

func (f one) share(s []float64) float64 { return s[0] / float(f.capacity) }

func (f one) epsilon(s []float64) float64 {
	if s[0] == 0 {
		return 0
	}
	return f.prove(s[0])
}

func notPrivate(p plan) error {
	return fmt.Errorf("budget: %w: %v has no finite price, want a private plan", ErrOverBudget, p.event)
}

// newGDP returns the filter that sums μ² over plans that are μ-GDP. A cap on that sum is a valid filter
// (Smith & Thakurta, "Fully Adaptive Composition for Gaussian Differential Privacy", 2022,
// https://arxiv.org/abs/2210.17520). It proves δ(ε) of the Gaussian with the root of the sum (Dong, Roth &
// Su, "Gaussian Differential Privacy", 2022, corollary 2.13 and, for groups of k rows, theorem 2.14: kμ).
func newGDP(t Terms) (filter, error) {
	epsilon, delta, err := narrowed(t)
	if err != nil {
		return nil, err
	}
	target, err := privacy.NewGuarantee(epsilon, delta, t.Neighboring, t.Unit)
	if err != nil {
		return nil, err
	}
	mu := account.MuOf(target)
	if !(mu > leastMu) {
		return nil, fmt.Errorf("budget: cap is epsilon %v at delta %v, which has no room for Gaussian noise, want a larger epsilon or delta", t.Epsilon, t.Delta)
	}
	return one{t: t, capacity: room(below(mu * mu)), number: squaredMu, refusal: "make the plan's noise Gaussian, or keep a ledger under basic or rdp",
		prove: func(sum float64) float64 {
			whole := mechanism.Gaussian{NoiseMultiplier: 1 / above(math.Sqrt(sum)) * (1 - 1e-15)}
			return widened(account.GDP, whole, privacy.AddOrRemoveOne, t)
		}}, nil
}

// leastMu is above the least μ that account.MuOf returns, whether a smaller one would be needed or not.
const leastMu = 2e-9

func squaredMu(p plan) (float64, error) {
	mu, err := account.Mu(withoutSamples(p.event), p.n)
	if err != nil {
		mu, err = account.Mu(p.event, p.n) // its error names the event as it was given
	}
	mu *= float64(p.rows)
	return above(mu * mu), err
}

// withoutSamples returns the event with every record in every sample. It costs no less: given one draw of
// the sample neighbors are at most as far apart as in full, and hockey-stick divergences are jointly
// convex. So a trade-off function that holds given each draw holds for the mixture.
func withoutSamples(e mechanism.Event) mechanism.Event {
	switch e := e.(type) {
	case mechanism.PoissonSampled:
		return withoutSamples(e.Event)
	case mechanism.WithoutReplacement:
		return withoutSamples(e.Event)
	case mechanism.Repeat:
		return mechanism.Repeat{Event: withoutSamples(e.Event), Count: e.Count}
	case mechanism.Sequence:
		return mechanism.Sequence(allWithoutSamples(e))
	case mechanism.Parallel:
		return mechanism.Parallel(allWithoutSamples(e))
	}
	return e
}

func allWithoutSamples(events []mechanism.Event) []mechanism.Event {
	out := make([]mechanism.Event, len(events))
	for i, e := range events {
		out[i] = withoutSamples(e)
	}
	return out
}

// newZCDP returns the filter that sums ρ. One sum caps the divergences of all orders at once, so a cap on
// it is a valid filter (Feldman & Zrnic, "Individual Privacy Accounting via a Rényi Filter", NeurIPS 2021,
// https://arxiv.org/abs/2008.11193, at each order; Whitehouse, Ramdas, Rogers & Wu, "Fully-Adaptive
// Composition in Differential Privacy", ICML 2023, https://arxiv.org/abs/2203.05481). Groups of k rows
// cost k²ρ (Bun & Steinke, "Concentrated Differential Privacy", TCC 2016, proposition 1.9,
// https://arxiv.org/abs/1605.02065).
func newZCDP(t Terms) (filter, error) {
	epsilon, delta, err := narrowed(t)
	if err != nil {
		return nil, err
	}
	prove := func(rho, delta float64) float64 {
		v, failed := account.ZCDP.Epsilon(mechanism.AssumedZCDP{Rho: rho, Neighboring: t.Neighboring}, delta, t.Neighboring)
		if failed != nil {
			return math.Inf(1)
		}
		return v.Upper
	}
	low, high := 0.0, epsilon // ρ-zCDP is at best (ρ, 1/2)-private or so: a cap of ε holds less than ρ = ε unless δ is large
	for prove(high, delta) <= epsilon {
		low, high = high, 2*high
	}
	for range 200 {
		mid := low + (high-low)/2
		if !(mid > low && mid < high) || high-low < 1e-13*high {
			break
		}
		if prove(mid, delta) <= epsilon {
			low = mid
		} else {
			high = mid
		}
	}
	return one{t: t, capacity: room(low), refusal: "make its noise Gaussian or pure, or keep a ledger under basic or rdp",
		number: func(p plan) (float64, error) {
			rho, failed := account.ZCDP.Rho(p.event, p.n)
			return above(rho * float64(p.rows) * float64(p.rows)), failed
		},
		prove: func(sum float64) float64 {
			return widened(account.ZCDP, mechanism.AssumedZCDP{Rho: sum, Neighboring: t.Neighboring}, t.Neighboring, t)
		}}, nil
}

// widened returns the epsilon of an event at the delta of the cap, with the slack of mostDraws draws.
func widened(a account.Accountant, e mechanism.Event, n privacy.Neighboring, t Terms) float64 {
	all := slackOf(mostDraws)
	_, delta := all.Narrow(t.Epsilon+1, t.Delta)
	v, err := a.Epsilon(e, delta, n)
	if err != nil || v.Upper > t.Epsilon+1 { // beyond the cap it is for show, and delta takes no more
		v, err = a.Epsilon(e, t.Delta, n)
	}
	if err != nil || math.IsInf(v.Upper, 1) {
		return math.Inf(1)
	}
	out, _ := all.Widen(v.Upper, delta)
	return out
}
