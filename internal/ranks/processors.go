package ranks

import (
	"math/bits"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Processors returns how many threads of Go this rank should run at the same time. Ranks of one
// machine share its processors: each takes its part, or the processors to which the launcher bound
// it if they are fewer. What the user set as GOMAXPROCS stands.
func Processors() int {
	own := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") != "" {
		return own
	}
	sharing := 1
	for _, v := range []string{"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE"} {
		if n, found := number(v); found {
			sharing = n
			break
		}
	}
	all := runtime.NumCPU()
	if launcher, found := allowed("/proc/" + strconv.Itoa(os.Getppid()) + "/status"); found {
		all = launcher
	}
	if n, found := number("SLURM_CPUS_ON_NODE"); found {
		all = min(all, n)
	}
	if own < runtime.NumCPU() {
		all = min(all, own) // a limit of the container, which its ranks share
	}
	return max(1, min(own, all/sharing))
}

var allowedMask = regexp.MustCompile(`(?m)^Cpus_allowed:\s*([0-9a-f,]+)$`)

// allowed returns how many processors a process may use, from its status under /proc.
func allowed(status string) (int, bool) {
	text, err := os.ReadFile(status)
	if err != nil {
		return 0, false
	}
	m := allowedMask.FindSubmatch(text)
	if m == nil {
		return 0, false
	}
	n := 0
	for word := range strings.SplitSeq(string(m[1]), ",") {
		mask, wrong := strconv.ParseUint(word, 16, 64)
		if wrong != nil {
			return 0, false
		}
		n += bits.OnesCount64(mask)
	}
	return n, n > 0
}
