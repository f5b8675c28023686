package ranks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/ranks/rankstest"
)

// TestLocalKeepsLaws holds what every transport promises for ranks of one process.
func TestLocalKeepsLaws(t *testing.T) {
	for _, law := range rankstest.Laws() {
		for _, size := range []int{1, 2, 3, 8} {
			t.Run(fmt.Sprintf("%s/%d", law.Name, size), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
				defer cancel()
				all := ranks.Local(size)
				errs := make([]error, size)
				var wait sync.WaitGroup
				for i, rank := range all {
					wait.Go(func() {
						if errs[i] = law.Run(ctx, rank); errs[i] != nil {
							cancel()
						}
					})
				}
				wait.Wait()
				if err := errors.Join(errs...); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestEnded wants failures while running, told by one rank.
func TestEnded(t *testing.T) {
	all := ranks.Local(3)
	all[2].Abort("a disk is full")
	_, err := all[0].Receive(context.Background(), 1)
	if !failure.IsRunning(err) || !ranks.Speaks(all[0], err) || ranks.Speaks(all[2], err) || !ranks.Speaks(all[2], errors.New("another")) {
		t.Errorf("%v: got the wrong kind or speaker", err)
	}
}

// TestLaunched reads what launchers leave in the environment.
func TestLaunched(t *testing.T) {
	for _, c := range []struct {
		environment string
		size        int
		ok          bool
		rank        int
	}{
		{"", 1, false, 0},
		{"OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_RANK=5", 8, true, 5},
		{"OMPI_COMM_WORLD_SIZE=1", 1, false, 0},
		{"PMI_SIZE=4 PMI_RANK=3", 4, true, 3},
		{"SLURM_NTASKS=4", 1, false, 0},
		{"SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=2 PMIX_RANK=1", 2, true, 1},
		{"SLURM_NTASKS=4 PMIX_RANK=0", 4, true, 0},
		{"OMPI_COMM_WORLD_SIZE=many", 1, false, 0},
	} {
		t.Run(c.environment, func(t *testing.T) {
			for _, v := range []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS"} {
				t.Setenv(v, "")
			}
			for _, v := range strings.Fields(c.environment) {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, value)
			}
			if rank := ranks.Number(); rank != c.rank {
				t.Errorf("got rank %d, want %d", rank, c.rank)
			}
			if size, ok := ranks.Launched(); size != c.size || ok != c.ok {
				t.Errorf("got %d, %v, want %d, %v", size, ok, c.size, c.ok)
			}
		})
	}
}
