package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train"
)

// Read returns the question that asks for the total cost of all subjects, if all of them are about
// the same records. A subject is an event in text or the name of a plan, a certificate or a model
// folder. It may also be a file with the output of `dither train --dry-run --json`. Delta and Rows
// of the question are the largest values in the files. If no file states a relation, Neighboring of
// the question is 0.
func Read(subjects ...string) (Question, error) {
	all := make([]Question, len(subjects))
	for i, subject := range subjects {
		var err error
		if all[i], err = readSubject(subject); err != nil && len(subjects) > 1 {
			return Question{}, fmt.Errorf("argument %d of %d: %w; an event with spaces wants quotation marks", i+1, len(subjects), err)
		} else if err != nil {
			return Question{}, err
		}
	}
	return together(subjects, all)
}

// together returns several subjects one after the other on the same records. Delta and the rows of
// one person are the largest of all subjects.
func together(names []string, subjects []Question) (Question, error) {
	switch len(subjects) {
	case 0:
		return Question{}, errors.New("explain: there is no subject, want an event, a file or a folder")
	case 1:
		return subjects[0], nil
	}
	all := subjects[0]
	events := mechanism.Sequence{}
	for i, s := range subjects {
		switch {
		case all.Neighboring == 0:
			all.Neighboring = s.Neighboring
		case s.Neighboring != 0 && s.Neighboring != all.Neighboring:
			return Question{}, fmt.Errorf("%s is under %v, want %v like those before it; costs under different relations do not add up", names[i], s.Neighboring, all.Neighboring)
		}
		all.Delta, all.Rows = max(all.Delta, s.Delta), max(all.Rows, s.Rows)
		events = append(events, s.Event)
	}
	all.Event, all.Stated = events, nil
	return all, nil
}

// readSubject returns the subject in a file or folder of this name or, if there is none, in an
// event expression.
func readSubject(argument string) (Question, error) {
	info, err := os.Stat(argument)
	switch {
	case err == nil && info.IsDir():
		text, failure := artefact.ReadPart(argument, certificate.FileName)
		if failure != nil {
			return Question{}, failure
		}
		return decodeSubject(filepath.Join(argument, certificate.FileName), text)
	case err == nil:
		text, failure := readPlain(argument, info)
		if failure != nil {
			return Question{}, failure
		}
		return decodeSubject(argument, text)
	case !strings.Contains(argument, "(") && (!errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(argument, `./\`)):
		return Question{}, fmt.Errorf("%s: %w, want an event such as gaussian(1.1), or a plan, a certificate or a model folder", argument, display.Pathless(err))
	}
	e, err := mechanism.ParseEvent(argument)
	if err != nil && !strings.Contains(argument, "(") {
		return Question{}, fmt.Errorf("%w; there is no file or folder of this name either", err)
	}
	if err != nil {
		return Question{}, err
	}
	return Question{Event: e}, nil
}

// mostSubject bounds a plan or certificate.
const mostSubject = 16 << 20

func readPlain(path string, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() || info.Size() > mostSubject {
		return nil, fmt.Errorf("%s is no plain file of at most %s, want a plan or a certificate", path, display.Size(mostSubject))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, want a plan or a certificate that can be read", path, display.Pathless(err))
	}
	return text, nil
}

// decodeSubject returns the subject of a certificate, of a plan, or of both in the output of dither
// train --dry-run.
func decodeSubject(path string, text []byte) (Question, error) {
	parts, err := objectOf(path, text)
	if err != nil {
		return Question{}, err
	}
	var s Question
	switch {
	case parts["certificate"] != nil:
		s, err = certificateSubject(parts["certificate"])
	case parts["format"] != nil:
		s, err = certificateSubject(text)
	default:
		s, err = planSubject(text)
	}
	if err != nil {
		return Question{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// certificateSubject returns the event of a certificate. dither verify checks that the event
// follows from the plan.
func certificateSubject(text []byte) (Question, error) {
	c, err := certificate.Decode(text)
	if err != nil {
		return Question{}, err
	}
	e, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return Question{}, err
	}
	return Question{Event: e, Neighboring: c.Neighboring, Delta: c.Delta, Rows: c.GroupRows, Stated: &c.Epsilon}, nil
}

func planSubject(text []byte) (Question, error) {
	p, err := strict.ReadPlan[train.Plan]("neither a plan nor a certificate", text)
	if err != nil {
		return Question{}, err
	}
	return Question{Event: p.Event(), Neighboring: p.Neighboring, Delta: p.Delta, Rows: p.RowsPerPerson}, nil
}

// objectOf reads the parts of a JSON object.
func objectOf(path string, text []byte) (parts map[string]json.RawMessage, err error) {
	if err = json.Unmarshal(text, &parts); err != nil {
		return nil, fmt.Errorf("%s is no JSON object, want a plan or a certificate", path)
	}
	return parts, nil
}
