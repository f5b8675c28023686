package planaudit

import (
	"math"
	"testing"
	"time"
)

// TestProgressIsAShareOfTime watches two attacks. The effort expects 40 and 70 seconds, but the first
// takes 1 second and the second 30. The share never falls. Once the time of the second attack is
// known, the share is near the true one.
func TestProgressIsAShareOfTime(t *testing.T) {
	clock, shown := time.Unix(0, 0), 0.0
	at := func(seconds float64) { clock = time.Unix(0, int64(seconds*1e9)) }
	w := newWatch(func(_ string, done float64) {
		if done < shown || done > mostShown {
			t.Errorf("%v: the share goes from %v to %v", clock, shown, done)
		}
		shown = done
	}, func() time.Time { return clock }, []float64{40, 70})
	w.start(0)
	for i := range 11 {
		at(float64(i) / 10)
		w.progress("first", float64(i)/10)
	}
	if shown > 0.02 {
		t.Errorf("after 1 second of the first attack the share is %v, want at most 1/71", shown)
	}
	w.start(1)
	at(2)
	w.progress("second", 0)
	w.expect(29)
	for i := range 29 {
		at(2 + float64(i))
		if w.progress("second", float64(1+i)/30); math.Abs(shown-(2+float64(i))/31) > 0.01 {
			t.Errorf("after %v seconds of 31 the share is %v", 2+i, shown)
		}
	}
}

// TestLongTrainingsShowProgress: between two trainings of 100 seconds each, the share follows the
// clock.
func TestLongTrainingsShowProgress(t *testing.T) {
	clock, shown := time.Unix(0, 0), 0.0
	w := newWatch(func(_ string, done float64) { shown = done }, func() time.Time { return clock }, []float64{70})
	w.start(0)
	w.progress("only", 0)
	w.expect(200)
	for range 10 {
		before := shown
		clock = clock.Add(9 * time.Second)
		if w.beat(); shown < before+0.03 || shown > before+0.06 {
			t.Errorf("the share goes from %v to %v in 9 seconds of 200", before, shown)
		}
	}
	clock = clock.Add(time.Hour)
	if w.beat(); shown >= 1 {
		t.Errorf("the share is %v before the end", shown)
	}
}
