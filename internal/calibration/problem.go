// Package calibration finds the number at which an event meets a guarantee: the least noise, the
// most steps, the largest samples, or any number of an event. The front door and the command share
// it.
package calibration

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Problem is a number to be found: the event of each value, and whether its cost falls as the value
// grows.
type Problem struct {
	// Found is the name of the number, as flags spell it. A sampling-probability of 1 means no
	// sampling.
	Found      string
	Target     privacy.Guarantee
	Accountant account.Accountant
	// Plan is the event of a value, nil where there is none.
	Plan    func(value float64) mechanism.Event
	Falling bool
	// Whole reports that values are counts.
	Whole bool
	// Low and High bound a value that raises the cost.
	Low, High float64
	// Advice says what else to change when the target is out of reach.
	Advice string
}

// Solve returns the value, rounded to the private side, with its price. It is an error if no value
// provably meets the target; the error says what else to change.
func (p Problem) Solve() (Calibrated, error) {
	aimed, err := aim(p.Accountant, p.Target, p.trial())
	if err != nil {
		return Calibrated{}, err
	}
	value, err := p.search(aimed)
	if errors.Is(err, account.ErrUnreachable) {
		return Calibrated{}, p.unreachable(err)
	}
	if err != nil {
		return Calibrated{}, err
	}
	out := Calibrated{Found: p.Found, Target: certificate.Epsilon(p.Target.Epsilon()), Delta: p.Target.Delta(), Neighboring: p.Target.Neighboring(), Accountant: p.Accountant.Name()}
	value, v, err := p.settle(value, aimed)
	if err != nil {
		return Calibrated{}, err
	}
	e := p.Plan(value)
	out.Value, out.Event, out.Side = certificate.Epsilon(value), e.String(), p.side(value)
	out.AtLimit = !p.Falling && value >= p.High
	out.interval(v)
	out.Next = fmt.Sprintf("dither account %q --delta %s", out.Event, display.Plain(out.Delta))
	if out.Neighboring != privacy.AddOrRemoveOne {
		out.Next += " --neighboring " + out.Neighboring.String()
	}
	return out, nil
}

// trial is the event of some value.
func (p Problem) trial() mechanism.Event {
	if p.Falling {
		return p.Plan(1)
	}
	return p.Plan(p.Low)
}

// search calls the library.
func (p Problem) search(aimed privacy.Guarantee) (float64, error) {
	switch {
	case p.Whole:
		count, err := account.CalibrateCount(p.Accountant, aimed, int(min(p.High, mostSteps)), func(count int) mechanism.Event { return p.Plan(float64(count)) })
		if err == nil && float64(count) < p.Low {
			err = account.ErrUnreachable
		}
		return float64(count), err
	case p.Falling:
		return account.Calibrate(p.Accountant, aimed, p.Plan)
	}
	return account.CalibrateLargest(p.Accountant, aimed, p.Low, p.High, p.Plan)
}

// settle rounds a value to six digits, or more where the target would be missed, and prices
// it.
func (p Problem) settle(value float64, aimed privacy.Guarantee) (float64, account.Interval, error) {
	for digits := 6; digits <= 16; digits += 5 {
		short := display.Parse(display.Rounded(value, digits, p.Falling))
		if p.Whole || digits > 15 || short < p.Low && !p.Falling {
			short = value
		}
		v, err := p.Accountant.Epsilon(p.Plan(short), aimed.Delta(), aimed.Neighboring())
		if err == nil && v.Upper <= aimed.Epsilon() {
			v, err = p.Accountant.Epsilon(p.Plan(short), p.Target.Delta(), p.Target.Neighboring())
			return short, v, err
		}
		if err != nil {
			return 0, v, err
		}
	}
	return 0, account.Interval{}, fmt.Errorf("no value that was found meets epsilon %v with a proof; %s", p.Target.Epsilon(), p.Advice)
}

// side says where the value stands.
func (p Problem) side(value float64) string {
	switch {
	case p.Falling:
		return "rounded up: less would not do"
	case value >= p.High && p.Found == "sampling-probability":
		return "full batch: no sampling is needed"
	case value >= p.High:
		return "as far as was looked; the target would allow more"
	case p.Whole:
		return "one more would cost too much"
	}
	return "rounded down: more would cost too much"
}

// unreachable says that no value meets the target.
func (p Problem) unreachable(err error) error {
	reached := fmt.Sprintf("no %s up to %g", p.Found, mostNoise)
	switch {
	case p.Whole:
		reached = fmt.Sprintf("not even %g for %s", max(1, math.Ceil(p.Low)), p.Found)
	case !p.Falling:
		reached = fmt.Sprintf("no %s down to %g", p.Found, p.Low)
	}
	why := "" // the library names the target being out of reach first, then what failed there
	if _, rest, ok := strings.Cut(err.Error(), "\n"); ok {
		why = "; " + strings.TrimPrefix(rest, "account: ")
	}
	return fmt.Errorf("%s meets epsilon %v at delta %v under %v%s; %s", reached, p.Target.Epsilon(), p.Target.Delta(), p.Target.Neighboring(), why, p.Advice)
}

// Calibrated is a number that was found, with what it costs.
type Calibrated struct {
	// Found is the name of the number, X for a number of --event.
	Found string              `json:"found"`
	Value certificate.Epsilon `json:"value"`
	// AtLimit reports that Value is the end of the searched range: the target would allow more.
	AtLimit     bool                `json:"at-limit,omitempty"`
	Event       string              `json:"event"`
	Target      certificate.Epsilon `json:"target-epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
	Accountant  string              `json:"accountant"`
	Lower       certificate.Epsilon `json:"lower"`
	Estimate    certificate.Epsilon `json:"estimate"`
	Upper       certificate.Epsilon `json:"upper"`
	// Side is the direction in which Value was rounded, away from the target.
	Side string `json:"side"`
	Next string `json:"next"`
}

// Text returns what was found for a terminal.
func (o Calibrated) Text() ([]byte, error) {
	from, estimate, to := display.Interval(float64(o.Lower), float64(o.Estimate), float64(o.Upper))
	rows := [][]string{
		{o.Found, display.Plain(float64(o.Value)) + "  (" + o.Side + ")"},
		{"event", o.Event},
		{"epsilon from", from},
		{"estimate", estimate},
		{"to", to + `  <- may be claimed, at most the target ` + display.Plain(float64(o.Target))},
		{"delta", display.Plain(o.Delta)},
		{"relation", fmt.Sprintf("%v: %s", o.Neighboring, wording.Relation(o.Neighboring))},
		{"accountant", o.Accountant},
	}
	if width := wording.Width(float64(o.Lower), float64(o.Upper)); width != "" {
		rows = append(rows, []string{"width", width})
	}
	var b bytes.Buffer
	if err := display.WriteColumns(&b, rows); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\nnext  %s\n", o.Next)
	return b.Bytes(), nil
}

// interval takes over what an accountant says.
func (o *Calibrated) interval(v account.Interval) {
	o.Lower, o.Estimate, o.Upper = certificate.Epsilon(v.Lower), certificate.Epsilon(v.Estimate), certificate.Epsilon(v.Upper)
}
