package planaudit

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

// TestFalseClaimsAreRefuted audits plans of every kind of noise by the claims of plans with a much
// smaller epsilon, as if the program added too little noise. Every attack refutes its claim.
func TestFalseClaimsAreRefuted(t *testing.T) {
	person := &train.PersonUnit{Column: "who", MaxRows: 3}
	descent := func(r train.Request) func(*testing.T, float64) Subject {
		return func(t *testing.T, epsilon float64) Subject {
			r.Epsilon, r.Center, r.Whiten = epsilon, train.No, train.No
			return ofRequest(t, r, schemaOf(t, two, columns))
		}
	}
	for name, c := range map[string]struct {
		of           func(t *testing.T, epsilon float64) Subject
		claim, truth float64
	}{
		"full batch":       {descent(train.Request{Steps: 4}), 2, 14},
		"replace-one":      {descent(train.Request{Steps: 4, Neighboring: replace}), 2, 14},
		"persons":          {descent(train.Request{Steps: 4, Person: person}), 2, 14},
		"parts":            {descent(train.Request{Steps: 6, Parts: 3}), 2, 30},
		"the last iterate": {descent(train.Request{Steps: 4, Accounting: option.AccountingLastIterate, Ridge: 0.1}), 2, 20},
		"network": {func(t *testing.T, epsilon float64) Subject {
			r := networks()["full"]
			r.Epsilon, r.Steps = epsilon, 4
			return ofNetwork(t, r, schemaOf(t, two, columns))
		}, 1, 25},
		"network of persons": {func(t *testing.T, epsilon float64) Subject {
			r := networks()["persons"]
			r.Epsilon, r.Steps = epsilon, 4
			return ofNetwork(t, r, schemaOf(t, two, columns))
		}, 1, 25},
		"correlated noise": {func(t *testing.T, epsilon float64) Subject {
			r := networks()["banded"]
			r.Epsilon = epsilon
			return ofNetwork(t, r, schemaOf(t, two, columns))
		}, 1, 60},
		"output perturbation": {func(t *testing.T, epsilon float64) Subject {
			return ofMinimizer(t, erm.Request{Method: option.MethodOutput, Epsilon: epsilon, Delta: 1e-5, Neighboring: add}, schemaOf(t, two, columns))
		}, 0.5, 60},
		"sums of products": {func(t *testing.T, epsilon float64) Subject {
			return ofMinimizer(t, erm.Request{Method: option.MethodSufficientStatistics, Epsilon: epsilon, Delta: 1e-5, Neighboring: add}, schemaOf(t, numeric, columns))
		}, 0.5, 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := New(c.of(t, c.claim))
			if err != nil {
				t.Fatal(err)
			}
			claim, err := said.whole()
			if err != nil {
				t.Fatal(err)
			}
			done, err := New(c.of(t, c.truth))
			if err != nil {
				t.Fatal(err)
			}
			done.claim = &claim
			r, err := done.Run(t.Context(), Options{Confidence: 1 - 1e-6, Effort: 0.2, Runs: 600, Canaries: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Sections {
				if s.Verdict != auditing.Refuted || *s.Claimed != claim.Epsilon {
					t.Errorf("%s: the claim %v of %v is %s, with %v", s.Name, *s.Claimed, c.truth, s.Verdict, s.Facts)
				}
			}
			if r.Verdict != auditing.Refuted {
				t.Errorf("the audit is %s", r.Verdict)
			}
		})
	}
}

// TestPersonsClippedByRowsAreRefuted audits the claim of a network of persons by a program that clips each row of a
// person, and not their sum: every canary has 8 rows. Both attacks refute the claim.
func TestPersonsClippedByRowsAreRefuted(t *testing.T) {
	of := func(person *train.PersonUnit) *Plan {
		r := networks()["full"]
		r.Epsilon, r.Steps, r.Person = 2, 4, person
		p, err := New(ofNetwork(t, r, schemaOf(t, two, columns)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	claim, err := of(&train.PersonUnit{Column: "who", MaxRows: 8}).whole()
	if err != nil {
		t.Fatal(err)
	}
	faulty := of(nil)
	faulty.claim = &claim
	faulty.readPersons(&train.PersonUnit{Column: "who", MaxRows: 8})
	r, err := faulty.Run(t.Context(), Options{Confidence: 1 - 1e-6, Effort: 0.2, Runs: 600, Canaries: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Sections {
		if s.Verdict != auditing.Refuted {
			t.Errorf("%s: the claim is %s, with %v", s.Name, s.Verdict, s.Facts)
		}
	}
}

// TestEditedClaimsAreRefused checks that a certificate with a smaller epsilon, or with a plan of more
// steps or less noise, is refused before anything is trained: it does not follow from its plan.
func TestEditedClaimsAreRefused(t *testing.T) {
	s := ofRequest(t, train.Request{Steps: 4, Center: train.No, Whiten: train.No}, schemaOf(t, two, columns))
	if _, err := ofCertificate("as it was", s.Certificate); err != nil {
		t.Fatal(err)
	}
	plan := string(s.Certificate.Plan)
	for _, edited := range []struct {
		what, plan string
		epsilon    certificate.Epsilon
	}{
		{"a smaller epsilon", plan, s.Certificate.Epsilon / 2},
		{"more steps", strings.Replace(plan, `"steps":4`, `"steps":8`, 1), s.Certificate.Epsilon},
		{"less noise", strings.Replace(plan, `"noise-multiplier":`, `"noise-multiplier":0`, 1), s.Certificate.Epsilon},
	} {
		c := s.Certificate
		if c.Epsilon, c.Plan = edited.epsilon, []byte(edited.plan); c.Epsilon == s.Certificate.Epsilon && edited.plan == plan {
			t.Fatalf("%s: nothing was edited in %s", edited.what, plan)
		}
		if _, err := ofCertificate("edited", c); err == nil || !strings.Contains(err.Error(), "does not follow from its plan") {
			t.Errorf("%s: got %v, want a refusal", edited.what, err)
		}
	}
}
