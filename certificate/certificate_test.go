package certificate

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// toyPlan is a method whose plan is a step count and a multiplier.
type toyPlan struct {
	Steps int     `json:"steps"`
	Noise float64 `json:"noise"`
}

func derive(text json.RawMessage) (Claim, error) {
	var p toyPlan
	if err := json.Unmarshal(text, &p); err != nil {
		return Claim{}, err
	}
	var noise mechanism.Event = mechanism.Gaussian{NoiseMultiplier: p.Noise}
	if p.Noise == 0 {
		noise = mechanism.NonPrivate{}
	}
	return Claim{Event: mechanism.Repeat{Event: noise, Count: p.Steps}, NoiseDraws: 100 * p.Steps, Delta: 1e-6,
		Neighboring: privacy.AddOrRemoveOne, Unit: privacy.Unit{Row: "one person", RowsPerPerson: 5}}, nil
}

var methods = map[string]Method{"toy": derive}

func made(t *testing.T, plan string) Certificate {
	t.Helper()
	d, err := derive(json.RawMessage(plan))
	if err != nil {
		t.Fatal(err)
	}
	c, err := New("toy", json.RawMessage(plan), d)
	if err != nil {
		t.Fatal(err)
	}
	c.ModelSHA256 = Hash([]byte("model"))
	return c
}

func TestCertificateRoundTrip(t *testing.T) {
	for _, plan := range []string{`{"steps":60,"noise":33}`, `{"steps":60,"noise":0}`} {
		c := made(t, plan)
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if back.Epsilon != c.Epsilon || back.Event != c.Event || back.Private != c.Private {
			t.Errorf("read back %+v, want %+v", back, c)
		}
		if err := verify(back, []byte("model"), methods); err != nil {
			t.Errorf("%s: %v", plan, err)
		}
		if c.Private == math.IsInf(float64(c.Epsilon), 1) {
			t.Errorf("%s: private is %v at epsilon %v", plan, c.Private, c.Epsilon)
		}
	}
}

func TestPriceIncludesTheSlack(t *testing.T) {
	d, _ := derive(json.RawMessage(`{"steps":60,"noise":33}`))
	d.NoiseDraws = 0
	exact, err := priceOf(d)
	if err != nil {
		t.Fatal(err)
	}
	d.NoiseDraws = 1 << 40
	wide, err := priceOf(d)
	if err != nil || !(wide.Epsilon > exact.Epsilon) || wide.Epsilon > exact.Epsilon+1e-3 {
		t.Errorf("epsilon with 2^40 draws: got %v (%v), want a little above %v", wide.Epsilon, err, exact.Epsilon)
	}
	if !(exact.GroupEpsilon > 4*exact.Epsilon) {
		t.Errorf("epsilon of 5 rows: got %v, one row %v", exact.GroupEpsilon, exact.Epsilon)
	}
}

func TestPriceWithoutSlackAtDeltaZero(t *testing.T) {
	d := Claim{Event: mechanism.KNorm{NoiseMultiplier: 4}, Neighboring: privacy.AddOrRemoveOne, Unit: privacy.Unit{Row: "one person"}}
	if exact, err := priceOf(d); err != nil || math.Abs(exact.Epsilon-0.25) > 1e-12 {
		t.Errorf("pure epsilon without slack: got %v (%v), want 1/4", exact.Epsilon, err)
	}
	d.NoiseDraws = 1
	if slack, err := priceOf(d); err != nil || !math.IsInf(slack.Epsilon, 1) {
		t.Errorf("epsilon at delta 0 with slack: got %v (%v), want infinity", slack.Epsilon, err)
	}
}

func TestAimRefusesSlackBeyondAPercent(t *testing.T) {
	for delta, want := range map[float64]bool{1e-6: true, 1e-40: true, 1e-50: false} {
		target, err := privacy.NewGuarantee(1, delta, privacy.AddOrRemoveOne, privacy.Unit{})
		if err != nil {
			t.Fatal(err)
		}
		aim, err := Aim(target, 1e6)
		if (err == nil) != want || err == nil && (aim.Epsilon() >= 1 || aim.Delta() >= delta) {
			t.Errorf("delta %v: got %v, %v, want taken %v", delta, aim, err, want)
		}
	}
}

func TestVerifyRefusesEdits(t *testing.T) {
	for name, edit := range map[string]func(*Certificate){
		"epsilon lowered":       func(c *Certificate) { c.Epsilon *= 0.999 },
		"epsilon NaN":           func(c *Certificate) { c.Epsilon = Epsilon(math.NaN()) },
		"group epsilon lowered": func(c *Certificate) { c.GroupEpsilon *= 0.999 },
		"group rows lowered":    func(c *Certificate) { c.GroupRows = 1 },
		"event":                 func(c *Certificate) { c.Event = "repeat(60, gaussian(34))" },
		"draws":                 func(c *Certificate) { c.NoiseDraws-- },
		"plan steps":            func(c *Certificate) { c.Plan = json.RawMessage(`{"steps":61,"noise":33}`) },
		"delta":                 func(c *Certificate) { c.Delta = 1e-5 },
		"relation":              func(c *Certificate) { c.Neighboring = privacy.ZeroOut },
		"unit":                  func(c *Certificate) { c.Unit = "one household" },
		"private":               func(c *Certificate) { c.Private = false },
		"accountant":            func(c *Certificate) { c.Accountant = "pld" },
		"hash":                  func(c *Certificate) { c.ModelSHA256 = strings.Repeat("0", 64) },
		"method":                func(c *Certificate) { c.Method = "other" },
	} {
		c := made(t, `{"steps":60,"noise":33}`)
		if err := verify(c, []byte("model"), methods); err != nil {
			t.Fatal(err)
		}
		edit(&c)
		if verify(c, []byte("model"), methods) == nil {
			t.Errorf("%s: the edit was not noticed", name)
		}
	}
	c := made(t, `{"steps":60,"noise":33}`)
	if verify(c, []byte("model2"), methods) == nil {
		t.Error("another model was taken")
	}
}

func TestDecodeRefusals(t *testing.T) {
	good, _ := made(t, `{"steps":60,"noise":33}`).Encode()
	for name, text := range map[string]string{
		"empty":           "",
		"garbage":         "\x00\x01",
		"unknown field":   strings.Replace(string(good), `"format"`, `"surprise": 1, "format"`, 1),
		"other format":    strings.Replace(string(good), format, "something", 1),
		"epsilon text":    strings.Replace(string(good), `"epsilon": `, `"epsilon": "low", "x": `, 1),
		"unknown version": strings.Replace(string(good), `"format-version": 1`, `"format-version": 2`, 1),
	} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// verify recomputes a whole certificate: the event and the hash first, then prices.
func verify(c Certificate, model []byte, methods map[string]Method) error {
	if c.ModelSHA256 != Hash(model) {
		return errors.New("the hash is not that of the model")
	}
	if err := c.VerifyEvent(methods); err != nil {
		return err
	}
	return c.VerifyPlan(methods)
}
