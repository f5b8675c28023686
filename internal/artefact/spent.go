package artefact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/privacy"
)

// spending is the reserved cost of a run: the trace in its folder. No part of it is refunded,
// however the run ends. All of it is public.
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
		Event: c.Event, Program: Program, Began: time.Now().UTC().Format(time.RFC3339)}
}

// Spend writes the trace of a cost to disk, before noise is drawn. It refuses a folder that was
// renamed or replaced since Claim. Without a folder it keeps the trace in memory.
func (f *Folder) Spend(c certificate.Certificate) error {
	if f.spent = newSpending(c); f.home == "" || f.spent == nil {
		return nil
	}
	err := still(f.home, f.own)
	if err == nil {
		err = still(f.path, f.expected())
	}
	if err != nil {
		f.spent = nil
		return failure.Running(fmt.Errorf("%w; nothing was spent; start the run again, or give another --out", err))
	}
	f.spent.Folder = f.path
	text, err := json.MarshalIndent(f.spent, "", " ")
	if err == nil {
		err = durable.Create(filepath.Join(f.home, durable.TraceName), append(text, '\n'), 0o644)
	}
	if err != nil {
		f.spent = nil
		return failure.Running(fmt.Errorf("%s cannot be written in: %w; nothing was spent; give another --out", f.home, display.Pathless(err)))
	}
	durable.SyncFolder(f.home)
	durable.SyncFolder(filepath.Dir(f.home))
	return nil
}

// Unspend removes the trace of a run whose cost was not reserved, and returns the error of the run.
// The error names a trace that stays.
func (f *Folder) Unspend(err error) error {
	f.RemoveTrace()
	if trace := f.trace(); trace != "" {
		err = fmt.Errorf("%w; nothing was spent, and %s stays; remove it", err, trace)
	}
	f.spent = nil
	return err
}

// RemoveTrace removes the trace from the folder. Call it if the trace is kept elsewhere.
func (f *Folder) RemoveTrace() {
	if f.home != "" && f.spent != nil {
		_ = f.removeTrace(f.home)
	}
}

// removeTrace removes the trace of this run, and never that of another run whose folder has the name
// now. The name at is used only where the own folder is not open.
func (f *Folder) removeTrace(at string) error {
	return f.inOwn(at, func(own *os.Root) error { return own.Remove(durable.TraceName) })
}

// inOwn calls a function with the folder that this run has made. Where it is not open, it must have
// the name at.
func (f *Folder) inOwn(at string, do func(*os.Root) error) error {
	if f.root != nil {
		return do(f.root)
	}
	own, err := os.OpenRoot(at)
	if err != nil {
		return err
	}
	defer own.Close()
	if named, err := own.Stat("."); err != nil || !os.SameFile(named, f.own) {
		return changed(at)
	}
	return do(own)
}

// trace returns words for the trace of this run on disk, or "" for none.
func (f *Folder) trace() string {
	if f.home == "" || f.spent == nil {
		return ""
	}
	err := f.inOwn(f.home, func(own *os.Root) error {
		_, failed := own.Lstat(durable.TraceName)
		return failed
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) && (f.root != nil || still(f.home, f.own) == nil):
		return ""
	case still(f.home, f.own) != nil:
		return fmt.Sprintf("%s in the folder that was %s", durable.TraceName, f.home)
	}
	return filepath.Join(f.home, durable.TraceName)
}

// Spent reports whether the run has spent a cost or reserved it.
func (f *Folder) Spent() bool { return f.spent != nil }

// spentWords returns the cost of a run that has begun to draw, in words, and "" for one that costs
// nothing.
func (f *Folder) spentWords() string {
	if f == nil || f.spent == nil {
		return ""
	}
	s := f.spent
	text := fmt.Sprintf("budget spent: at most epsilon %s at delta %g (%v), which must be counted", s.Epsilon.Rounded(), s.Delta, s.Neighboring)
	if trace := f.trace(); trace != "" {
		text += "; " + trace + " keeps it"
	}
	return text
}

// Failure returns the error of a run that has begun to draw noise. The error states the cost that is
// spent.
func (f *Folder) Failure(err error) error {
	words := f.spentWords()
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w; there is no result", err)
	}
	if words == "" {
		return failure.Running(err)
	}
	return failure.Running(fmt.Errorf("%w; %s", err, words))
}

// refuge writes results to a place with space left, if they cannot be written next to their own
// place. The error names the place.
func (f *Folder) refuge(files map[string][]byte, why error) error {
	path, err := keepElsewhere(files)
	if err != nil {
		return failure.Running(fmt.Errorf("%s cannot be written: %w; neither can another folder: %w; the results are lost; %s", f.path, display.Pathless(why), display.Pathless(err), f.spentWords()))
	}
	return f.stranded(path, why)
}

// Unprinted keeps results that could not be printed. If they are not in a folder yet, it writes
// them to a new one. It returns nil for a nil error.
func (f *Folder) Unprinted(files map[string][]byte, err error) error {
	if err == nil {
		return nil
	}
	if f.path != "" {
		return failure.Running(fmt.Errorf("%w; the results stand in %s", err, f.path))
	}
	path, failing := keepElsewhere(files)
	if failing != nil {
		return failure.Running(fmt.Errorf("%w; neither can a folder: %w; the results are lost; %s", err, display.Pathless(failing), f.spentWords()))
	}
	return failure.Running(fmt.Errorf("%w; the results stand in %s; %s", err, path, f.spentWords()))
}

// keepElsewhere writes results into a new folder: of temporary files, of the user's cache, or of
// the user.
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
func (f *Folder) stranded(path string, why error) error {
	text := fmt.Sprintf("%s cannot be written: %v; the finished results stand in %s", f.path, display.Pathless(why), path)
	if words := f.spentWords(); words != "" {
		text += "; " + words
	}
	return failure.Running(errors.New(text))
}

// IsUnfinished reports whether a folder belongs to a run that is in progress or did not finish.
func IsUnfinished(folder string) bool {
	return display.Exists(filepath.Join(folder, durable.TraceName))
}

// Unfinished returns the error about a folder for which IsUnfinished is true.
func Unfinished(folder string) error {
	return fmt.Errorf("%s belongs to a run that goes on or did not finish, want a finished one; read in %s there what is spent", folder, durable.TraceName)
}
