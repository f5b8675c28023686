package budget

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// randomEvent returns an event of sequences and repetitions, some of which are empty.
func randomEvent(random *rand.Rand, depth int) mechanism.Event {
	switch kind := random.IntN(4); {
	case depth == 0 || kind == 0:
		return mechanism.Gaussian{NoiseMultiplier: float64(1 + random.IntN(3))}
	case kind == 1:
		return mechanism.Repeat{Event: randomEvent(random, depth-1), Count: random.IntN(4)}
	}
	var out mechanism.Sequence
	for range random.IntN(4) {
		out = append(out, randomEvent(random, depth-1))
	}
	return out
}

// leaves lists the releases of an event in their order.
func leaves(e mechanism.Event) (all []string) {
	switch e := e.(type) {
	case nil:
	case mechanism.Sequence:
		for _, part := range e {
			all = append(all, leaves(part)...)
		}
	case mechanism.Repeat:
		for range e.Count {
			all = append(all, leaves(e.Event)...)
		}
	default:
		all = []string{e.String()}
	}
	return all
}

// TestEventsAreCutInTwo: the first releases of an event and those after them are all of its releases, in order.
func TestEventsAreCutInTwo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		e := randomEvent(random, 4)
		all := leaves(e)
		if n := Releases(e); n != len(all) {
			t.Fatalf("%v has %d releases, want %d", e, n, len(all))
		}
		n := random.IntN(len(all) + 2)
		head, _ := first(e, n)
		rest := After(e, n)
		if got := append(leaves(head), leaves(rest)...); !slices.Equal(got, all) {
			t.Fatalf("%v after %d releases is %v, and %v before, want %v in all", e, n, rest, head, all)
		}
	}
	parts := mechanism.Parallel{mechanism.Gaussian{NoiseMultiplier: 1}, mechanism.Gaussian{NoiseMultiplier: 2}}
	if got := After(parts, 1); got == nil || got.String() != parts.String() || After(parts, 2) != nil {
		t.Errorf("parallel parts after one of them are %v, want all of them", got)
	}
}

// TestEarlierReleasesAreNotReservedAgain pays for a plan of which an earlier record paid for a part.
func TestEarlierReleasesAreNotReservedAgain(t *testing.T) {
	terms := termsOf(RDP)
	b, store := made(t, terms)
	limit, err := privacy.NewGuarantee(1, 1e-7, privacy.AddOrRemoveOne, terms.Unit)
	if err != nil {
		t.Fatal(err)
	}
	about := askOf(t, terms, "sequence(gaussian(100), sequence(repeat(3, gaussian(50)), repeat(7, gaussian(50))))")
	for _, begun := range []int{0, 3, 4, 9, 11} { // of all releases, with those of the earlier run
		about.Earlier = 4
		p := b.Pay(context.Background(), about)
		if err := p.Reserve(about.Event, "", limit, func() int { return begun }); err != nil {
			t.Fatal(err)
		}
		if err := p.Reserve(about.Event, "", limit, func() int { return begun }); err == nil {
			t.Error("the same earlier releases are taken off twice")
		}
		if err := p.Settle(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		all := opened(t, store).Summary().Releases
		last := all[len(all)-1]
		own := max(0, begun-4)
		if last.Event.String() != "repeat(7, gaussian(50))" || last.Outcome == Stopped && last.Begun != own || (last.Outcome == Stopped) != (own < 7) {
			t.Errorf("after %d releases got %+v, want %d of the 7 that were left", begun, last, own)
		}
	}
	about.Earlier = 11
	if err := b.Pay(context.Background(), about).Reserve(about.Event, "", limit, nil); err == nil || !strings.Contains(err.Error(), "want a part that is left") {
		t.Errorf("got %v, want that nothing is left", err)
	}
}

// TestContinuesRefuses names earlier runs that a ledger does not know so.
func TestContinuesRefuses(t *testing.T) {
	terms := termsOf(RDP)
	b, _ := made(t, terms)
	a := askOf(t, terms, "repeat(10, gaussian(50))")
	run, digest := b.Pay(background, a), []byte("a checkpoint")
	a.Run = hex.EncodeToString(run.key.Public().(ed25519.PublicKey))
	reserve := func() (*Reservation, EarlierRun) {
		r, err := b.Reserve(background, a)
		if err != nil {
			t.Fatal(err)
		}
		seq, head := r.Place()
		return r, EarlierRun{Anchor{Seq: seq, Hash: head, Where: b.Ledger()}, a.Event, 5, 5, digest, run.Sign(digest)}
	}
	open, known := reserve()
	stopped, early := reserve()
	if _, err := stopped.Settle(background, 6, ""); err != nil {
		t.Fatal(err)
	}
	if err := b.Continues([]EarlierRun{known}, ""); err != nil {
		t.Errorf("got %v, want a run that did not end taken", err)
	}
	for want, change := range map[string]func(r *EarlierRun){
		"did not pay":       func(r *EarlierRun) { r.Record.Where = "" },
		"record":            func(r *EarlierRun) { r.Record.Hash = strings.Repeat("0", 64) },
		"is no reservation": func(r *EarlierRun) { r.Record = b.Summary().Head; r.Record.Where = b.Ledger() },
		"which the run": func(r *EarlierRun) {
			r.Event = mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 50}, Count: 9}
		},
		"began 6 releases":     func(r *EarlierRun) { *r = early },
		"newest checkpoint of": func(r *EarlierRun) { *r = early },
	} {
		r := known
		change(&r)
		if r.Record.Where == b.Ledger() || want == "did not pay" {
			if err := b.Continues([]EarlierRun{r}, ""); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrElsewhere) != (want == "did not pay") {
				t.Errorf("got %v, want an error about %q", err, want)
			}
		}
	}
	early.Releases = 6
	for kept, fine := range map[int]bool{6: true, 7: false} {
		early.Kept, early.Releases = kept, 7
		if err := b.Continues([]EarlierRun{early}, ""); (err == nil) != fine {
			t.Errorf("got %v for a checkpoint after %d releases, of which 6 were begun", err, kept)
		}
		if err := b.Counts([]EarlierRun{early}, ""); (err == nil) != fine {
			t.Errorf("got %v for a certificate with %d releases, of which 6 were begun", err, kept)
		}
	}
	early.Kept, early.Releases = 5, 6
	for name, runs := range map[string][]EarlierRun{"one twice": {known, known}, "the newest first": {early, known}} {
		if err := b.Continues(runs, ""); err == nil || !strings.Contains(err.Error(), "a record of its own") {
			t.Errorf("%s: got %v, want the records refused", name, err)
		}
	}
	if err := b.Continues([]EarlierRun{known, early}, ""); err != nil {
		t.Errorf("got %v, want a run that began as many releases as the checkpoint knows of", err)
	}
	if err := b.Continues([]EarlierRun{known}, "north"); err == nil {
		t.Error("a run about all goes on as one about a population")
	}
	if _, err := open.Settle(background, 10, ""); err != nil {
		t.Fatal(err)
	}
	if err := b.Continues([]EarlierRun{known}, ""); err == nil {
		t.Error("a run that ended goes on from a checkpoint in its middle")
	}
}

