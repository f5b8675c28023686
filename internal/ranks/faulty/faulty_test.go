package faulty_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/ranks/faulty"
)

// TestKinds sends four messages to rank 1 and one to rank 2, and wants what each fault makes of the second.
func TestKinds(t *testing.T) {
	want := map[faulty.Kind][2][]string{
		faulty.Lose:      {{"a", "c", "d"}, {"x"}},
		faulty.Double:    {{"a", "b", "b", "c", "d"}, {"x"}},
		faulty.Alter:     {{"a", "f", "c", "d"}, {"x"}},
		faulty.Cut:       {{"a", "", "c", "d"}, {"x"}},
		faulty.Swap:      {{"a", "c", "b", "d"}, {"x"}},
		faulty.Replay:    {{"a", "a", "c", "d"}, {"x"}},
		faulty.Misdirect: {{"a", "c", "d"}, {"b", "x"}},
	}
	for _, kind := range faulty.Kinds() {
		all := ranks.Local(3)
		f := faulty.New(all[0], kind, 1, 10)
		for i, m := range []string{"a", "b", "c", "x", "d"} {
			if f.Done() != (i > 2 || i == 2 && kind != faulty.Swap) {
				t.Errorf("%v: done is %v before message %d", kind, f.Done(), i)
			}
			to := 1
			if m == "x" {
				to = 2
			}
			if err := f.Send(context.Background(), to, []byte(m)); err != nil {
				t.Fatalf("%v: %v", kind, err)
			}
		}
		if f.Sent() != 5 || !f.Done() {
			t.Errorf("%v: sent %d, done %v, want 5 and true", kind, f.Sent(), f.Done())
		}
		for to := 1; to <= 2; to++ {
			if got := received(t, all[to]); !slices.Equal(got, want[kind][to-1]) {
				t.Errorf("%v: rank %d received %q, want %q", kind, to, got, want[kind][to-1])
			}
		}
	}
}

// received returns what came from rank 0.
func received(t *testing.T, to ranks.Transport) (messages []string) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		m, err := to.Receive(ctx, 0)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return messages
		}
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, string(m))
	}
}
