//go:build long && linux

package chain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSystemCallsFail lets each system call of a process kill it or fail, one after the other.
func TestSystemCallsFail(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not there")
	}
	trials, failed := 0, 0
	run := func(path, output string, options ...string) map[string]bool {
		c := exec.Command(strace, slices.Concat([]string{"-f", "-qq", "-o", output}, options, os.Args[:1])...)
		c.Env = append(os.Environ(), fmt.Sprintf("%s=create w 3 %s", childVariable, path))
		text, _ := c.Output()
		acknowledged := map[string]bool{}
		for line := range strings.SplitSeq(string(text), "\n") {
			if strings.HasPrefix(line, "w-") {
				acknowledged[line] = true
			}
		}
		return acknowledged
	}
	folder := t.TempDir()
	for _, call := range []string{"openat", "pwrite64", "pread64", "fsync", "flock", "linkat", "unlinkat", "newfstatat", "fstat", "statfs", "write"} {
		calls := filepath.Join(folder, call)
		if n := len(run(calls+"-ledger", calls, "-e", "trace="+call)); n != 3 {
			t.Fatalf("without a fault %d records were acknowledged, want 3", n)
		}
		text, err := os.ReadFile(calls)
		if err != nil {
			t.Fatal(err)
		}
		for when := range strings.Count(string(text), call+"(") {
			for _, how := range []string{"signal=KILL", "error=EIO", "error=ENOSPC"} {
				if call == "write" && how != "signal=KILL" {
					continue // the process prints by it
				}
				path := filepath.Join(folder, fmt.Sprint(call, how, when))
				acknowledged := run(path, os.DevNull, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", call, how, when+1))
				if trials++; len(acknowledged) < 3 {
					failed++
				}
				if _, err := os.Lstat(path); err == nil {
					findAll(t, path, acknowledged)
				} else if len(acknowledged) > 0 {
					t.Errorf("%s, %s, %d: the ledger is gone", call, how, when+1)
				}
			}
		}
	}
	if failed < trials/3 {
		t.Errorf("%d of %d faults kept the process from its work: strace did not do its own", failed, trials)
	}
	t.Logf("%d faults at system calls, %d of them stopped the process, 0 acknowledged records lost", trials, failed)
}
