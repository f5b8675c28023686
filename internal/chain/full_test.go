//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package chain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk lets the system refuse a file that grows, as on a full disk: the process ends with an error, no
// record is lost, and another process goes on.
func TestFullDisk(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	path := filepath.Join(t.TempDir(), "ledger")
	c := exec.Command(shell, "-c", `ulimit -f 96 && exec "$0"`, os.Args[0]) // 48 or 96 KiB
	c.Env = append(os.Environ(), fmt.Sprintf("%s=create w 100 %s", childVariable, path))
	text, err := c.Output()
	acknowledged := map[string]bool{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "w-") {
			acknowledged[line] = true
		}
	}
	if n := len(acknowledged); err == nil || n < 1 || n > 99 || !strings.Contains(string(text), "error ") {
		t.Fatalf("got %d records (%v), want an error after some:\n%s", n, err, text)
	}
	for _, line := range lived(t, "write", "after", 1, path, 0) {
		acknowledged[line] = true
	}
	if !acknowledged["after-0"] {
		t.Error("the next process could not append")
	}
	findAll(t, path, acknowledged)
}