// TestContinuesFromSignedCheckpoints goes on from checkpoints that another process wrote or changed, and from the one
// that the run of the record wrote. A record without a key pays for nothing of a checkpoint.
func TestContinuesFromSignedCheckpoints(t *testing.T) {
	terms := termsOf(RDP)
	b, _ := made(t, terms)
	a := askOf(t, terms, "repeat(10, gaussian(50))")
	limit, err := privacy.NewGuarantee(1, 1e-6, terms.Neighboring, terms.Unit)
	if err != nil {
		t.Fatal(err)
	}
	digest := []byte("a checkpoint")
	reserve := func(run string) (*Payment, EarlierRun) {
		about := a
		about.Run = run
		p := b.Pay(background, about)
		if err := p.Reserve(a.Event, "", limit, func() int { return 10 }); err != nil {
			t.Fatal(err)
		}
		return p, EarlierRun{Record: p.Places()[0], Event: a.Event, Kept: 5, Releases: 5, Digest: digest, Signature: p.Sign(digest)}
	}
	first, one := reserve("")
	second, two := reserve("")
	unsigned, changed, borrowed := one, one, one
	unsigned.Signature = nil
	changed.Digest = []byte("A checkpoint")
	borrowed.Signature = second.Sign(digest)
	bare := one
	bare.Signature = ed25519.Sign(first.key, digest) // no checkpoint of a run
	for name, r := range map[string]EarlierRun{"unsigned": unsigned, "changed": changed, "of another run": borrowed, "another message": bare} {
		if err := b.Continues([]EarlierRun{r}, ""); err == nil || !strings.Contains(err.Error(), "did not write this checkpoint") {
			t.Errorf("%s: got %v, want the checkpoint refused", name, err)
		}
	}
	one.Signature, one.Digest = nil, nil // the second run has read the checkpoint of the first
	if err := b.Continues([]EarlierRun{one, two}, ""); err != nil {
		t.Errorf("got %v, want the checkpoint of the second run", err)
	}
	for _, run := range []string{"0123456789abcdef0123456789abcdef", "1"} {
		if _, old := reserve(run); !errors.Is(b.Continues([]EarlierRun{old}, ""), ErrElsewhere) {
			t.Errorf("record of run %q holds no key, want a checkpoint that it did not pay for", run)
		}
	}
}
