package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/experiment"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// checkProvenance compares what certificate and model say about where they come from.
func checkProvenance(c certificate.Certificate, m *model.Model) error {
	p := m.Provenance
	return errors.Join(
		agree("private mark", c.Private, p.Private),
		agree("run", c.Run, p.Run),
		agree("program", c.Program, p.Program),
		agree("time of training", c.Created, p.Created),
	)
}

// checkModel compares the plan with the model: a valid plan for another shape or another
// schema is no plan of this model.
func checkModel(c certificate.Certificate, m *model.Model) error {
	switch {
	case c.Method == experiment.MethodSelection:
		run, err := selectionRun(c)
		if err != nil {
			return nil // Certificate.Verify says so
		}
		return checkModel(run, m)
	case isNetwork(c.Method):
		return checkNetwork(c, m)
	case m.Network() != nil:
		return fmt.Errorf("the plan is for a linear model and %s holds a network, want one kind", model.FileName)
	case isOther(c.Method):
		return checkOther(c, m)
	}
	var p train.Plan
	if !known(c.Method) || json.Unmarshal(c.Plan, &p) != nil {
		return nil // Certificate.Verify says so
	}
	s := m.Schema()
	return errors.Join(
		agree("length of the weights", p.Dim, m.Linear().Dim),
		agree("number of weight vectors", p.Columns, m.Linear().Columns),
		agree("unit", p.Unit, p.Person.Unit(s.Row)),
		agree("number of rows of one person", p.RowsPerPerson, p.Person.RowsPerPerson(s.RowsPerPerson)),
		agree("declared number of records", p.Records, s.Records),
		agree("declared bound on the records", p.MaxRecords, s.MaxRecords),
		checkPaid(p, m.Features()),
		checkLearned(c, p, m),
		checkRecursion(p, m),
	)
}

// checkRecursion compares what the price of the last iterate alone hangs on and the model shows: the loss, and
// that no row is longer than the plan says.
func checkRecursion(p train.Plan, m *model.Model) error {
	l := p.LastIterate
	if l == nil {
		return nil
	}
	spec, err := model.SpecOf(m.Linear().Loss)
	if err != nil {
		return err
	}
	errs := []error{agree("loss", l.Loss, spec.Name)}
	if l.Loss == (model.Huber{}).Name() {
		errs = append(errs, agree("width of the loss", l.HuberWidth, spec.Width))
	}
	if bound := m.Features().RowBound(); !(l.RowBound >= bound) {
		errs = append(errs, fmt.Errorf("the bound of rows is %v in the plan and %v in the model, want a plan whose bound holds", l.RowBound, bound))
	}
	return errors.Join(errs...)
}

// checkPaid refuses a model with a part that was learned from the records and that the plan
// did not pay for, number by number.
func checkPaid(p train.Plan, m *feature.Map) error {
	paid := map[train.StatisticKind]int{}
	for _, s := range p.Preparation {
		paid[s.Kind] = s.Numbers
	}
	learned := map[train.StatisticKind]int{train.MeanStatistic: len(m.Center)}
	if w := m.Whitening; w != nil {
		learned[train.CovarianceStatistic], learned[train.VarianceStatistic] = len(w.Matrix), len(w.Scales)
		learned[train.ChannelStatistic], learned[train.PlaceStatistic] = len(w.Channels), len(w.Places)
	}
	if p.Records == 0 {
		learned[train.CountStatistic] = 1
	}
	var unpaid []error
	for _, kind := range train.Kinds() {
		if learned[kind] > paid[kind] {
			unpaid = append(unpaid, fmt.Errorf("the model rests on a %s of %d numbers of which the plan releases %d, want all of them in the plan", kind, learned[kind], paid[kind]))
		}
	}
	if paid[train.RadiusStatistic] == 0 {
		unpaid = append(unpaid, checkRadius(p, m))
	}
	return errors.Join(unpaid...)
}

