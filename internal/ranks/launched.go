package ranks

import (
	"os"
	"strconv"
	"strings"
)

// number returns the number that a variable of the environment begins with: "4(x2)", which Slurm writes, is 4.
func number(variable string) (int, bool) {
	text, _, _ := strings.Cut(os.Getenv(variable), "(")
	text, _, _ = strings.Cut(text, ",")
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0
}

// Launched reports whether this process was started as one of several ranks, and of how many, from what launchers
// leave in the environment.
func Launched() (size int, ok bool) {
	size, _ = launched()
	return size, size > 1
}

// Alone reports whether this process was started as the only rank.
func Alone() bool {
	size, by := launched()
	return by && size == 1
}

// launched returns the number of ranks, and whether a launcher said it.
func launched() (size int, by bool) {
	variables := []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"} // Open MPI; MPICH and relatives, and Slurm's PMI2
	if os.Getenv("PMIX_RANK") != "" || os.Getenv("PMI_RANK") != "" {
		variables = append(variables, "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS") // Slurm's PMIx
	}
	for _, v := range variables {
		if n, found := number(v); found {
			return n, true
		}
	}
	return 1, false
}

// Number returns the rank of this process, from what launchers leave in the environment, or 0.
func Number() int {
	for _, v := range []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"} {
		if n, found := number(v); found {
			return n
		}
	}
	return 0
}
