package planaudit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// Subject is a plan under audit with its certificate. One of the three plans is not nil.
type Subject struct {
	// Name is the base name of the folder or file, or the text of the event.
	Name        string
	Certificate certificate.Certificate
	Descent     *train.Plan
	Minimizer   *erm.Plan
	Network     *neural.Plan
	// OfEvent says that the plan is made for an event.
	OfEvent bool
	// Model is the trained model, nil without a model folder. Only its schema, its map of rows, its
	// loss and its frozen layers are used.
	Model *model.Model
}

// Terms complete an event, which has neither relation nor delta.
type Terms struct {
	Neighboring privacy.Neighboring
	Delta       float64
}

// Read returns the subject that an argument names: a model folder, a file with a certificate, a
// plan or the output of dither train --dry-run --json, or an event in text. It is an error if the
// certificate does not follow from its plan, or if there is no training to repeat.
func Read(argument string, terms Terms) (Subject, error) {
	info, err := os.Stat(argument)
	switch {
	case err == nil && info.IsDir():
		return readFolder(argument)
	case err == nil:
		return readFile(argument, info)
	case !strings.Contains(argument, "(") && (!errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(argument, `./\`)):
		return Subject{}, fmt.Errorf("%s: %w, want a model folder, a plan, a certificate, or an event such as repeat(100, gaussian(20))", argument, display.Pathless(err))
	}
	e, err := mechanism.ParseEvent(argument)
	if err != nil && !strings.Contains(argument, "(") {
		err = fmt.Errorf("%w; there is no file or folder of this name either", err)
	}
	if err != nil {
		return Subject{}, err
	}
	p, err := planOf(e, terms)
	if err != nil {
		return Subject{}, err
	}
	s, err := ofPlan(argument, p)
	s.OfEvent = true
	return s, err
}

// readFolder reads a model folder.
func readFolder(folder string) (Subject, error) {
	_, c, err := artefact.ReadCertificate(folder)
	if err != nil {
		return Subject{}, err
	}
	s, err := ofCertificate(filepath.Base(filepath.Clean(folder)), c)
	if err != nil {
		return Subject{}, fmt.Errorf("%s: %w", folder, err)
	}
	if s.Model, err = model.Load(folder); err != nil {
		return Subject{}, err
	}
	return s, nil
}

// mostFile bounds a file with a plan or a certificate.
const mostFile = 16 << 20

// readFile reads a certificate, a plan, or both in the output of a dry run.
func readFile(path string, info fs.FileInfo) (Subject, error) {
	if !info.Mode().IsRegular() || info.Size() > mostFile {
		return Subject{}, fmt.Errorf("%s is no plain file of at most %s, want a plan or a certificate", path, display.Size(mostFile))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Subject{}, fmt.Errorf("%s: %w, want a plan or a certificate that can be read", path, display.Pathless(err))
	}
	var parts map[string]json.RawMessage
	if err = json.Unmarshal(text, &parts); err != nil {
		return Subject{}, fmt.Errorf("%s is no JSON object, want a plan or a certificate; dither train --dry-run --json prints both", path)
	}
	s, err := decode(filepath.Base(path), text, parts)
	if err != nil {
		return Subject{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// decode tells the kinds of files apart.
func decode(name string, text []byte, parts map[string]json.RawMessage) (Subject, error) {
	if inner := parts["certificate"]; inner != nil {
		text, parts = inner, map[string]json.RawMessage{"format": inner}
	}
	switch {
	case parts["format"] != nil:
		c, err := certificate.Decode(text)
		if err != nil {
			return Subject{}, err
		}
		return ofCertificate(name, c)
	case parts["network"] != nil:
		return readPlan[neural.Plan](name, text)
	case parts["method"] != nil:
		return readPlan[erm.Plan](name, text)
	}
	return readPlan[train.Plan](name, text)
}

// certified is a plan that makes its own certificate.
type certified interface {
	Certificate() (certificate.Certificate, error)
	Validate() error
}

// readPlan reads a plan of one kind.
func readPlan[P certified](name string, text []byte) (Subject, error) {
	p, err := strict.ReadPlan[P]("neither a plan nor a certificate", text)
	if err != nil {
		return Subject{}, err
	}
	return ofPlan(name, p)
}

// ofPlan returns the subject of a plan without a certificate.
func ofPlan(name string, p certified) (Subject, error) {
	if err := p.Validate(); err != nil {
		return Subject{}, err
	}
	c, err := p.Certificate()
	if err != nil {
		return Subject{}, err
	}
	return ofCertificate(name, c)
}

// ofCertificate returns the subject of a certificate, which must follow from its plan.
func ofCertificate(name string, c certificate.Certificate) (Subject, error) {
	s := Subject{Name: name, Certificate: c}
	if err := refused(c); err != nil {
		return s, err
	}
	methods := artefact.Methods()
	maps.Copy(methods, query.Methods())
	if err := errors.Join(artefact.CheckPlans(c), c.VerifyPlan(methods)); err != nil {
		return s, fmt.Errorf("the certificate does not follow from its plan, want one that does; dither verify says what differs: %s", display.OneLine(err.Error()))
	}
	var err error
	switch {
	case artefact.IsDescent(c.Method):
		s.Descent, err = planIn[train.Plan](c)
	case artefact.IsNetwork(c.Method):
		s.Network, err = planIn[neural.Plan](c)
	default:
		s.Minimizer, err = planIn[erm.Plan](c)
	}
	return s, err
}

// planIn returns the plan of a certificate.
func planIn[P interface{ Validate() error }](c certificate.Certificate) (*P, error) {
	p, err := strict.ReadPlan[P]("the certificate", c.Plan)
	return &p, err
}

// refused returns an error for a certificate of something else than one private training.
func refused(c certificate.Certificate) error {
	switch {
	case !c.Private:
		return fmt.Errorf("the certificate of method %s claims no privacy, want a private plan; there is nothing to refute", c.Method)
	case c.Method == option.MethodSelection:
		return fmt.Errorf("the model of method %s was chosen among many runs, want the plan of one; dither train --dry-run --json with the settings of the winner prints it", c.Method)
	case c.Method == option.MethodEvaluation, c.Method == option.MethodQuery:
		return fmt.Errorf("the certificate is of method %s, want that of a training; dither audit without arguments attacks the noise of such answers", c.Method)
	case artefact.IsDescent(c.Method), artefact.IsNetwork(c.Method), artefact.IsOther(c.Method):
		return nil
	}
	return fmt.Errorf("the certificate is of method %s, want that of a training", display.Printable(c.Method))
}
