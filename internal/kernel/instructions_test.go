package kernel

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// eachSet runs a test at every level, and skips those that the processor or the build lacks, or that are above the
// level that DITHER_PROCESSOR names.
func eachSet(t *testing.T, test func(t *testing.T, set instructions)) {
	for set := portable; int(set) < len(levels); set++ {
		t.Run(set.String(), func(t *testing.T) {
			if set > available {
				t.Skipf("NOT RUN: the best level here is %v", available)
			}
			test(t, set)
		})
	}
}

// extremeEntries are the ends of the range of entries and what is near zero.
var extremeEntries = []int16{0, 1, -1, 32767, -32767, -32768}

// TestChoose holds that the variable names a level up to the best, and that every other value is refused.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		value string
		best  instructions
		want  instructions
		err   string // part of it
	}{
		{"", portable, portable, ""},
		{"", avx512VNNI, avx512VNNI, ""},
		{"portable", portable, portable, ""},
		{"portable", avx512VNNI, portable, ""},
		{"avx2", avx2, avx2, ""},
		{"avx2", avx512VNNI, avx2, ""},
		{"avx512", avx512VNNI, avx512, ""},
		{"avx512-vnni", avx512VNNI, avx512VNNI, ""},
		{"avx2", portable, 0, "DITHER_PROCESSOR is avx2, want portable, the levels"},
		{"avx512", avx2, 0, "DITHER_PROCESSOR is avx512, want portable or avx2, the levels"},
		{"avx512-vnni", avx512, 0, "want portable, avx2 or avx512, the levels"},
		{"AVX2", avx2, 0, `DITHER_PROCESSOR is "AVX2", want portable, avx2, avx512 or avx512-vnni`},
		{" ", avx2, 0, `DITHER_PROCESSOR is " ", want portable, avx2, avx512 or avx512-vnni`},
		{"fast\n", portable, 0, `DITHER_PROCESSOR is "fast\n", want`},
	} {
		got, err := choose(c.value, c.best)
		if c.err == "" && (err != nil || got != c.want) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q where the best is %v: got %v (%v), want %v (%s)", c.value, c.best, got, err, c.want, c.err)
		}
	}
}

// TestLevelIsChosenByTheVariable runs copies of this program, which say their level or end before they begin.
func TestLevelIsChosenByTheVariable(t *testing.T) {
	const inCopy = "DITHER_TEST_LEVEL"
	if os.Getenv(inCopy) != "" {
		t.Logf("the level is %s.", Instructions())
		return
	}
	run := func(value string) (string, int) {
		c := exec.Command(os.Args[0], "-test.run=^TestLevelIsChosenByTheVariable$", "-test.v")
		c.Env = append(os.Environ(), inCopy+"=1", processorVariable+"="+value)
		out, err := c.CombinedOutput()
		if exit, failed := errors.AsType[*exec.ExitError](err); failed {
			return string(out), exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return string(out), 0
	}
	for level := portable; level <= available; level++ {
		if out, status := run(level.String()); status != 0 || !strings.Contains(out, "the level is "+level.String()+".") {
			t.Errorf("%v: status %d and %q, want the level that was asked for", level, status, out)
		}
	}
	if out, status := run("none"); status != 2 || out != "kernel: DITHER_PROCESSOR is \"none\", want portable, avx2, avx512 or avx512-vnni\n" {
		t.Errorf("an unknown level: status %d and %q, want 2 and the levels that there are", status, out)
	}
}

// TestLevelsAreDocumented wants each level with all that it adds in the table of docs/builds.md.
func TestLevelsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/builds.md")
	if err != nil {
		t.Fatal(err)
	}
	for level, l := range levels {
		needs := strings.Join(l.features, ", ")
		switch {
		case level == int(portable):
			needs = "none"
		case level > int(avx2):
			needs = "those of `" + levels[level-1].name + "`; " + needs
		}
		if row := "| `" + l.name + "` | " + needs; !strings.Contains(string(text), row) {
			t.Errorf("docs/builds.md: want the row %q", row)
		}
	}
}
