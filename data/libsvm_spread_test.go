package data

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"testing"
)

// TestOverSpread holds the size in memory of a LIBSVM table to its text: up to 2^30 bytes
// nothing counts, then a thousand times the text, and 2^36 bytes in any case.
func TestOverSpread(t *testing.T) {
	for _, c := range []struct {
		name                 string
		rows, rowBytes, read int64
		want                 bool
	}{
		{"small", 1 << 10, 1 << 20, 2, false},
		{"above", 1<<10 + 1, 1 << 20, 1 << 20, true},
		{"with enough text", 1<<10 + 1, 1 << 20, 1<<20 + 1<<16, false},
		{"largest", 1 << 26, 1 << 10, 1 << 30, false},
		{"too large", 1<<26 + 1, 1 << 10, 1 << 40, true},
		{"all rows of all columns", 1 << 40, 4 * (maxColumns + 1), 1 << 40, true},
	} {
		s := &sparse{q: request{file: "t"}, line: 7, read: c.read}
		if err := s.overSpread(c.rows, c.rowBytes); (err != nil) != c.want {
			t.Errorf("%s: got error %v, want one: %v", c.name, err, c.want)
		}
	}
}

// TestScanSpread wants the limit to be held against the text that was read, and a context
// that is done to stop the reading.
func TestScanSpread(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name, text string
		ctx        context.Context
		want       string
	}{
		{"short text", "+1 1:1\n", context.Background(), "line 1: the table is too large"},
		{"long text", "+1 1:1" + strings.Repeat(" ", 3<<20) + "\n", context.Background(), ""},
		{"cancelled", "+1 1:1\n", cancelled, context.Canceled.Error()},
	} {
		q, b, err := newRequest(sparseSchema(), "t", 0, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := matchIndexes(q)
		if err != nil {
			t.Fatal(err)
		}
		b.begin(l)
		err = newSparse(q, bufio.NewReader(strings.NewReader(c.text))).scan(c.ctx, 1<<31)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
		if c.ctx == cancelled && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v, want context.Canceled", c.name, err)
		}
	}
}
