package budget

import (
	"bytes"
	"testing"

	"github.com/ditherml/dither/internal/chain"
)

// FuzzRecord reads any payload as the next record of a ledger. What is refused changes nothing. What is read is what
// this program writes, and takes nothing from what is spent, unless it says how many releases a run began.
func FuzzRecord(f *testing.F) {
	names := []string{GDP, ZCDP, RDP, Basic}
	var starts []*Book
	for i, name := range names {
		b, store := made(f, termsOf(name))
		reserve(f, b, askOf(f, b.Terms(), "repeat(4, gaussian(20))"))
		r, _ := reserve(f, b, askOf(f, b.Terms(), "gaussian(30)"))
		if _, err := r.Settle(background, 1, ""); err != nil {
			f.Fatal(err)
		}
		_ = store.Open().View(background, func(c chain.Record) error {
			f.Add(byte(i), c.Payload)
			return nil
		})
		starts = append(starts, b)
	}
	for _, text := range []string{`{"version":1,"settle":{"reserve":1,"outcome":"stopped","begun":2}}`, `{"version":1,"forfeit":{"reserve":1,"reason":"a","who":"b"}}`,
		`{"version":1,"forfeit":{"reason":"a","who":"b"}}`, `{"version":1,"note":{"text":"a","who":"b"}}`, `{"version":2,"note":{}}`, `{"version":1,"anchor":{"seq":1,"hash":"","where":"a"}}`} {
		f.Add(byte(0), []byte(text))
	}
	f.Fuzz(func(t *testing.T, which byte, payload []byte) {
		b := starts[int(which)%len(starts)]
		s := newState()
		if err := s.takeCreate(b.state.create); err != nil {
			t.Fatal(err)
		}
		s.heads = append(s.heads, b.state.heads[0])
		for _, seq := range []uint64{1, 2} { // both open
			h := b.state.at[seq]
			s.hold(chain.Record{Seq: seq, Hash: b.state.heads[seq]}, h.plan, Release{Run: h.Run})
			s.heads = append(s.heads, b.state.heads[seq])
		}
		before, listed := s.spent.all.floats(), len(s.list)
		err := s.apply(chain.Record{Seq: 3, Payload: payload})
		after := s.spent.all.floats()
		if err != nil {
			for i := range before {
				if before[i] != after[i] || len(s.list) != listed || len(s.heads) != 3 || s.forfeit {
					t.Fatalf("%s is refused (%v) and changed the ledger", payload, err)
				}
			}
			return
		}
		r, err := decode(payload)
		again, failed := encode(r)
		if err != nil || failed != nil || !bytes.Equal(again, payload) {
			t.Fatalf("%s is read (%v), and %s (%v) would be written", payload, err, again, failed)
		}
		for i := range before {
			if after[i] < before[i] && (r.Settle == nil || r.Settle.Outcome != Stopped) || after[i] < 0 {
				t.Fatalf("%s takes number %d from %v to %v", payload, i, before[i], after[i])
			}
		}
	})
}
