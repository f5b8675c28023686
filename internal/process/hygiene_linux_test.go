package process

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// hygieneVariable makes the test program crash after KeepMemoryPrivate, with a secret at hand.
const hygieneVariable = "DITHER_TEST_CRASH"

func TestMain(m *testing.M) {
	if os.Getenv(hygieneVariable) != "" {
		KeepMemoryPrivate()
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil || limit.Max != 0 {
			os.Exit(7)
		}
		const getDumpable = 3 // PR_GET_DUMPABLE of prctl(2)
		if dumpable, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, getDumpable, 0, 0); dumpable != 0 {
			os.Exit(8)
		}
		cells := []string{secret}
		crash(cells, len(cells)+3)
	}
	os.Exit(m.Run())
}

// secret stands for a cell of a record.
const secret = "4711-secret"

// crash panics as a bug would, with records on the stack.
//
//go:noinline
func crash(cells []string, at int) { println(cells[at]) }

// TestCrashTellsNothing lets a copy of the program crash: it must forbid core dumps first, and
// its last words hold no cell and no stack.
func TestCrashTellsNothing(t *testing.T) {
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), hygieneVariable+"=1")
	out, err := c.CombinedOutput()
	exit, failed := err.(*exec.ExitError)
	if !failed || exit.ExitCode() == 7 || exit.ExitCode() == 8 {
		t.Fatalf("the copy ended with %v, want a crash after core dumps were forbidden", err)
	}
	if text := string(out); !strings.Contains(text, "index out of range") || strings.Contains(text, secret) || strings.Contains(text, "hygiene_linux_test.go") {
		t.Errorf("the crash says %q, want its kind and nothing more", text)
	}
	if strings.Contains(exit.Error(), "core dumped") {
		t.Errorf("a core was dumped: %v", exit)
	}
}
