package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/spf13/pflag"
)

// stepFlags name steps of gradient descent, as dither train makes them.
type stepFlags struct {
	samplingProbability float64
	noiseMultiplier     float64
	steps               int
}

func (s *stepFlags) add(f *pflag.FlagSet) {
	f.Float64Var(&s.noiseMultiplier, "noise-multiplier", 0, short("noise-multiplier"))
	f.Float64Var(&s.samplingProbability, "sampling-probability", 1, short("sampling-probability"))
	f.IntVar(&s.steps, "steps", 1, "number of steps")
}

// any reports whether one of the flags is given.
func (s *stepFlags) any(changed func(string) bool) bool {
	return changed("noise-multiplier") || changed("sampling-probability") || changed("steps")
}

// check refuses numbers that make no sense, apart from the one that is being looked for.
func (s *stepFlags) check(looked string) error {
	switch {
	case looked != findNoise && !(s.noiseMultiplier > 0 && s.noiseMultiplier <= mostNoise):
		return fmt.Errorf("--noise-multiplier is %v, want more than 0 and at most %g", s.noiseMultiplier, mostNoise)
	case looked != findProbability && !(s.samplingProbability > 0 && s.samplingProbability <= 1):
		return fmt.Errorf("--sampling-probability is %v, want more than 0 and at most 1 (full batch)", s.samplingProbability)
	case looked != findSteps && (s.steps < 1 || s.steps > mostSteps):
		return fmt.Errorf("--steps is %d, want 1 to %d", s.steps, mostSteps)
	}
	return nil
}

const (
	mostNoise = explain.MostNoise
	mostSteps = explain.MostSteps
)

// text writes steps and sampling as flags.
func (s *stepFlags) text() string {
	text := fmt.Sprintf(" --steps %d", s.steps)
	if s.samplingProbability < 1 {
		text += " --sampling-probability " + plainly(s.samplingProbability)
	}
	return text
}

// event is steps of gradient descent.
func (s *stepFlags) event() mechanism.Event {
	var step mechanism.Event = mechanism.Gaussian{NoiseMultiplier: s.noiseMultiplier}
	if s.samplingProbability < 1 {
		step = mechanism.PoissonSampled{Probability: s.samplingProbability, Event: step}
	}
	return mechanism.Repeat{Event: step, Count: s.steps}
}

// subject is an event and, where it comes from a file, the terms that the file names.
type subject struct {
	event       mechanism.Event
	file        bool
	neighboring privacy.Neighboring // 0: not named
	delta       float64
	rows        int
	// stated is the epsilon that a certificate states at its own terms, nil elsewhere.
	stated *certificate.Epsilon
}

// subject reads what is to be priced.
func (a *accountCommand) subject(args []string) (subject, error) {
	switch given := a.steps.any(a.changed); {
	case len(args) == 0 && !given:
		return subject{}, fmt.Errorf("nothing to price, want an event, a file, a model folder or --noise-multiplier; see dither account --help")
	case len(args) > 0 && given:
		return subject{}, fmt.Errorf("an argument is given together with --noise-multiplier, --sampling-probability or --steps, want one or the other")
	case len(args) == 0 && !a.changed("noise-multiplier"):
		return subject{}, fmt.Errorf("--noise-multiplier is missing, want it beside --steps and --sampling-probability; dither calibrate finds one for an epsilon")
	case len(args) == 0:
		return subject{event: a.steps.event()}, a.steps.check("")
	}
	subjects := make([]subject, len(args))
	for i, argument := range args {
		var err error
		if subjects[i], err = readSubject(argument); err != nil && len(args) > 1 {
			return subject{}, fmt.Errorf("argument %d of %d: %w; an event with spaces wants quotation marks", i+1, len(args), err)
		} else if err != nil {
			return subject{}, err
		}
	}
	return together(args, subjects)
}

// together is several subjects one after the other on the same records, at the largest delta and the
// most rows of one person that one of them names.
func together(names []string, subjects []subject) (subject, error) {
	all := subjects[0]
	if len(subjects) == 1 {
		return all, nil
	}
	events := mechanism.Sequence{}
	for i, s := range subjects {
		switch {
		case all.neighboring == 0:
			all.neighboring = s.neighboring
		case s.neighboring != 0 && s.neighboring != all.neighboring:
			return subject{}, fmt.Errorf("%s is under %v, want %v like those before it; costs under different relations do not add up", names[i], s.neighboring, all.neighboring)
		}
		all.file = all.file || s.file
		all.delta, all.rows = max(all.delta, s.delta), max(all.rows, s.rows)
		events = append(events, s.event)
	}
	all.event, all.stated = events, nil
	return all, nil
}

// readSubject reads an event expression or, when there is a file or folder of this name, that.
func readSubject(argument string) (subject, error) {
	info, err := os.Stat(argument)
	switch {
	case err == nil && info.IsDir():
		text, failure := readPart(argument, certificate.FileName)
		if failure != nil {
			return subject{}, failure
		}
		return decodeSubject(filepath.Join(argument, certificate.FileName), text)
	case err == nil:
		text, failure := readPlain(argument, info)
		if failure != nil {
			return subject{}, failure
		}
		return decodeSubject(argument, text)
	case !strings.Contains(argument, "(") && (!absent(err) || strings.ContainsAny(argument, `./\`)):
		return subject{}, fmt.Errorf("%s: %w, want an event such as gaussian(1.1), or a plan, a certificate or a model folder", argument, pathless(err))
	}
	e, err := mechanism.ParseEvent(argument)
	if err != nil && !strings.Contains(argument, "(") {
		return subject{}, fmt.Errorf("%w; there is no file or folder of this name either", err)
	}
	if err != nil {
		return subject{}, err
	}
	return subject{event: e}, nil
}

// absent reports whether an error says no more than that there is no such file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// mostSubject bounds a plan or certificate.
const mostSubject = 16 << 20

func readPlain(path string, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() || info.Size() > mostSubject {
		return nil, fmt.Errorf("%s is no plain file of at most %s, want a plan or a certificate", path, sizeText(mostSubject))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, want a plan or a certificate that can be read", path, pathless(err))
	}
	return text, nil
}

// decodeSubject reads a certificate, a plan, or both in what dither train --dry-run prints.
func decodeSubject(path string, text []byte) (subject, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return subject{}, fmt.Errorf("%s is no JSON object, want a plan or a certificate", path)
	}
	var s subject
	var err error
	switch {
	case parts["certificate"] != nil:
		s, err = certificateSubject(parts["certificate"])
	case parts["format"] != nil:
		s, err = certificateSubject(text)
	default:
		s, err = planSubject(text)
	}
	if err != nil {
		return subject{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// certificateSubject is the event of a certificate. That it follows from the plan is for
// dither verify to say.
func certificateSubject(text []byte) (subject, error) {
	c, err := certificate.Decode(text)
	if err != nil {
		return subject{}, err
	}
	e, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return subject{}, err
	}
	return subject{event: e, file: true, neighboring: c.Neighboring, delta: c.Delta, rows: c.GroupRows, stated: &c.Epsilon}, nil
}

func planSubject(text []byte) (subject, error) {
	p, err := certificate.ReadPlan[train.Plan]("neither a plan nor a certificate", text)
	if err != nil {
		return subject{}, err
	}
	return subject{event: p.Event(), file: true, neighboring: p.Neighboring, delta: p.Delta, rows: p.RowsPerPerson}, nil
}
