//go:build long && linux

package chain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSystemCallsFail lets each system call of a process kill it or fail, one after the other.
func TestSystemCallsFail(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not there")
	}
	trials, lost := 0, 0
	for _, call := range []string{"openat", "pwrite64", "pread64", "fsync", "flock", "linkat", "unlinkat", "newfstatat", "fstat", "statfs", "write"} {
		for _, how := range []string{"signal=KILL", "error=EIO", "error=ENOSPC"} {
			if call == "write" && how != "signal=KILL" {
				continue // a runtime that cannot wake its threads says nothing of the ledger
			}
			for when := 1; when < 100; when++ {
				path := filepath.Join(t.TempDir(), "ledger")
				inject := fmt.Sprintf("inject=%s:%s:when=%d", call, how, when)
				c := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call, "-e", inject, os.Args[0])
				c.Env = append(os.Environ(), fmt.Sprintf("%s=create w 3 %s", childVariable, path))
				text, failed := c.Output()
				trials++
				acknowledged := map[string]bool{}
				for line := range strings.SplitSeq(string(text), "\n") {
					if strings.HasPrefix(line, "w-") {
						acknowledged[line] = true
					}
				}
				if _, err := os.Lstat(path); err == nil {
					findAll(t, path, acknowledged)
				} else if len(acknowledged) > 0 {
					lost++
				}
				if failed == nil || t.Failed() {
					break // the process did not come to this call
				}
			}
		}
	}
	if lost > 0 {
		t.Errorf("%d ledgers are gone", lost)
	}
	t.Logf("%d system calls killed or failed, 0 acknowledged records lost", trials)
}
