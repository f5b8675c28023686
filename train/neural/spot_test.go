package neural

import (
	"errors"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/network"
)

// TestGradientsOfNeighborsStopTheStep computes the gradient of one record once more in each step,
// for all networks and clippings: steps go on, and where the record proposes something else alone,
// in whatever number, nothing is sealed.
func TestGradientsOfNeighborsStopTheStep(t *testing.T) {
	for name, request := range networksUnderTest() {
		for clipping, c := range clippingsUnderTest() {
			of := records{rows: testRows(t, 20, 12, name), slots: 20}
			if clipping != "flat" && len(clipping)%2 == 0 { // of persons, every other one
				of.persons, of.slots = testPersons(20, 4), len(testPersons(20, 4))
			}
			r := testRunOf(t, request, c, of)
			if r.Plan.Clipping.MicroBatch != nil || r.Plan.Clipping.Projection != nil {
				continue
			}
			if r.spot == nil {
				t.Fatalf("%s, %s: no record is computed once more", name, clipping)
			}
			sample, err := release.Draw(release.Full(), of.slots)
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				if _, err = r.gather(sample); err != nil {
					t.Fatalf("%s, %s: a true step stops: %v", name, clipping, err)
				}
			}
			if r.spot.alone == nil {
				t.Fatalf("%s, %s: no record was computed once more", name, clipping)
			}
			other := *r
			other.numbers = append([]float32(nil), r.numbers...)
			for j := range other.numbers {
				other.numbers[j] *= 1.5
			}
			r.spot.alone = newWorkerOf(&other, other.largest(1))
			stopped := false
			for range 20 { // a record with a gradient of zeros proposes the same
				_, err = r.gather(sample)
				stopped = stopped || errors.Is(err, release.ErrComputation)
			}
			if !stopped {
				t.Errorf("%s, %s: other gradients do not stop a step", name, clipping)
			}
		}
	}
}

// TestFactorsAreComparedInFull changes one number of a record's factors at a time.
func TestFactorsAreComparedInFull(t *testing.T) {
	all := kernel.Factors[float32]{Records: 2, Positions: 1, Left: 9, Right: 2, Rights: []float32{1, 2, 3, 4}, Entries: 3,
		Index: []uint32{1, 2, kernel.NoIndex, 5, kernel.NoIndex, kernel.NoIndex}, Values: []float32{1, 2, 0, 3, 0, 0}}
	alone := func() kernel.Factors[float32] {
		return kernel.Factors[float32]{Records: 1, Positions: 1, Left: 9, Right: 2, Rights: []float32{1, 2}, Entries: 2, Index: []uint32{1, 2}, Values: []float32{1, 2}}
	}
	for name, change := range map[string]func(f *kernel.Factors[float32]){
		"": func(*kernel.Factors[float32]) {}, "right": func(f *kernel.Factors[float32]) { f.Rights[1] = 3 },
		"index": func(f *kernel.Factors[float32]) { f.Index[1] = 3 }, "value": func(f *kernel.Factors[float32]) { f.Values[0] = 2 },
		"one less": func(f *kernel.Factors[float32]) { f.Index[1] = kernel.NoIndex },
		"one more": func(f *kernel.Factors[float32]) { f.Index, f.Values = append(f.Index, 7), append(f.Values, 1) },
		"left":     func(f *kernel.Factors[float32]) { f.Lefts = []float32{1} },
	} {
		f := alone()
		if change(&f); sameFactors(all, 0, f) != (name == "") {
			t.Errorf("%q: the factors are the same, or not", name)
		}
	}
	if sameFactors(all, 1, alone()) {
		t.Error("another record has the same factors")
	}
}

// TestNetworksThatDropAreNotComputedOnceMore finds dropout in layers of layers.
func TestNetworksThatDropAreNotComputedOnceMore(t *testing.T) {
	drop := network.Layers{network.Linear{}, network.Residual{Layers: network.Layers{network.Dropout{Probability: 0.5}}}}
	if !drops(drop) || !drops(network.Layers{network.Frozen{Layers: drop}}) || drops(drop[:1]) || drops(nil) {
		t.Error("dropout is not found, or where there is none")
	}
}
