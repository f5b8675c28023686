package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestEachCallsEveryPartOnce(t *testing.T) {
	for _, parts := range []int{-1, 0, 1, 2, 3, 64} {
		calls := make([]atomic.Int32, max(0, parts))
		Each(parts, func(p int) { calls[p].Add(1) })
		for p := range calls {
			if got := calls[p].Load(); got != 1 {
				t.Errorf("%d parts: part %d was called %d times, want once", parts, p, got)
			}
		}
	}
}

// TestPartsAreSideBySide holds that no part waits for the end of another: each goes on when all have begun.
func TestPartsAreSideBySide(t *testing.T) {
	const parts = 5
	var begun atomic.Int32
	Each(parts, func(int) {
		begun.Add(1)
		for begun.Load() < parts {
			runtime.Gosched()
		}
	})
	if got := begun.Load(); got != parts {
		t.Errorf("%d parts began, want %d", got, parts)
	}
}

// TestBeginDoesNotWait holds that what was begun may go on when the caller does, and that it runs.
func TestBeginDoesNotWait(t *testing.T) {
	goOn, ended := make(chan struct{}), make(chan struct{})
	Begin(func() {
		<-goOn
		close(ended)
	})
	close(goOn)
	<-ended
}

// TestItemsOnCallsEachOnceWithinItsLimit holds that each item is called once, with no more at the
// same time than are allowed.
func TestItemsOnCallsEachOnceWithinItsLimit(t *testing.T) {
	const most, items = 3, 200
	var now, over atomic.Int32
	calls := make([]atomic.Int32, items)
	ItemsOn(most, items, func(i int) {
		if now.Add(1) > most {
			over.Add(1)
		}
		runtime.Gosched()
		calls[i].Add(1)
		now.Add(-1)
	})
	for i := range calls {
		if got := calls[i].Load(); got != 1 {
			t.Errorf("item %d was called %d times, want once", i, got)
		}
	}
	if got := over.Load(); got > 0 {
		t.Errorf("%d calls began beside %d others, want none", got, most)
	}
}
