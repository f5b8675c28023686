package together_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/together/togethertest"
	"github.com/ditherml/dither/mechanism"
)

// onEach calls a function for each rank, and ends the run of each with its error.
func onEach(size int, do func(rank int, t ranks.Transport) error) []error {
	errs := make([]error, size)
	var all sync.WaitGroup
	for rank, transport := range ranks.Local(size) {
		all.Go(func() { errs[rank] = together.Ended(transport, do(rank, transport)) })
	}
	all.Wait()
	return errs
}

// TestPasswordsDoNotCrossTheTransport ends a rank with an error that quotes a command line.
func TestPasswordsDoNotCrossTheTransport(t *testing.T) {
	errs := onEach(2, func(rank int, t ranks.Transport) error {
		if rank == 1 {
			return errors.New("--data is postgres://ana:hunter2@db.example/clinic, want one without a password")
		}
		_, err := t.Receive(context.Background(), 1)
		return err
	})
	if errs[0] == nil || strings.Contains(errs[0].Error(), "hunter2") || !strings.Contains(errs[0].Error(), "want one without a password") {
		t.Errorf("rank 0 received %v, want the error of rank 1 without the password", errs[0])
	}
}

// TestRanksWithOtherKeysAreRefused gives one rank another key, no key, or a plan of its own, and wants all
// ranks to end with an error.
func TestRanksWithOtherKeysAreRefused(t *testing.T) {
	key, other := []byte(strings.Repeat("k", 32)), []byte(strings.Repeat("o", 32))
	for name, odd := range map[string]struct{ key, plan []byte }{
		"another key":  {other, []byte("plan")},
		"no key":       {nil, []byte("plan")},
		"a short key":  {[]byte("short"), []byte("plan")},
		"another plan": {key, []byte("other")},
	} {
		for at := range 3 {
			for rank, err := range onEach(3, func(rank int, transport ranks.Transport) error {
				k, plan := key, []byte("plan")
				if rank == at {
					k, plan = odd.key, odd.plan
				}
				run, err := together.Begin(context.Background(), transport, k, 0)
				if err != nil {
					return err
				}
				return run.Agree(plan)
			}) {
				if err == nil {
					t.Errorf("rank %d has %s, and rank %d goes on", at, name, rank)
				}
			}
		}
	}
}

// TestWaitsEnd wants a rank that waits longer than its patience to end the run with an error that names
// the rank that is silent, and another error for a run that is stopped.
func TestWaitsEnd(t *testing.T) {
	for rank, err := range onEach(2, func(rank int, transport ranks.Transport) error {
		run, err := together.Begin(context.Background(), transport, nil, 200*time.Millisecond)
		if err != nil || rank == 1 {
			return errors.Join(err, run.Agree([]byte("plan")))
		}
		_, err = run.Receive(1) // the message of Agree, which is taken for nothing
		if err == nil {
			_, err = run.Receive(1)
		}
		return err
	}) {
		if err == nil || !strings.Contains(err.Error(), "nothing for") {
			t.Errorf("rank %d ended with %v, want the rank that is silent", rank, err)
		}
	}
}

