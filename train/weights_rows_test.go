package train

import (
	"math"
	"testing"
)

// TestRowWeightsAreTheirOwn reads weights of every kind, and compares the gradients of rows and persons with
// those without weights: each is the weighted one, and another row's weight changes nothing.
func TestRowWeightsAreTheirOwn(t *testing.T) {
	d := readDiary(t, "who,height,weight,color,sick\n4,1,50,red,1\n1,1.5,20,green,0\n,1,70,red,1\n9,0.2,30,red,0\nx,0.4,10,green,1\n-3,1,5,red,0\nNaN,1,5,red,0\n")
	w := &SampleWeights{Column: "who", Lower: 0.5, Upper: 5}
	got, err := w.of(d)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{0.8, 0.2, 0.1, 1, 0.1, 0.1, 0.1}
	for i, v := range got {
		if math.Abs(v-want[i]) > 1e-12 {
			t.Errorf("row %d: got weight %v, want %v", i, v, want[i])
		}
	}
	s := personPlan(t, 1, func(r *Request) { r.Center, r.Whiten, r.ClippingNorm = No, No, 100 })
	plain := vectorsOf(t, s, d)
	weighted := vectorsWith(t, s, d, got)
	for who, v := range plain {
		factor := map[string]float64{"4": 0.8, "1": 0.2, "9": 1, "x": 0.1, "-3": 0.1, "NaN": 0.1}[who]
		for j := range s.Plan.Dim {
			if math.Abs(weighted[who][j]-factor*v[j]) > 1e-6 {
				t.Errorf("%s: coordinate %d is %v, want %v of %v", who, j, weighted[who][j], factor, v[j])
			}
		}
	}
}

func TestRowWeightsAreRefused(t *testing.T) {
	s := diarySchema(t)
	for name, w := range map[string]*SampleWeights{
		"no column": {"nothing", 0, 1}, "a number": {"height", 0, 1}, "bounds in disorder": {"who", 2, 1}, "negative": {"who", -1, 1},
		"zero": {"who", 0, 0}, "infinite": {"who", 0, math.Inf(1)}, "NaN": {"who", math.NaN(), 1},
	} {
		if _, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: 1, SampleWeights: w}, s); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
