package privacy

import (
	"math"
	"testing"
)

func TestNeighboringRoundTrip(t *testing.T) {
	for n := AddOrRemoveOne; n <= ZeroOut; n++ {
		text, err := n.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Neighboring
		if err := back.UnmarshalText(text); err != nil || back != n {
			t.Errorf("round trip of %v: got %v, %v", n, back, err)
		}
	}
	if _, err := Neighboring(0).MarshalText(); err == nil {
		t.Error("the zero relation was written, want an error")
	}
	if _, err := ParseNeighboring("swap"); err == nil {
		t.Error("an unknown relation was read, want an error")
	}
}

func TestMovement(t *testing.T) {
	for n, want := range map[Neighboring]float64{AddOrRemoveOne: 1, ZeroOut: 1, ReplaceOne: 2, 0: 0, 9: 0} {
		if got := n.Movement(); got != want {
			t.Errorf("%v: got %v, want %v", n, got, want)
		}
	}
}

func TestNewGuaranteeRefuses(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name           string
		epsilon, delta float64
		n              Neighboring
		rows           int
	}{
		{"epsilon zero", 0, 1e-6, AddOrRemoveOne, 0},
		{"epsilon negative", -1, 1e-6, AddOrRemoveOne, 0},
		{"epsilon NaN", nan, 1e-6, AddOrRemoveOne, 0},
		{"delta one", 1, 1, AddOrRemoveOne, 0},
		{"delta negative", 1, -1e-9, AddOrRemoveOne, 0},
		{"delta NaN", 1, nan, AddOrRemoveOne, 0},
		{"no relation", 1, 1e-6, 0, 0},
		{"negative rows", 1, 1e-6, AddOrRemoveOne, -1},
	} {
		if _, err := NewGuarantee(c.epsilon, c.delta, c.n, Unit{RowsPerPerson: c.rows}); err == nil {
			t.Errorf("%s: got a guarantee, want an error", c.name)
		}
	}
	g, err := NewGuarantee(math.Inf(1), 0, ReplaceOne, Unit{Row: "one person"})
	if err != nil || g.Private() {
		t.Errorf("infinite epsilon: got private %v, err %v, want not private and no error", g.Private(), err)
	}
}
