package mechanism

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestEventRoundTrip(t *testing.T) {
	for _, e := range []Event{
		Gaussian{1.1}, Gaussian{1e-300}, Gaussian{math.Pi}, NonPrivate{}, Sequence{},
		Repeat{Gaussian{48.448}, 10}, PoissonSampled{0.01, Gaussian{1.1}}, Repeat{PoissonSampled{1e-9, NonPrivate{}}, 3},
		Sequence{Gaussian{3}, Repeat{Sequence{Gaussian{2}, NonPrivate{}}, 7}},
	} {
		back, err := ParseEvent(e.String())
		if err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%v: read back as %v, %v", e, back, err)
		}
	}
}

func TestParseEventErrors(t *testing.T) {
	for text, at := range map[string]string{
		"":                              "position 1",
		"laplace(1)":                    "position 1",
		"gaussian":                      "position 9",
		"gaussian(x)":                   "position",
		"gaussian(1":                    "position 11",
		"gaussian(1) gaussian(1)":       "position 13",
		"repeat(gaussian(1), 2)":        "position",
		"repeat(2 gaussian(1))":         "position 10",
		"sequence(gaussian(1),)":        "position 22",
		"gaussian(-1)":                  "want a positive",
		"gaussian(NaN)":                 "want a positive",
		"repeat(-1, gaussian(1))":       "want 0 or more",
		strings.Repeat("sequence(", 99): "nested",
	} {
		if e, err := ParseEvent(text); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%q: got %v, %v, want an error with %q", text, e, err, at)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add("sequence(gaussian(3), repeat(60, gaussian(1.1)))")
	f.Add("non-private()")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseEvent(text)
		if err != nil {
			return
		}
		back, err := ParseEvent(e.String())
		if err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%q read as %v, then as %v, %v", text, e, back, err)
		}
	})
}

func TestSlackIsWidenedBothWays(t *testing.T) {
	s := SlackOf(1 << 30)
	if s.LogRatio <= 0 || s.LogRatio > 1e-21 || s.Tail <= 0 || s.Tail > 1e-44 {
		t.Errorf("slack of 2^30 draws: got %+v", s)
	}
	epsilon, delta := s.Narrow(1, 1e-6)
	if epsilon >= 1 || delta >= 1e-6 {
		t.Errorf("narrowed to (%v, %v), want less than (1, 1e-6)", epsilon, delta)
	}
	if e, d := s.Widen(epsilon, delta); e < 1 || e > 1+1e-15 || d < 1e-6*(1-1e-14) || d > 1e-6*(1+1e-14) {
		t.Errorf("widened back to (%v, %v), want at most (1, 1e-6)", e, d)
	}
	if SlackOf(0) != (Slack{}) {
		t.Error("no draws have slack")
	}
}
