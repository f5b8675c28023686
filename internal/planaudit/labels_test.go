package planaudit

import (
	"testing"

	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// TestGradientsOfOthersCancel checks that the labels of other records are divided so that their
// gradients nearly cancel, for levels with and without weights, numbers and counts.
func TestGradientsOfOthersCancel(t *testing.T) {
	for name, c := range map[string]struct {
		r      train.Request
		target string
	}{
		"two levels":        {train.Request{}, two},
		"weights of levels": {train.Request{ClassWeights: []float64{1, 3}}, two},
		"three levels":      {train.Request{}, three},
		"three weights":     {train.Request{ClassWeights: []float64{1, 2, 5}}, three},
		"a number":          {train.Request{}, numeric},
		"a threshold":       {train.Request{}, beyond},
		"counts":            {train.Request{Loss: model.Poisson()}, numeric},
	} {
		c.r.Steps = 3
		p, err := New(ofRequest(t, c.r, schemaOf(t, c.target, columns)))
		if err != nil {
			t.Fatal(err)
		}
		const n = 60
		all := labelsOf(p.schema.Target)
		sum, longest := make([]float64, p.form.Columns), 0.0
		for _, label := range p.otherTargets(n) {
			for k := range all {
				if all[k] == label {
					sum = plus(sum, p.pull(k, len(all)))
				}
				longest = max(longest, norm(p.pull(k, len(all))))
			}
		}
		if got := norm(sum); !(got <= longest) {
			t.Errorf("%s: the gradients of %d records add up to %v, want at most %v, that of one", name, n, got, longest)
		}
	}
}

// TestAgreementIsTowardTheLabel checks on models of two levels, three levels, numbers and counts that
// a model trained on a canary alone agrees with it more than a model of weights 0 does. At epsilon 60
// one of 120 models is moved the other way by noise with probability at most 1e-9.
func TestAgreementIsTowardTheLabel(t *testing.T) {
	for name, c := range map[string]struct {
		r      train.Request
		target string
	}{
		"two levels":   {train.Request{}, two},
		"three levels": {train.Request{}, three},
		"one of three": {train.Request{Loss: model.OneVsRest}, three},
		"a number":     {train.Request{Loss: model.Squared}, numeric},
		"counts":       {train.Request{Loss: model.Poisson()}, numeric},
		"replace-one":  {train.Request{Neighboring: replace}, three},
	} {
		c.r.Steps, c.r.Epsilon, c.r.Center, c.r.Whiten = 5, 60, train.No, train.No
		p, err := New(ofRequest(t, c.r, schemaOf(t, c.target, columns)))
		if err != nil {
			t.Fatal(err)
		}
		of, err := p.newPool(t.Context(), 20, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			included := make([]bool, 20)
			included[i] = true
			m, err := p.train(t.Context(), of.all.Take(of.canaries[i]))
			if err != nil {
				t.Fatal(err)
			}
			shown, err := of.shown.Under(m.Schema())
			if err != nil {
				t.Fatal(err)
			}
			if got := p.agreement(m, shown, i); !(got > 0) {
				t.Errorf("%s: a model of canary %d alone agrees with it by %v, want more than 0", name, i, got)
			}
		}
	}
}