// checkLearned refuses a model whose bounds and levels were learned otherwise than the plan says, or than the
// certificate lists.
func checkLearned(c certificate.Certificate, p train.Plan, m *model.Model) error {
	err := train.CheckLearned(p, m.Schema())
	same := slices.EqualFunc(c.Learned, train.Released(m.Schema()), func(a, b certificate.Learned) bool {
		return a.Column == b.Column && slices.Equal(a.Bounds, b.Bounds) && slices.Equal(a.Bins, b.Bins) && slices.Equal(a.Levels, b.Levels)
	})
	if !same {
		err = errors.Join(err, fmt.Errorf("the bounds and levels that were learned are not the same in %s and %s, want one list", certificate.FileName, model.FileName))
	}
	return err
}

// checkRadius refuses a model whose rows are clipped to another radius than the plan's bounds say. (Where a
// plan pays for the radius, its bounds are in units of it.)
func checkRadius(p train.Plan, m *feature.Map) error {
	rows := 1.0
	if p.Person != nil {
		rows = float64(p.Person.MaxRows)
	}
	for _, s := range p.Preparation {
		if s.Kind == train.MeanStatistic && m.Norm == feature.NormClip && s.Bound != m.Radius*rows {
			return fmt.Errorf("the radius of rows is %v in the model and the mean's bound %v in the plan, want one radius", m.Radius, s.Bound)
		}
	}
	return nil
}

func agree[T comparable](what string, c, m T) error { return agreeWith(model.FileName, what, c, m) }

// agreeWith compares a value of the certificate with that of another file.
func agreeWith[T comparable](name, what string, c, m T) error {
	if c == m {
		return nil
	}
	return fmt.Errorf("the %s is %v in %s and %v in %s, want one value", what, c, certificate.FileName, m, name)
}

// promise states the guarantee of a verified certificate in one paragraph.
func promise(c certificate.Certificate) string {
	if !c.Private {
		return "NOT PRIVATE. Epsilon is infinite: this model is a baseline without a guarantee and may reveal any record that trained it."
	}
	words := relationMeaning(c.Neighboring)
	text := fmt.Sprintf("Differential privacy with epsilon %s and delta %v, %v, for one record (%s), by accountant %s: %s changes the probability of whatever "+
		"anyone may conclude from the %s by at most the factor %s (e to the power epsilon)",
		epsilonText(float64(c.Epsilon)), c.Delta, c.Neighboring, c.Unit, c.Accountant, words, released(c), epsilonText(math.Exp(float64(c.Epsilon))))
	if c.Delta > 0 {
		text += fmt.Sprintf(", plus %v", c.Delta)
	}
	text += "."
	if c.GroupRows > 1 {
		text += fmt.Sprintf(" For all %d rows that one person has at most, epsilon is %s at the same delta.", c.GroupRows, epsilonText(float64(c.GroupEpsilon)))
	}
	return printable(text)
}

// released names what a certificate is of.
func released(c certificate.Certificate) string {
	if c.Method == evaluate.MethodPrivate {
		return "evaluation"
	}
	return "model"
}

// relationMeaning says what the guarantee hides, as the subject of a sentence.
func relationMeaning(n privacy.Neighboring) string {
	switch n {
	case privacy.AddOrRemoveOne:
		return "whether any one record was among the others"
	case privacy.ReplaceOne:
		return "which of any two records stood in a place among the others"
	case privacy.ZeroOut:
		return "whether any one row was used or blanked out"
	}
	return "the difference between any two neighboring tables"
}

// text is the verification for a terminal.
func (v verification) text() string {
	var b strings.Builder
	list := func(title string, lines []string) {
		b.WriteString(title + "\n")
		for _, line := range lines {
			b.WriteString("  - " + line + "\n")
		}
	}
	if !v.Verified {
		list("NOT VERIFIED, for this disagrees", v.Disagreements)
		list("\nof what was compared", v.Checked)
		return b.String()
	}
	list("checked", v.Checked)
	b.WriteString("\nguarantee\n" + wrapped(v.Guarantee) + "\nassumptions, which no file can show\n")
	for _, line := range v.Certificate.Assumptions {
		b.WriteString("  - " + printable(line) + "\n")
	}
	fmt.Fprintf(&b, "\nrun %s, %s, %s\nverified\n", printable(v.Certificate.Run), printable(v.Certificate.Program), printable(v.Certificate.Created))
	return b.String()
}
