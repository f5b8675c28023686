package strict

import "testing"

// TestOrdered moves named fields among the places that they have, and no others.
func TestOrdered(t *testing.T) {
	type part struct {
		B int    `json:"b"`
		C string `json:"c,omitempty"`
	}
	type whole struct {
		A float64 `json:"a"`
		part
		D []int `json:"d"`
		E *part `json:"e,omitempty"`
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{whole{A: 1e-7, part: part{2, "<"}, D: []int{3}}, `{"a":1e-7,"d":[3],"c":"\u003c","b":2}`},
		{whole{part: part{B: 2}, E: &part{B: 1, C: "x"}}, `{"a":0,"d":null,"b":2,"e":{"b":1,"c":"x"}}`},
		{struct{}{}, `{}`},
	} {
		got, err := Ordered(c.v, "d", "c", "b", "missing")
		if err != nil || string(got) != c.want {
			t.Errorf("%+v: %s, %v, want %s", c.v, got, err, c.want)
		}
	}
	if _, err := Ordered(3, "a"); err == nil {
		t.Error("a number has ordered fields")
	}
	if _, err := Ordered(func() {}, "a"); err == nil {
		t.Error("a function has JSON")
	}
}
