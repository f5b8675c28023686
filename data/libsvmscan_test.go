package data

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"testing"
)

// TestScanStops wants a context that is done to stop the reading of a LIBSVM file.
func TestScanStops(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{context.Background(), cancelled} {
		q, b, err := newRequest(sparseSchema(), "t", 0, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := matchIndexes(q)
		if err != nil {
			t.Fatal(err)
		}
		b.begin(l)
		if err = newSparse(q, bufio.NewReader(strings.NewReader("+1 1:1\n"))).scan(ctx); !errors.Is(err, ctx.Err()) {
			t.Errorf("got error %v, want %v", err, ctx.Err())
		}
	}
}