// TestNothingIsPaidBeforeTheRanksAgree wants an error for a payment before Agree.
func TestNothingIsPaidBeforeTheRanksAgree(t *testing.T) {
	onEach(1, func(_ int, transport ranks.Transport) error {
		run, err := together.Begin(context.Background(), transport, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if together.Payer(together.With(context.Background(), run), free{}).Pay(mechanism.NonPrivate{}) == nil {
			t.Error("a payment was made before the ranks agreed")
		}
		return nil
	})
	if p := together.Payer(context.Background(), free{}); p != (free{}) {
		t.Errorf("one process pays by %T, want its own payer", p)
	}
}

// TestFilesThatChangeAreRefused wants an error if the files of a divided table change while a rank reads
// them, and if the ranks see other files.
func TestFilesThatChangeAreRefused(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	for name, change := range map[string]func(rank int){
		"nothing":     func(int) {},
		"a new file":  func(rank int) { write("part-new.csv", "new") },
		"other bytes": func(rank int) { write("part-0.csv", strings.Repeat("x", 2+rank)) },
	} {
		write("part-0.csv", "1")
		os.Remove(filepath.Join(folder, "part-new.csv"))
		errs := onEach(2, func(rank int, transport ranks.Transport) error {
			run, err := together.Begin(context.Background(), transport, nil, 0)
			if err != nil {
				return err
			}
			share, err := run.Share(data.Source{Path: filepath.Join(folder, "part-*.csv")}, false, "")
			if err != nil {
				return err
			}
			return run.Read(&share, []byte("plan"), func() error {
				if rank == 1 {
					change(rank)
				}
				return nil
			})
		})
		if (errs[0] == nil && errs[1] == nil) != (name == "nothing") {
			t.Errorf("%s changed while ranks read: %v", name, errs)
		}
	}
}

// TestExpand replaces the rank in paths and queries.
func TestExpand(t *testing.T) {
	togethertest.Run(3, "plan", func(ctx context.Context, rank int) error {
		query := "select * from t where id % {ranks} = {rank}"
		path, own := together.From(ctx).Expand("postgres://host/d", &query)
		if path != "postgres://host/d" || !own || query != "select * from t where id % 3 = "+string(rune('0'+rank)) {
			t.Errorf("rank %d reads %s by %s", rank, path, query)
		}
		labels := "own-{rank}.npy"
		if _, own = together.From(ctx).Expand("all.npy", new(string), &labels); !own || labels != "own-"+string(rune('0'+rank))+".npy" {
			t.Errorf("rank %d reads the labels %s", rank, labels)
		}
		if path, own = together.From(ctx).Expand("part-*.csv", new(string)); path != "part-*.csv" || own {
			t.Errorf("a path for all ranks became %s", path)
		}
		return nil
	})
}

// exchanged is a transport that puts the next message of another rank in place of its own, if it has one.
type exchanged struct {
	ranks.Transport
	taken chan []byte // of another rank, or nil
	give  bool
	on    bool
}

func (e *exchanged) Send(ctx context.Context, to int, message []byte) error {
	switch {
	case e.on && e.give:
		e.taken <- append([]byte(nil), message...)
	case e.on:
		message = <-e.taken
	}
	return e.Transport.Send(ctx, to, message)
}

// TestRanksHaveTheSameColumns gives rank 1 a table in which two rows stand the other way round. They differ
// in one column alone: a feature, the target, a weight, a level to learn or the person, or in whether one
// is dropped. The ranks would otherwise train on one of them twice.
func TestRanksHaveTheSameColumns(t *testing.T) {
	schema, err := data.ParseSchema("s.yaml", []byte(`dither-schema: 1
row: r
max-records: 9
target: {column: y, levels: ["0", "1"]}
columns:
  x: {numeric: [0, 9], missing: zero, out-of-range: clamp}
  l: {levels: private, max-levels: 4, unknown: other, missing: zero}
  d: {text: {buckets: 256}, missing: drop}
  w: ignore
  who: ignore
`))
	if err != nil {
		t.Fatal(err)
	}
	key := []byte(strings.Repeat("k", 32))
	for name, rows := range map[string][2]string{
		"nothing":         {"1,u,a,2,p,0", "1,u,a,2,p,0"},
		"a feature":       {"1,u,a,2,p,0", "3,u,a,2,p,0"},
		"the target":      {"1,u,a,2,p,0", "1,u,a,2,p,1"},
		"a weight":        {"1,u,a,2,p,0", "1,u,a,5,p,0"},
		"a private level": {"1,u,a,2,p,0", "1,v,a,2,p,0"},
		"the person":      {"1,u,a,2,p,0", "1,u,a,2,q,0"},
		"a dropped row":   {"1,u,!,2,p,0", "1,u,,2,p,0"},
	} {
		person := map[bool]string{true: "who"}[name == "the person"]
		errs := onEach(2, func(rank int, transport ranks.Transport) error {
			run, err := together.Begin(context.Background(), transport, key, 0)
			if err != nil {
				return err
			}
			text := "x,l,d,w,who,y\n" + rows[rank] + "\n" + rows[1-rank] + "\n"
			d, err := data.ReadFrom(context.Background(), schema, "t.csv", strings.NewReader(text), data.ReadOptions{Extra: []string{"w", "who"}, KeepDropped: true})
			if err != nil {
				return err
			}
			_, err = run.Part(d, person)
			return err
		})
		if (errs[0] == nil) != (name == "nothing") {
			t.Errorf("rows differ in %s: rank 0 got %v", name, errs[0])
		}
	}
}

// TestOtherRowsAreFoundUnderALyingTransport gives rank 2 other rows, and lets the transport answer for it with
// what rank 1 says about the right ones.
func TestOtherRowsAreFoundUnderALyingTransport(t *testing.T) {
	schema, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nrow: r\nmax-records: 9\ntarget: {column: y, levels: [\"0\", \"1\"]}\ndefaults: {missing: zero, out-of-range: clamp}\ncolumns: {x: {numeric: [0, 9]}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	key, taken := []byte(strings.Repeat("k", 32)), make(chan []byte, 1)
	for _, other := range []float32{1, 2} {
		errs := onEach(3, func(rank int, transport ranks.Transport) error {
			between := &exchanged{Transport: transport, taken: taken, give: rank == 1}
			run, err := together.Begin(context.Background(), between, key, 0)
			if err != nil {
				return err
			}
			between.on = other == 2 && rank > 0
			x := float32(1)
			if rank == 2 {
				x = other
			}
			d, err := data.New(schema, [][]float32{{x, 3}}, []float32{0, 1})
			if err != nil {
				return err
			}
			_, err = run.Part(d, "")
			return err
		})
		if (errs[0] == nil) != (other == 1) {
			t.Errorf("rank 2 has the cell %v, want 1 or an error: %v", other, errs)
		}
	}
}
