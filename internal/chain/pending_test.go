package chain

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// behind returns a disk with 5 records after heads that count 3, as writers leave it that were killed.
func behind() (*simulated, []position) {
	b, passed := imageOf(5)
	copy(b, encodeHead(passed[3]))
	copy(b[blockSize:], encodeHead(passed[2]))
	return holding(ledger, b), passed
}

// TestRecordsAfterTheHeadAreKept holds that a store which has counted records after the head notices when they
// vanish or change.
func TestRecordsAfterTheHeadAreKept(t *testing.T) {
	other, _ := appended(nil, position{4, 0, [32]byte{}}, []byte("other"))
	for name, spoil := range map[string]func(b []byte, last int64) []byte{
		"vanish": func(b []byte, last int64) []byte { return b[:last] },
		"change": func(b []byte, last int64) []byte { return append(b[:last], other...) },
	} {
		d, passed := behind()
		f, err := openOn(background, d, ledger)
		if err != nil {
			t.Fatal(err)
		}
		if err = f.View(background, ignore); err != nil {
			t.Fatal(err)
		}
		d.names[ledger].cached = spoil(d.names[ledger].cached, passed[4].at)
		if err = f.View(background, ignore); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want damage", name, err)
		}
	}
}

// TestRecordsAfterTheHeadAreWrittenAgain holds that an append brings records to disk which a writer left in the
// memory of the system.
func TestRecordsAfterTheHeadAreWrittenAgain(t *testing.T) {
	d, passed := behind()
	d.names[ledger].durable = d.names[ledger].durable[:passed[3].at] // the sync failed, and nothing is pending
	f, err := openOn(background, d, ledger)
	if err != nil {
		t.Fatal(err)
	}
	c := d.names[ledger]
	d.deaf = func(string) bool { return true }
	if _, err = f.Update(background, ignore, payload("after")); err != nil {
		t.Fatal(err)
	}
	b := c.durable
	for _, w := range c.pending {
		b = w.onto(b)
	}
	if found, err := look(holding(ledger, slices.Clone(b))); err != nil || len(found) != 6 {
		t.Errorf("got %q (%v), want 6 records", found, err)
	}
}

// TestRestsAreCutOff holds that a record within the rest of a write is never taken for one.
func TestRestsAreCutOff(t *testing.T) {
	b, passed := imageOf(5)
	rest := append(make([]byte, blockSize), b[passed[1].at:passed[2].at]...)
	d := holding(ledger, append(slices.Clone(b), rest...))
	f, err := openOn(background, d, ledger)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Update(background, ignore, payload("after")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if found, err := look(d); err != nil || len(found) != 6 {
		t.Errorf("got %q (%v), want 6 records", found, err)
	}
}

// TestOnlyNewRecordsAreRead counts the bytes that a call reads.
func TestOnlyNewRecordsAreRead(t *testing.T) {
	b, _ := imageOf(500)
	d := holding(ledger, b)
	reader, err := openOn(background, d, ledger)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := openOn(background, d, ledger)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		d.read = 0
		if _, err = writer.Update(background, ignore, payload(fmt.Sprint("record ", i))); err != nil {
			t.Fatal(err)
		}
		if err = reader.View(background, ignore); err != nil {
			t.Fatal(err)
		}
		if most := 8 * blockSize; d.read > most {
			t.Errorf("round %d: %d bytes were read, want at most %d", i, d.read, most)
		}
	}
}
