package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/privacy"
)

// spentName is the file that stands in the folder of a run from before its first draw of noise until its
// results do. All of it is public.
const spentName = "spent.json"

// spending is what a run has reserved. No part of it comes back, however the run ends.
type spending struct {
	Note        string              `json:"note"`
	Folder      string              `json:"folder,omitempty"`
	Method      string              `json:"method"`
	Epsilon     certificate.Epsilon `json:"epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
	Unit        string              `json:"unit"`
	Accountant  string              `json:"accountant"`
	Event       string              `json:"event"`
	Program     string              `json:"program"`
	Began       string              `json:"began"`
}

const spentNote = "A run began to release noisy numbers at this cost. While this file stands, its results do not: it goes on, or it ended before its end. If it ended, count this cost for its records, then remove the file."

// newSpending is what a draft of a certificate will cost, nil for a run without privacy.
func newSpending(c certificate.Certificate) *spending {
	if !c.Private {
		return nil
	}
	return &spending{Note: spentNote, Method: c.Method, Epsilon: c.Epsilon, Delta: c.Delta, Neighboring: c.Neighboring, Unit: c.Unit, Accountant: c.Accountant,
		Event: c.Event, Program: program(), Began: time.Now().UTC().Format(time.RFC3339)}
}

// spend leaves the trace of a cost on disk, before the first draw. From here on the process outlives a
// reader that goes away.
func (f *folder) spend(c certificate.Certificate) error {
	outliveReaders()
	f.spent = newSpending(c)
	if f.home == "" || f.spent == nil {
		return nil
	}
	f.spent.Folder = f.path
	text, err := json.MarshalIndent(f.spent, "", " ")
	if err == nil {
		err = durable.Create(filepath.Join(f.home, spentName), append(text, '\n'), 0o644)
	}
	if err != nil {
		f.spent = nil
		return failed{fmt.Errorf("%s cannot be written in: %w; nothing was spent; give another --out", f.home, pathless(err))}
	}
	durable.SyncFolder(f.home)
	durable.SyncFolder(filepath.Dir(f.home))
	return nil
}

// unspend takes the trace back: nothing was reserved.
func (f *folder) unspend() {
	f.removeTrace()
	f.spent = nil
}

// removeTrace removes the trace from the folder: something else keeps it.
func (f *folder) removeTrace() {
	if f.home != "" && f.spent != nil {
		_ = os.Remove(filepath.Join(f.home, spentName))
	}
}

// spentWords say what a run that has begun to draw cost, "" for one that costs nothing.
func (f *folder) spentWords() string {
	if f == nil || f.spent == nil {
		return ""
	}
	s := f.spent
	text := fmt.Sprintf("budget spent: at most epsilon %s at delta %g (%v), which must be counted", epsilonText(float64(s.Epsilon)), s.Delta, s.Neighboring)
	if trace := filepath.Join(f.home, spentName); f.home != "" && exists(trace) {
		text += "; " + trace + " keeps it"
	}
	return text
}

// failure marks an error of a run that has begun to draw: it says what is spent.
func (f *folder) failure(err error) error {
	words := f.spentWords()
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w; there is no result", err)
	}
	if words == "" {
		return failed{err}
	}
	return failed{fmt.Errorf("%w; %s", err, words)}
}

// refuge keeps results that cannot stand beside their place where there is room. The error says where.
func (f *folder) refuge(files map[string][]byte, why error) error {
	path, err := keepElsewhere(files)
	if err != nil {
		return failed{fmt.Errorf("%s cannot be written: %w; neither can another folder: %w; the results are lost; %s", f.path, pathless(why), pathless(err), f.spentWords())}
	}
	return f.stranded(path, why)
}

// unprinted keeps results that were to be printed and could not be, unless they stand in a folder. It
// returns nil for an error of nil.
func (f *folder) unprinted(files map[string][]byte, err error) error {
	if err == nil {
		return nil
	}
	if f.path != "" {
		return failed{fmt.Errorf("%w; the results stand in %s", err, f.path)}
	}
	path, failing := keepElsewhere(files)
	if failing != nil {
		return failed{fmt.Errorf("%w; neither can a folder: %w; the results are lost; %s", err, pathless(failing), f.spentWords())}
	}
	return failed{fmt.Errorf("%w; the results stand in %s; %s", err, path, f.spentWords())}
}

// keepElsewhere writes results into a new folder: of temporary files, of the user's cache, or of the user.
func keepElsewhere(files map[string][]byte) (string, error) {
	var problems error
	for _, place := range []func() (string, error){func() (string, error) { return os.TempDir(), nil }, os.UserCacheDir, os.UserHomeDir, os.Getwd} {
		parent, err := place()
		if err == nil {
			var held *os.File
			if held, parent, err = finish(parent, "dither-kept-", files); err == nil {
				held.Close()
				return parent, nil
			}
		}
		problems = errors.Join(problems, err)
	}
	return "", problems
}

// stranded is the error about results that are finished and stand elsewhere.
func (f *folder) stranded(path string, why error) error {
	text := fmt.Sprintf("%s cannot be written: %v; the finished results stand in %s", f.path, pathless(why), path)
	if words := f.spentWords(); words != "" {
		text += "; " + words
	}
	return failed{errors.New(text)}
}
