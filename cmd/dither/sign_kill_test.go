//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/internal/durable"
)

// TestSignIsKilled kills dither sign before its signature has a name. The folder still verifies, and so does it after
// the next signature. What an earlier signer left in the folder itself goes with the next signature.
func TestSignIsKilled(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace: ", err)
	}
	made := newModelFolder(t, binaryText, 1)
	t.Chdir(t.TempDir())
	newKeys(t, ".", "own")
	sign := startable("sign", made.folder, "--key", "own.pem")
	killed := exec.Command(strace, append([]string{"-f", "-o", os.DevNull, "-e", "trace=renameat,renameat2", "-e", "inject=renameat,renameat2:signal=KILL:when=1"}, sign.Args...)...)
	killed.Env = sign.Env
	if out, failed := killed.CombinedOutput(); failed == nil {
		t.Fatalf("got %s, want a process that was killed", out)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(made.folder), durable.Prefix+"*")); len(left) != 1 {
		t.Errorf("beside the folder is %q, want the unfinished signature", left)
	}
	mustInvoke(t, "verify", made.folder)
	left := writeText(t, filepath.Join(made.folder, durable.Prefix+"OLD"), "half")
	if status, _, _ := invoke("verify", made.folder); status != exitFailed {
		t.Errorf("got exit status %d for a folder with another file, want it not verified", status)
	}
	mustInvoke(t, "sign", made.folder, "--key", "own.pem")
	if _, err = os.Lstat(left); err == nil {
		t.Error("what a killed signer left is still in the folder")
	}
	mustInvoke(t, "verify", made.folder, "--signed-by", "own.pub")
}
