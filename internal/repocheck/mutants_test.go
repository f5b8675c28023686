//go:build long

package repocheck

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutantsAreConvicted runs each mutant's test over its edit: it must compile, and the test
// must fail. That the tests pass without an edit is what the ordinary run shows. With DITHER_MUTANTS=k/n
// in the environment it takes the k-th of every n mutants, k from 0.
func TestMutantsAreConvicted(t *testing.T) {
	part, parts := 0, 1
	if share := os.Getenv("DITHER_MUTANTS"); share != "" {
		if n, err := fmt.Sscanf(share, "%d/%d", &part, &parts); n != 2 || err != nil || part < 0 || part >= parts {
			t.Fatalf("DITHER_MUTANTS is %q, want k/n with k from 0 to n-1", share)
		}
	}
	for i, m := range mutants {
		if i%parts != part {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			convict(t, m, overlay(t, m))
		})
	}
}

// overlay writes the go tool's overlay of some edits, of different files, and returns its path.
func overlay(t *testing.T, edits ...mutant) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, replace := t.TempDir(), map[string]string{}
	for _, m := range edits {
		text, readErr := os.ReadFile(m.file)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if n := strings.Count(string(text), m.old); n != 1 {
			t.Fatalf("%s holds the text of the edit %d times, want once", m.file, n)
		}
		file := filepath.Join(dir, filepath.Base(m.file))
		if err = os.WriteFile(file, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, m.file)] = file
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err = os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReplayUnderOneKey runs the replay of package train with fixed streams: it must pass as the
// code stands, and fail when the divisor is taken from the records.
func TestReplayUnderOneKey(t *testing.T) {
	run := func(edits ...mutant) (string, error) {
		c := exec.Command("go", "test", "-tags", "long", "-count=1", "-overlay", overlay(t, edits...), "-run", "^TestReplay", "./train")
		c.Env = append(os.Environ(), "DITHER_TEST_REPLAY=1")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := run(oneKey); err != nil {
		t.Errorf("the replay differs:\n%s", out)
	}
	for _, m := range ofRecords {
		if out, err := run(oneKey, m); err == nil || !strings.Contains(out, "--- FAIL") {
			t.Errorf("%s: the replay passes: %v\n%s", m.name, err, out)
		}
	}
}

// convict wants the named test to fail, and by itself: not because something does not compile.
func convict(t *testing.T, m mutant, overlay string) {
	t.Helper()
	out, err := exec.Command("go", "test", "-short", "-count=1", "-overlay", overlay, "-run", "^"+m.test+"$", m.pkg).CombinedOutput()
	if err == nil {
		t.Errorf("%s passes over the fault", m.test)
	} else if !strings.Contains(string(out), "--- FAIL: "+m.test) {
		t.Errorf("%s did not fail by itself:\n%s", m.test, out)
	}
}
