package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

const ledger = "folder/ledger"

var background = context.Background()

func ignore(Record) error { return nil }

func payload(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// history is what a process did until it stopped or failed.
type history struct {
	acknowledged []string
	begun        []string // handed over, acknowledged or not
	stopped      bool
	failed       error
	store        *File
}

// live makes a ledger and appends three records. A plan may stop it.
func live(d *simulated) (h history) {
	defer func() {
		if what := recover(); what != nil {
			if _, planned := what.(stopped); !planned {
				panic(what)
			}
			h.stopped = true
		}
	}()
	h.begun = []string{"first"}
	h.store, h.failed = createOn(background, d, ledger, []byte("first"))
	if h.failed != nil {
		return h
	}
	h.acknowledged = []string{"first"}
	for i := range 3 {
		text := fmt.Sprint("record ", i, strings.Repeat(".", 700*(i%2))) // the second takes two sectors
		_, h.failed = h.store.Update(background, ignore, func() ([]byte, error) {
			h.begun = append(h.begun, text)
			return []byte(text), nil
		})
		if h.failed != nil {
			return h
		}
		h.acknowledged = append(h.acknowledged, text)
	}
	return h
}

// look opens a ledger and returns its payloads.
func look(d disk) ([]string, error) {
	f, err := openOn(background, d, ledger)
	if err != nil {
		return nil, err
	}
	var all []string
	err = f.View(background, func(r Record) error { all = append(all, string(r.Payload)); return nil })
	f.Close()
	return all, err
}

// survives returns what is wrong with a ledger after a stop: an acknowledged record that is lost, a record
// that nobody handed over, or a ledger that can no longer be appended to.
func (h history) survives(d disk, exists bool) error {
	if !exists {
		if len(h.acknowledged) > 0 {
			return errors.New("the ledger is gone")
		}
		return nil
	}
	found, err := look(d)
	if err != nil {
		return err
	}
	if len(found) < len(h.acknowledged) || len(found) > len(h.begun) || fmt.Sprint(found) != fmt.Sprint(h.begun[:len(found)]) {
		return fmt.Errorf("got records %q, want those of %q that were acknowledged: %q", found, h.begun, h.acknowledged)
	}
	f, err := openOn(background, d, ledger)
	if err != nil {
		return err
	}
	if _, err = f.Update(background, ignore, payload("after")); err != nil {
		return err
	}
	f.Close()
	again, err := look(d)
	if err == nil && fmt.Sprint(again) != fmt.Sprint(append(found, "after")) {
		err = fmt.Errorf("got records %q after one more, want %q and it", again, found)
	}
	return err
}

// faults calls do for every fault at every call.
func faults(log []string, do func(fault)) {
	for i, what := range log {
		kinds := []fault{{kind: "before"}, {kind: "after"}, {kind: "error", err: syscall.EIO}, {kind: "error", err: syscall.ENOSPC}}
		if strings.HasPrefix(what, "sync ") && what != "sync folder" {
			kinds = append(kinds, fault{kind: "lost", err: syscall.EIO})
		}
		if what == "write" {
			for n := range blockSize + 1 {
				if n > 110 && n < blockSize-2 && n%97 > 0 && !thorough {
					continue // zeros only
				}
				kinds = append(kinds, fault{kind: "torn", bytes: n}, fault{kind: "short", bytes: n})
			}
		}
		for _, f := range kinds {
			f.call = i + 1
			do(f)
		}
	}
}

// TestFaultsLoseNothing stops the process, or lets a call fail, at every call and every byte of a write.
func TestFaultsLoseNothing(t *testing.T) {
	clean := newSimulated()
	if h := live(clean); h.failed != nil || h.stopped {
		t.Fatal(h.failed)
	}
	trials, counted := 0, 0
	faults(clean.log, func(f fault) {
		d := newSimulated()
		d.plan = f
		h := live(d)
		if trials++; t.Failed() {
			return
		}
		if h.store != nil && len(h.begun) > len(h.acknowledged) {
			counted++
		}
		if h.store != nil && h.failed != nil && !h.stopped && len(h.begun) > len(h.acknowledged) {
			if _, err := h.store.Update(background, ignore, payload("no")); !errors.Is(err, ErrPoisoned) || !errors.Is(h.failed, ErrPoisoned) {
				t.Errorf("%v at call %d (%s): got %v and then %v, want a poisoned store", f, f.call, clean.log[f.call-1], h.failed, err)
			}
			h.store.Close()
		}
		d.restart()
		if err := h.survives(d, d.names[ledger] != nil); err != nil {
			t.Errorf("%v at call %d (%s): %v", f, f.call, clean.log[f.call-1], err)
		}
	})
	t.Logf("%d calls, %d faults, 0 acknowledged records lost; %d faults fell on a record on its way", len(clean.log), trials, counted)
}

// TestKillsDoNotFindMissingSyncs holds that stops alone say nothing of a store that never syncs: power has
// to fail for that.
func TestKillsDoNotFindMissingSyncs(t *testing.T) {
	clean := newSimulated()
	live(clean)
	for i := range clean.log {
		for _, kind := range []string{"before", "after"} {
			d := newSimulated()
			d.deaf = func(string) bool { return true }
			d.plan = fault{call: i + 1, kind: kind}
			h := live(d)
			d.restart()
			if err := h.survives(d, d.names[ledger] != nil); err != nil {
				t.Errorf("stop %s call %d: %v", kind, i+1, err)
			}
		}
	}
}
