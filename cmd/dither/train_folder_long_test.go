//go:build long && linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
)

// TestTrainKilledAtEverySystemCall kills runs as they enter each system call that changes names or waits for the
// disk, by strace. A model stands afterwards, the old one or the new one, and verifies; a run that began to draw
// has left its trace or its model.
func TestTrainKilledAtEverySystemCall(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace: ", err)
	}
	kills := 0
	for _, replace := range []bool{true, false} {
		for _, call := range []string{"mkdirat", "renameat2", "unlinkat", "fsync", "fchmodat"} {
			for n := 1; n <= 12; n++ {
				if !killedAt(t, strace, call, n, replace) {
					break
				}
				kills++
			}
		}
	}
	if t.Logf("%d runs were killed", kills); kills < 20 {
		t.Errorf("%d runs were killed, want at least 20", kills)
	}
}

// killedAt reports whether the run was killed at the call.
func killedAt(t *testing.T, strace, call string, n int, replace bool) bool {
	schema, table := workplace(t, 200)
	args := []string{"train", "--data", table, "--schema", schema, "--out", "m", "--steps", "5", "--quiet"}
	before := []byte(nil)
	if replace {
		mustInvoke(t, args...)
		before, _ = os.ReadFile("m/model.json")
		args = append(args, "--replace")
	}
	inner := startable(args...)
	c := exec.Command(strace, append([]string{"-f", "-qq", "-o", os.DevNull, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)}, inner.Args...)...)
	c.Env = append(inner.Env, "GOMAXPROCS=1")
	out, err := c.CombinedOutput()
	where := fmt.Sprintf("%s %d, replace %v", call, n, replace)
	if err == nil {
		return false
	}
	if s, ok := err.(*exec.ExitError); !ok || s.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL && s.ExitCode() != 137 {
		t.Fatalf("%s: got %v and %s, want a kill", where, err, out)
	}
	now, _ := os.ReadFile("m/model.json")
	finished := display.Exists("m/" + certificate.FileName)
	if replace && len(now) == 0 {
		t.Errorf("%s: no model stands: %v", where, treeOf(t, "."))
	}
	if finished {
		mustInvoke(t, "verify", "m")
	}
	if string(now) != string(before) {
		if !finished {
			t.Errorf("%s: half a model stands: %v", where, treeOf(t, "."))
		}
		return true
	}
	hidden, _ := filepath.Glob(durable.Prefix + "*/*")
	traces, _ := filepath.Glob("*/" + durable.TraceName)
	if len(hidden) > 0 && len(traces) == 0 {
		t.Errorf("%s: files were made and there is no trace of what was spent: %v", where, strings.Join(treeOf(t, "."), " "))
	}
	return true
}

// TestTrainOnAFullDisk fills the disk while a run goes on.
func TestTrainOnAFullDisk(t *testing.T) {
	schema, table := workplace(t, 200)
	if err := os.Mkdir("small", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", "small", "tmpfs", 0, "size=200k"); err != nil {
		t.Skip("no file system can be mounted: ", err)
	}
	defer syscall.Unmount("small", 0)
	t.Setenv("TMPDIR", t.TempDir())
	out := &stopper{at: "step 0 of 50", stop: func() { _ = os.WriteFile("small/fill", make([]byte, 1<<20), 0o600) }}
	status := run(t.Context(), []string{"train", "--data", table, "--schema", schema, "--out", "small/m", "--steps", "50"}, out, out)
	_, rest, _ := strings.Cut(out.text.String(), "the finished results stand in ")
	place, rest, _ := strings.Cut(rest, ";")
	if status != exitFailed || !strings.Contains(rest, "budget spent") || !display.Exists(filepath.Join("small", "m", durable.TraceName)) {
		t.Fatalf("got status %d and %q, want a failure that says what is spent", status, out.text.String())
	}
	mustInvoke(t, "verify", place)
	if status, _, stderr := invoke("train", "--data", table, "--schema", schema, "--out", "small/n", "--steps", "5"); status != exitUsage || !strings.Contains(stderr, "no space left") {
		t.Errorf("got status %d and %q, want a refusal before the first step", status, stderr)
	}
}
