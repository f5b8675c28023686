package together

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/ranks"
)

// TestFaultsAreToldOnce wants one rank to tell the user of a wrong flag that all ranks have, and of one that
// a single rank has, with the number of that rank unless it is the root.
func TestFaultsAreToldOnce(t *testing.T) {
	const size = 4
	wrong := errors.New("unknown flag --bogus")
	for name, c := range map[string]struct {
		faulty []int
		want   string
	}{
		"all":   {[]int{0, 1, 2, 3}, "unknown flag --bogus"},
		"root":  {[]int{0}, "unknown flag --bogus"},
		"other": {[]int{3}, "rank 3 of 4 ended the run: unknown flag --bogus"},
	} {
		faults, errs := make([]error, size), make([]error, size)
		for _, rank := range c.faulty {
			faults[rank] = wrong
		}
		var all sync.WaitGroup
		for rank, transport := range ranks.Local(size) {
			all.Go(func() {
				connect := func(context.Context) (ranks.Transport, error) { return transport, nil }
				errs[rank] = meet(context.Background(), connect, faults[rank], func(t ranks.Transport) error {
					_, err := Begin(context.Background(), t, nil, 0)
					return err
				})
			})
		}
		all.Wait()
		var told []string
		for rank, err := range errs {
			if err == nil {
				t.Errorf("%s: rank %d ended without an error", name, rank)
			} else if !IsSilent(err) {
				told = append(told, err.Error())
			}
		}
		if len(told) != 1 || told[0] != c.want {
			t.Errorf("%s: the user is told %q, want %q", name, told, c.want)
		}
	}
}

// TestFaultsWithoutTransport wants a fault to be told where the ranks cannot meet, by rank 0 alone if all ranks
// fail to meet.
func TestFaultsWithoutTransport(t *testing.T) {
	fault, unmet := errors.New("unknown flag"), errors.New("not all ranks have begun")
	connect := func(context.Context) (ranks.Transport, error) { return nil, unmet }
	if err := meet(context.Background(), connect, fault, nil); !errors.Is(err, fault) || IsSilent(err) {
		t.Errorf("got %v, want the fault", err)
	}
	if err := meet(context.Background(), connect, nil, nil); !errors.Is(err, unmet) || IsSilent(err) {
		t.Errorf("got %v, want the error of the transport", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop() // or ranks would wait for rank 0
	for rank, number := range []string{"0", "1"} {
		t.Setenv("OMPI_COMM_WORLD_RANK", number)
		t.Setenv("OMPI_COMM_WORLD_SIZE", "2")
		if err := Told(ctx, nil, fault); !errors.Is(err, fault) || IsSilent(err) != (rank == 1) {
			t.Errorf("rank %d, a command of one process: got %v, silent %t", rank, err, IsSilent(err))
		}
		if err := Told(ctx, nil, nil); err != nil {
			t.Errorf("rank %d has the error %v, want none", rank, err)
		}
		if err := Told(ctx, map[string]string{Several: "yes"}, met{fault}); IsSilent(err) {
			t.Errorf("rank %d does not tell an error that was divided among the ranks before", rank)
		}
		// In a build without MPI all ranks fail to meet.
		if Library() == "" {
			if err := Told(ctx, map[string]string{Several: "yes"}, fault); !errors.Is(err, fault) || IsSilent(err) != (rank == 1) {
				t.Errorf("rank %d, a command of several ranks: got %v, silent %t", rank, err, IsSilent(err))
			}
		}
		if out := Output(os.Stdout); (out == io.Discard) != (rank == 1) {
			t.Errorf("rank %d prints to %v", rank, out)
		}
		if err := Refuse("dither predict"); err == nil || !strings.Contains(err.Error(), "2 ranks") {
			t.Errorf("got %v, want a refusal", err)
		}
	}
}

// TestOneRankHasNumbers wants {rank} and {ranks} to be 0 and 1 where a launcher started one process, and to
// remain where none did: who forgot mpirun must not train on one part.
func TestOneRankHasNumbers(t *testing.T) {
	for _, v := range []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"} {
		t.Setenv(v, "")
	}
	const path, query = "part-{rank}.csv", "where id % {ranks} = {rank}"
	text := query
	if got, _ := (*Run)(nil).Expand(path, &text); got != path || text != query {
		t.Errorf("a process alone reads %q with %q, want the texts as they are", got, text)
	}
	t.Setenv("OMPI_COMM_WORLD_SIZE", "1")
	if got, _ := (*Run)(nil).Expand(path, &text); got != "part-0.csv" || text != "where id % 1 = 0" {
		t.Errorf("the only rank reads %q with %q, want the numbers 0 and 1", got, text)
	}
}

// TestRanksOfOtherVersionsAreRefused gives one rank a program that uses released numbers by other rules. It wants all
// ranks to end before they agree, with an error that names both versions and the remedy.
func TestRanksOfOtherVersionsAreRefused(t *testing.T) {
	const size = 3
	for odd := range size {
		errs := make([]error, size)
		var all sync.WaitGroup
		for rank, transport := range ranks.Local(size) {
			all.Go(func() {
				version := byte(8)
				if rank == odd {
					version = 7
				}
				_, errs[rank] = begin(context.Background(), transport, nil, 0, version)
			})
		}
		all.Wait()
		for rank, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "version 7") || !strings.Contains(err.Error(), "version 8") || !strings.Contains(err.Error(), "start the same program on all ranks") {
				t.Errorf("rank %d has another version, and rank %d got %v, want both versions and the remedy", odd, rank, err)
			}
		}
	}
}
