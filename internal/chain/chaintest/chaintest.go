// Package chaintest holds what every chain.Store promises, as one suite of tests.
package chaintest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/ditherml/dither/internal/chain"
)

// Run tests a kind of store. make returns a function that opens one new chain again and again, as
// processes do; the chain may have first records of its own.
func Run(t *testing.T, make func(t *testing.T) (open func() chain.Store)) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open func() chain.Store)
	}{
		{"records are passed on once, in order", passedOnce},
		{"each record is linked to the earlier one", linked},
		{"the appended record is not passed on again", ownRecord},
		{"what others append is seen before next", othersFirst},
		{"an error of next appends nothing", nextFails},
		{"an error of seen appends nothing and keeps the record", seenFails},
		{"a panic of next appends nothing and frees the lock", nextPanics},
		{"a payload that is empty or too long is refused", lengths},
		{"payloads of all sizes come back", sizes},
		{"a canceled context appends nothing", canceled},
		{"whoever waits for the lock can give up", waits},
		{"a closed store refuses", closed},
		{"writers at once lose nothing and pass no limit", race},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, make(t)) })
	}
}

// Folder returns a temporary folder that nobody else can write, also where the umask lets groups write: ledgers are
// refused in other folders.
func Folder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

var (
	background = context.Background()
	errPlanned = errors.New("planned")
)

func ignore(chain.Record) error { return nil }

// payload returns a next function.
func payload(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// add appends a record.
func add(t *testing.T, s chain.Store, text string) chain.Record {
	t.Helper()
	r, err := s.Update(background, ignore, payload(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// view returns what a store has not passed on yet.
func view(t *testing.T, s chain.Store) []chain.Record {
	t.Helper()
	var all []chain.Record
	if err := s.View(background, func(r chain.Record) error { all = append(all, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// begin opens a store on which everything has been passed on.
func begin(t *testing.T, open func() chain.Store) chain.Store {
	t.Helper()
	s := open()
	t.Cleanup(func() { s.Close() })
	view(t, s)
	return s
}

func same(t *testing.T, got []chain.Record, want ...string) {
	t.Helper()
	text := make([]string, len(got))
	for i, r := range got {
		text[i] = string(r.Payload)
	}
	if fmt.Sprint(text) != fmt.Sprint(want) {
		t.Errorf("got records %q, want %q", text, want)
	}
}

func passedOnce(t *testing.T, open func() chain.Store) {
	a, b := begin(t, open), begin(t, open)
	add(t, a, "one")
	add(t, a, "two")
	same(t, view(t, b), "one", "two")
	same(t, view(t, b))
	add(t, a, "three")
	same(t, view(t, b), "three")
}

func linked(t *testing.T, open func() chain.Store) {
	a := begin(t, open)
	for i := range 5 {
		add(t, a, fmt.Sprint("record ", i))
	}
	var earlier [32]byte
	fresh := open()
	defer fresh.Close()
	for i, r := range view(t, fresh) {
		if r.Seq != uint64(i) || r.Hash != chain.Link(earlier, r.Seq, r.Time, r.Payload) {
			t.Errorf("record %d: got sequence %d and hash %x, want the hash of its content", i, r.Seq, r.Hash)
		}
		earlier = r.Hash
	}
}

func ownRecord(t *testing.T, open func() chain.Store) {
	a, b := begin(t, open), begin(t, open)
	returned := add(t, a, "one")
	same(t, view(t, a))
	seen := view(t, b)
	if len(seen) != 1 || seen[0].Hash != returned.Hash || seen[0].Seq != returned.Seq || seen[0].Time != returned.Time || !bytes.Equal(seen[0].Payload, returned.Payload) {
		t.Errorf("got %v, want the record that was returned: %v", seen, returned)
	}
}

func othersFirst(t *testing.T, open func() chain.Store) {
	a, b := begin(t, open), begin(t, open)
	add(t, b, "other")
	var order []string
	_, err := a.Update(background, func(r chain.Record) error { order = append(order, string(r.Payload)); return nil },
		func() ([]byte, error) { order = append(order, "next"); return []byte("own"), nil })
	if fmt.Sprint(order) != "[other next]" || err != nil {
		t.Errorf("got %v (%v), want the other record before next", order, err)
	}
}

func nextFails(t *testing.T, open func() chain.Store) {
	a, b := begin(t, open), begin(t, open)
	if _, err := a.Update(background, ignore, func() ([]byte, error) { return []byte("no"), errPlanned }); !errors.Is(err, errPlanned) {
		t.Errorf("got %v, want %v", err, errPlanned)
	}
	same(t, view(t, b))
	add(t, a, "one")
	same(t, view(t, b), "one")
}

func seenFails(t *testing.T, open func() chain.Store) {
	a, b := begin(t, open), begin(t, open)
	add(t, b, "one")
	add(t, b, "two")
	fail := func(r chain.Record) error {
		if string(r.Payload) == "two" {
			return errPlanned
		}
		return nil
	}
	next := func() ([]byte, error) { t.Error("next was called after an error of seen"); return []byte("no"), nil }
	if _, err := a.Update(background, fail, next); !errors.Is(err, errPlanned) {
		t.Errorf("got %v, want %v", err, errPlanned)
	}
	if err := a.View(background, fail); !errors.Is(err, errPlanned) {
		t.Errorf("got %v, want %v", err, errPlanned)
	}
	same(t, view(t, a), "two")
	same(t, view(t, b))
}

func nextPanics(t *testing.T, open func() chain.Store) {
	a, b := begin(t, open), begin(t, open)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not reach the caller")
			}
		}()
		_, _ = a.Update(background, ignore, func() ([]byte, error) { panic("planned") })
	}()
	add(t, b, "one")
	add(t, a, "two")
	same(t, view(t, b), "two")
}

func lengths(t *testing.T, open func() chain.Store) {
	a := begin(t, open)
	for _, n := range []int{0, chain.MaxPayload + 1} {
		if _, err := a.Update(background, ignore, func() ([]byte, error) { return make([]byte, n), nil }); err == nil {
			t.Errorf("a payload of %d bytes was taken", n)
		}
	}
	add(t, a, "one")
}

func sizes(t *testing.T, open func() chain.Store) {
	a, b := begin(t, open), begin(t, open)
	for _, n := range []int{1, 2, 511, 512, 513, 4000, 4095, 4096, 4097, 10_000, chain.MaxPayload} {
		text := bytes.Repeat([]byte{0, 'x', 0xff, '\n'}, n/4+1)[:n]
		if _, err := a.Update(background, ignore, func() ([]byte, error) { return text, nil }); err != nil {
			t.Fatal(err)
		}
		if got := view(t, b); len(got) != 1 || !bytes.Equal(got[0].Payload, text) {
			t.Errorf("a payload of %d bytes came back otherwise", n)
		}
	}
}

func canceled(t *testing.T, open func() chain.Store) {
	a := begin(t, open)
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := a.Update(ctx, ignore, payload("no")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	fresh := begin(t, open)
	add(t, fresh, "one")
	same(t, view(t, a), "one")
}

func closed(t *testing.T, open func() chain.Store) {
	a := begin(t, open)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Update(background, ignore, payload("no")); !errors.Is(err, chain.ErrClosed) {
		t.Errorf("got %v, want %v", err, chain.ErrClosed)
	}
	if err := a.View(background, ignore); !errors.Is(err, chain.ErrClosed) {
		t.Errorf("got %v, want %v", err, chain.ErrClosed)
	}
}
