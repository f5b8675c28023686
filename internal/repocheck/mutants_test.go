//go:build long

package repocheck

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	overlays "github.com/ditherml/dither/internal/mutants"
)

// TestMutantsAreConvicted runs each mutant's test over its edit: it must compile, and the test
// must fail. That the tests pass without an edit is what the ordinary run shows. With DITHER_MUTANTS=k/n
// in the environment it takes the k-th of every n mutants, k from 0.
func TestMutantsAreConvicted(t *testing.T) {
	part, parts, err := overlays.Share()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range mutants {
		if i%parts != part {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			if _, convictErr := overlays.Convict(".", overlay(t, m), m.pkg, m.test); convictErr != nil {
				t.Error(convictErr)
			}
		})
	}
}

// overlay writes the go tool's overlay of some edits, and returns its path.
func overlay(t *testing.T, edits ...mutant) string {
	t.Helper()
	var all []overlays.Edit
	for _, m := range edits {
		all = append(all, overlays.Edit{File: m.file, Old: m.old, New: m.new})
	}
	path, err := overlays.Overlay(".", t.TempDir(), all...)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReplayUnderOneKey runs the replays of package train, and of every kind of training, with fixed
// streams: they must pass as the code stands, and fail when the divisor is taken from the records.
func TestReplayUnderOneKey(t *testing.T) {
	run := func(edits ...mutant) (string, error) {
		c := exec.Command("go", "test", "-tags", "long", "-count=1", "-overlay", overlay(t, edits...), "-v", "-run", "^TestReplay", "./train", "./internal/attack/canary")
		c.Env = append(os.Environ(), "DITHER_TEST_REPLAY=1")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := run(oneKey); err != nil || strings.Contains(out, "--- SKIP") {
		t.Errorf("the replay differs:\n%s", out)
	}
	for _, m := range ofRecords {
		if out, err := run(oneKey, m); err == nil || !strings.Contains(out, "--- FAIL") {
			t.Errorf("%s: the replay passes: %v\n%s", m.name, err, out)
		}
	}
}
