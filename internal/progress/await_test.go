package progress

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/failure"
)

// TestAwaitStopsWithItsContext: work that never ends is left, and what ends is returned with its error.
func TestAwaitStopsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	never := make(chan struct{})
	defer close(never)
	tick := make(chan time.Time)
	go func() {
		tick <- time.Time{}
		tick <- time.Time{}
		stop()
	}()
	var said []int
	v, err := awaitAt(ctx, tick, func(ticks int) { said = append(said, ticks) }, func() (int, error) { <-never; return 7, nil })
	if v != 0 || err == nil || !failure.IsRunning(err) || !strings.Contains(err.Error(), "nothing was spent") {
		t.Errorf("got %v, %v, want a failure that says that nothing was spent", v, err)
	}
	if len(said) != 2 || said[0] != 1 || said[1] != 2 {
		t.Errorf("two ticks were announced as %v", said)
	}
	want := errors.New("refused")
	if v, err = Await(context.Background(), new(bytes.Buffer), "", func() (int, error) { return 7, want }); v != 7 || !errors.Is(err, want) {
		t.Errorf("got %v, %v, want 7 and %v", v, err, want)
	}
}
