// Package mutants lays faults over the sources of this module, for tests that must convict them.
// Its own tests hold a table of faults of privacy. Each is convicted by an audit of the program that
// has it, or by a named test.
package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Edit replaces a text of a file, which holds it once.
type Edit struct{ File, Old, New string }

// Apply returns the texts of the files that the edits name, as edits change them one after another.
// Names of files are relative to root.
func Apply(root string, edits ...Edit) (map[string]string, error) {
	texts := map[string]string{}
	for _, e := range edits {
		text, known := texts[e.File]
		if !known {
			raw, err := os.ReadFile(filepath.Join(root, e.File))
			if err != nil {
				return nil, err
			}
			text = string(raw)
		}
		if n := strings.Count(text, e.Old); n != 1 {
			return nil, fmt.Errorf("mutants: %s holds the text of the edit %d times, want once: %s", e.File, n, e.Old)
		}
		texts[e.File] = strings.Replace(text, e.Old, e.New, 1)
	}
	return texts, nil
}

// Overlay writes the go tool's overlay of some edits to a folder, and returns its path.
func Overlay(root, dir string, edits ...Edit) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	texts, err := Apply(root, edits...)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range texts {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err = os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, name)] = file
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}

// Convict runs a test of a package over an overlay, and returns the processor time that it took with
// all that it compiled. An error says that the test passed, or that it did not fail by itself: that
// something does not compile, say.
func Convict(root, overlay, pkg, test string) (time.Duration, error) {
	c := exec.Command("go", "test", "-short", "-count=1", "-overlay", overlay, "-run", "^"+test+"$", pkg)
	c.Dir = root
	out, err := c.CombinedOutput()
	took := Processor(c)
	if err == nil {
		return took, fmt.Errorf("mutants: %s passes over the fault", test)
	}
	if !strings.Contains(string(out), "--- FAIL: "+test) {
		return took, fmt.Errorf("mutants: %s did not fail by itself:\n%s", test, out)
	}
	return took, nil
}

// Processor returns the processor time of a command that has ended, with its children.
func Processor(c *exec.Cmd) time.Duration {
	if c.ProcessState == nil {
		return 0
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// Variable is the environment variable that names a share of all faults: k/n is the k-th of every
// n, k from 0.
const Variable = "DITHER_MUTANTS"

// Share returns which of every n faults are taken: those whose number has the remainder k.
func Share() (k, n int, err error) {
	share := os.Getenv(Variable)
	if share == "" {
		return 0, 1, nil
	}
	if read, scanErr := fmt.Sscanf(share, "%d/%d", &k, &n); read != 2 || scanErr != nil || k < 0 || k >= n {
		return 0, 0, fmt.Errorf("%s is %q, want k/n with k from 0 to n-1", Variable, share)
	}
	return k, n, nil
}
