package artefact

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// checkProvenance compares what certificate and model say about where they come from.
func checkProvenance(c certificate.Certificate, m *model.Model) error {
	p := m.Provenance
	return errors.Join(
		checkOrigin(c),
		agree("private mark", c.Private, p.Private),
		agree("run", c.Run, p.Run),
		agree("program", c.Program, p.Program),
		agree("time of training", c.Created, p.Created),
	)
}

// checkModel compares the plan and the assumptions with the model. A valid plan for another shape
// or another schema is no plan of this model.
func checkModel(c certificate.Certificate, m *model.Model) error {
	premises, err := checkPlanned(c, m)
	if premises == nil {
		return err // Certificate.Verify says what is wrong with the plan
	}
	return errors.Join(err, checkLearned(c, m), checkDeclared(c, m), checkAssumptions(c, AssumptionsOf(*premises, m.Schema(), m.Features(), c)))
}

// checkPlanned compares plan and model, and returns the premises of the plan, nil of one that makes
// no sense.
func checkPlanned(c certificate.Certificate, m *model.Model) (*draft.Premises, error) {
	switch {
	case c.Method == option.MethodSelection:
		run, err := SelectionRun(c)
		if err != nil {
			return nil, nil
		}
		return checkPlanned(run, m)
	case IsNetwork(c.Method):
		p, err := strict.ReadPlan[neural.Plan]("neural", c.Plan)
		premises := p.Premises()
		return orNil(&premises, err), neural.CheckModel(p, m)
	case IsOther(c.Method):
		p, err := strict.ReadPlan[erm.Plan]("erm", c.Plan)
		premises := p.Premises()
		return orNil(&premises, err), erm.CheckModel(p, m)
	case IsDescent(c.Method):
		p, err := strict.ReadPlan[train.Plan]("train", c.Plan)
		premises := p.Premises()
		return orNil(&premises, err), train.CheckModel(p, m)
	}
	return nil, nil
}

// orNil is nil where there is an error.
func orNil(p *draft.Premises, err error) *draft.Premises {
	if err != nil {
		return nil
	}
	return p
}

// checkAssumptions refuses assumptions other than those that follow.
func checkAssumptions(c certificate.Certificate, want []string) error {
	want = draft.Counted(want, c.Recorded)
	for i := range max(len(want), len(c.Assumptions)) {
		switch {
		case i >= len(c.Assumptions):
			return fmt.Errorf("an assumption is missing: %q, which follows from plan, schema and declarations%s", want[i], otherProgram(c))
		case i >= len(want):
			return fmt.Errorf("the assumption %q follows from nothing, want none%s", Shortly(c.Assumptions[i]), otherProgram(c))
		case c.Assumptions[i] != want[i]:
			return fmt.Errorf("an assumption is %q, want %q, which follows from plan, schema and declarations%s", Shortly(c.Assumptions[i]), want[i], otherProgram(c))
		}
	}
	return nil
}

// otherProgram says which version wrote a certificate, if this program is another one. Versions word assumptions
// differently.
func otherProgram(c certificate.Certificate) string {
	if c.Program == Program || c.Program == "" {
		return ""
	}
	return fmt.Sprintf("; the certificate says that %s wrote it, and this is %s: verify the folder with the version that wrote it", display.Printable(Shortly(c.Program)), Program)
}

// checkLearned refuses a certificate that lists other learned bounds and levels than the model has.
func checkLearned(c certificate.Certificate, m *model.Model) error {
	same := slices.EqualFunc(c.Learned, train.Released(m.Schema()), func(a, b certificate.Learned) bool {
		return a.Column == b.Column && slices.Equal(a.Bounds, b.Bounds) && slices.Equal(a.Bins, b.Bins) && slices.Equal(a.Levels, b.Levels)
	})
	if !same {
		return fmt.Errorf("the bounds and levels that were learned are not the same in %s and %s, want one list", certificate.FileName, model.FileName)
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

// checkHash compares the hash in a certificate with that of the file that it certifies.
func checkHash(c certificate.Certificate, text []byte) error {
	if want := certificate.Hash(text); c.ModelSHA256 != want {
		return fmt.Errorf("certificate: the SHA-256 of the model is %v, want %v, which follows from the model file", c.ModelSHA256, want)
	}
	return nil
}

// promise states the guarantee of a verified certificate in one paragraph.
func promise(c certificate.Certificate) string {
	if !c.Private {
		return "NOT PRIVATE. Epsilon is infinite: this model is a baseline without a guarantee and may reveal any record that trained it."
	}
	words := relationMeaning(c.Neighboring)
	text := fmt.Sprintf("Differential privacy with epsilon %s and delta %v, %v, for one record (%s), by accountant %s: %s changes the probability of whatever "+
		"anyone may conclude from the %s by at most the factor %s (e to the power epsilon)",
		certificate.Epsilon(float64(c.Epsilon)).Rounded(), c.Delta, c.Neighboring, c.Unit, c.Accountant, words, released(c), certificate.Epsilon(math.Exp(float64(c.Epsilon))).Rounded())
	if c.Delta > 0 {
		text += fmt.Sprintf(", plus %v", c.Delta)
	}
	text += "."
	if c.GroupRows > 1 {
		text += fmt.Sprintf(" For all %d rows that one person has at most, epsilon is %s at the same delta.", c.GroupRows, certificate.Epsilon(float64(c.GroupEpsilon)).Rounded())
	}
	return display.Printable(text)
}

// released returns the kind of release that a certificate is for.
func released(c certificate.Certificate) string {
	if c.Method == option.MethodEvaluation {
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

// AssumptionsOf returns the assumptions of a model's certificate. They follow from the premises of
// its plan, from its schema and feature map, and from the declarations of the certificate.
func AssumptionsOf(p draft.Premises, s *data.Schema, m *feature.Map, c certificate.Certificate) []string {
	p.Selected = c.Method == option.MethodSelection
	return p.Of(s, m).Assumptions(c)
}

// SelectionRun returns the certificate of the winner of a private choice. It is the certificate c
// with the method and the plan of the winner's run.
func SelectionRun(c certificate.Certificate) (certificate.Certificate, error) {
	plan, err := sweep.ReadSelection(c.Plan)
	if err != nil {
		return c, err
	}
	c.Method, c.Plan = plan.RunMethod, plan.Run
	return c, nil
}
