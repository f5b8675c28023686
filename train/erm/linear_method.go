package erm

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// linearMethod is least squares from one release of all sums of products. Each record adds the
// matrix z·zᵀ of z = (x, c·y), which contains x·xᵀ, c·x·y and c²·y². Since x has a constant, the
// sum also contains the sums of x and y and the number of records.
//
// Adding or removing a record changes the sum by z·zᵀ, whose Frobenius norm is ‖z‖² ≤ Radius². This
// holds exactly on integers. Replacing a record changes the sum by ‖z·zᵀ - u·uᵀ‖ ≤ √2·Radius², and
// the price assumes 2·Radius².
//
// The full matrix is released with independent normal noise and averaged with its transpose. The
// noise then has standard deviation ν on the diagonal and ν/√2 elsewhere, which is isotropic on
// symmetric matrices. If there are few products, noise with this distribution is drawn on the upper
// triangle. Noise of standard deviation ν on the whole triangle has twice that variance off the
// diagonal (Dwork, Talwar, Thakurta & Zhang, "Analyze Gauss", STOC 2014, algorithm 1).
//
// The method is from Vu & Slavković, "Differential Privacy for Clinical Trial Data", ICDMW 2009. It
// is also in Foulds, Geumlek, Welling & Chaudhuri, "On the Theory and Practice of
// Privacy-Preserving Bayesian Data Analysis", UAI 2016, https://arxiv.org/abs/1603.07294, section
// 4.
type linearMethod struct {
	label, words string
	classes      bool
	rule         ridge
}

// linearMethods are the rows of the table of methods.
func linearMethods() []method {
	return []method{
		linearMethod{option.MethodSufficientStatistics, "linear regression from noisy sums of products", false, ridge{noiseNorms: defaultNoiseNorms}},
		linearMethod{"adassp", "the same with the adaptive ridge of AdaSSP", false, ridge{adaptive: true}},
		linearMethod{"least-squares", "least squares as a classifier, from noisy sums of products", true, ridge{noiseNorms: defaultNoiseNorms}},
		newtonMethod{},
	}
}

func (m linearMethod) name() string    { return m.label }
func (m linearMethod) summary() string { return m.words }

func (m linearMethod) plan(r Request, s *Setup) error {
	if m.classes == s.Schema.Target.Regression() {
		return fmt.Errorf("erm: method %s is for %s, want another method", m.label, map[bool]string{true: "targets with levels", false: "numeric targets"}[m.classes])
	}
	if r.Noise != "" {
		return fmt.Errorf("erm: noise is %q with method %s, want none named; it is normal, and Laplace noise at delta 0", r.Noise, m.label)
	}
	loss := model.Loss(model.Squared)
	if m.classes {
		loss = model.SquaredClasses
	}
	if r.Loss != nil && r.Loss != loss {
		return fmt.Errorf("erm: loss is %s with method %s, want %s", r.Loss.Name(), m.label, loss.Name())
	}
	laplace := r.Delta == 0 && !s.Plan.NonPrivate
	s.Features = linearMap(r, s)
	var err error
	if s.Model, err = model.NewLinear(loss, len(s.Schema.Target.Levels), s.Features.Dim()); err != nil {
		return err
	}
	norms := boundsOf(s.Features, s.Schema)
	if s.Features.Norm == feature.NormNone && r.Radius > 0 {
		norms.l2 = min(norms.l2, math.Hypot(r.Radius, s.Features.Intercept))
	}
	section := newLinearPlan(norms, laplace, r.SumRidge)
	section.Declared = s.Features.Center != nil
	p := &s.Plan
	p.Dim, p.Columns, p.Loss, p.RowBound, p.Linear = s.Model.Dim, s.Model.Columns, specOf(loss), norms.l2, &section
	if err = checkSide(p.Dim, p.Columns); err != nil {
		return err
	}
	return r.calibrateLinear(p)
}

func (m linearMethod) validate(p Plan) error { return p.validateLinear() }

func (m linearMethod) event(p Plan) mechanism.Event { return p.linearNoise() }

func (m linearMethod) draws(p Plan) int {
	if p.Linear.Laplace {
		return 0
	}
	return p.linearNumbers()
}

func (m linearMethod) steps(p Plan) []step {
	return []step{{fmt.Sprintf("%d sums of products", p.linearNumbers()), m.event(p)}}
}

func (m linearMethod) facts(p Plan) []fact {
	noise := "normal, on the full matrix, averaged with its transpose"
	switch {
	case p.Linear.Laplace:
		noise = "Laplace, on the upper triangle"
	case p.triangle():
		noise = "normal, on the upper triangle, with 1/√2 of its deviation off the diagonal"
	}
	ridge := fmt.Sprintf("%.4g, declared", p.Linear.Ridge)
	switch {
	case p.Linear.Ridge == 0 && m.rule.adaptive:
		ridge = "as the noise needs beside the least eigenvalue"
	case p.Linear.Ridge == 0:
		ridge = fmt.Sprintf("%.4g of the norm of the noise", m.rule.noiseNorms)
	}
	return []fact{{"noise", noise}, {"bound of a record's sums", fmt.Sprintf("%.4g", p.Linear.Bound)}, {"ridge", ridge}}
}

func (m linearMethod) fit(_ context.Context, f *fitting) ([]float64, error) {
	moments, err := f.release()
	if err != nil {
		return nil, err
	}
	f.moments = moments
	rule := m.rule
	if f.Plan.Linear.Ridge > 0 {
		rule = ridge{penalty: f.Plan.Linear.Ridge}
	}
	return moments.solve(rule)
}
