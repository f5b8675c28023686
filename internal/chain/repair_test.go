package chain

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// damagedLedger returns the bytes of a ledger of 5 records with record 3 damaged.
func damagedLedger() image {
	b, passed := imageOf(5)
	b[passed[3].at+recordHeader] ^= 1
	return b
}

func forfeit(Loss) ([]byte, error) { return []byte("forfeit"), nil }

func TestRepairKeepsThePrefixAndForfeits(t *testing.T) {
	b := damagedLedger()
	d := holding(ledger, slices.Clone(b))
	if _, err := look(d); !errors.Is(err, ErrDamaged) {
		t.Fatalf("got %v, want damage", err)
	}
	var loss Loss
	kept, err := repairOn(background, d, ledger, func(l Loss) ([]byte, error) { loss = l; return forfeit(l) })
	if err != nil {
		t.Fatal(err)
	}
	if len(loss.Kept) != 3 || loss.Acknowledged != 5 || loss.Bytes != 2*blockSize || !errors.Is(loss.Found, ErrDamaged) {
		t.Errorf("got a loss of %+v, want 3 records kept of 5, and 2 blocks lost", loss)
	}
	if !bytes.Equal(d.names[kept].cached, b) {
		t.Errorf("the damaged file is not kept as %s", kept)
	}
	found, err := look(d)
	if want := `[{"record": 0} {"record": 1} {"record": 2} forfeit]`; err != nil || fmt.Sprint(found) != want {
		t.Errorf("got %v (%v), want %s", found, err, want)
	}
	if _, err = repairOn(background, d, ledger, forfeit); !errors.Is(err, ErrIntact) {
		t.Errorf("got %v, want %v", err, ErrIntact)
	}
	d.names[ledger].cached[recordsBegin+3*blockSize+recordHeader] ^= 1
	if again, err := repairOn(background, d, ledger, forfeit); err != nil || again == kept {
		t.Errorf("a second repair: got the name %s (%v), want another one", again, err)
	}
}

func TestRepairRefusals(t *testing.T) {
	first, _ := imageOf(2)
	first[recordsBegin+recordHeader] ^= 1
	newer, passed := imageOf(2)
	newer[len(headMagic)], newer[blockSize+len(headMagic)] = 2, 2
	for _, c := range []struct {
		name    string
		b       image
		forfeit func(Loss) ([]byte, error)
	}{
		{"first record damaged", first, forfeit},
		{"newer", newer, forfeit},
		{"no ledger", make(image, passed[2].at), forfeit},
		{"forfeit fails", damagedLedger(), func(Loss) ([]byte, error) { return nil, errors.New("planned") }},
		{"forfeit is empty", damagedLedger(), func(Loss) ([]byte, error) { return nil, nil }},
	} {
		d := holding(ledger, slices.Clone(c.b))
		if _, err := repairOn(background, d, ledger, c.forfeit); err == nil || !bytes.Equal(d.names[ledger].cached, c.b) || len(d.names) != 1 {
			t.Errorf("%s: got error %v and %d files, want an error and nothing changed", c.name, err, len(d.names))
		}
	}
}

// TestRepairIsOneStep holds that after a stop, a failure or a loss of power the ledger is either damaged or
// repaired with the forfeit: the prefix alone would refund what is lost.
func TestRepairIsOneStep(t *testing.T) {
	clean := holding(ledger, damagedLedger())
	if _, err := repairOn(background, clean, ledger, forfeit); err != nil {
		t.Fatal(err)
	}
	repaired := 0
	faults(clean.log, func(f fault) {
		if (f.kind == "torn" || f.kind == "short") && f.bytes%53 > 0 {
			return
		}
		d := holding(ledger, damagedLedger())
		d.plan = f
		func() {
			defer func() { _ = recover() }()
			_, _ = repairOn(background, d, ledger, forfeit)
		}()
		unplugged := newSimulated()
		unplugged.names = map[string]*content{}
		for name, c := range d.durable {
			unplugged.names[name] = &content{cached: slices.Clone(c.durable), durable: c.durable}
		}
		unplugged.durable = maps.Clone(unplugged.names)
		for _, left := range []*simulated{d.restart(), unplugged} {
			found, err := look(left)
			if err == nil && fmt.Sprint(found) == `[{"record": 0} {"record": 1} {"record": 2} forfeit]` {
				repaired++
			} else if !errors.Is(err, ErrDamaged) {
				t.Errorf("%v at call %d (%s): got %q (%v), want the damage or all of the repair", f, f.call, clean.log[f.call-1], found, err)
			}
		}
	})
	if repaired == 0 {
		t.Error("no trial repaired anything")
	}
}
