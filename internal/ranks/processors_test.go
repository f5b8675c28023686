package ranks

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestProcessors divides the processors of a machine among its ranks, and leaves GOMAXPROCS as the user set it.
func TestProcessors(t *testing.T) {
	for _, v := range []string{"GOMAXPROCS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE", "SLURM_CPUS_ON_NODE"} {
		t.Setenv(v, "")
	}
	all := runtime.GOMAXPROCS(0)
	if n := Processors(); n < 1 || n > all {
		t.Errorf("one process: got %d, want 1 to %d", n, all)
	}
	t.Setenv("SLURM_CPUS_ON_NODE", "1")
	if n := Processors(); n != 1 {
		t.Errorf("one processor of Slurm: got %d, want 1", n)
	}
	t.Setenv("SLURM_CPUS_ON_NODE", "")
	t.Setenv("SLURM_STEP_TASKS_PER_NODE", "1000(x2),3")
	if n := Processors(); n != 1 {
		t.Errorf("1000 ranks of Slurm: got %d, want 1", n)
	}
	t.Setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2")
	if n := Processors(); n < 1 || n > all {
		t.Errorf("two ranks: got %d, want 1 to %d", n, all)
	}
	t.Setenv("GOMAXPROCS", "7")
	if n := Processors(); n != all {
		t.Errorf("GOMAXPROCS is set: got %d, want %d", n, all)
	}
}

// TestAllowed counts processors in masks.
func TestAllowed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "status")
	for text, want := range map[string]int{
		"Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n": 8,
		"Cpus_allowed:\tffffffff,00000001\n":                     33,
		"Cpus_allowed:\tnone\n":                                  0,
		"Cpus_allowed_list:\t0-7\n":                              0,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if n, found := allowed(file); n != want || found != (want > 0) {
			t.Errorf("%q: got %d, %v, want %d", text, n, found, want)
		}
	}
	if _, found := allowed(file + "-missing"); found {
		t.Error("a file that is not there: got a number")
	}
}
