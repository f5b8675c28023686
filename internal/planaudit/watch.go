package planaudit

import (
	"sync"
	"time"
)

// watch makes the progress of an audit from that of its attacks. The share of an attack is the share
// of its time, as far as times are known.
type watch struct {
	lock sync.Mutex
	show func(what string, done float64)
	now  func() time.Time
	// expected are the seconds of each attack: first as the effort has them, later as trainings take.
	expected []float64
	at       int // the attack that runs
	what     string
	begun    time.Time // of the audit
	attack   time.Time // of the attack that runs
	told     time.Time // when left was known
	left     float64   // seconds of the attack that runs, at that time
	shown    float64
}

// mostShown is the largest share before the end.
const mostShown = 0.99

// newWatch begins to watch an audit whose attacks take about as many seconds.
func newWatch(show func(what string, done float64), now func() time.Time, expected []float64) *watch {
	return &watch{show: show, now: now, expected: expected, begun: now()}
}

// start begins an attack.
func (w *watch) start(attack int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.at, w.attack = attack, w.now()
	w.told, w.left = w.attack, w.expected[attack]
}

// expect tells how many seconds the rest of the attack takes.
func (w *watch) expect(seconds float64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.told, w.left = w.now(), seconds
	w.tell()
}

// progress tells what goes on and which share of the attack is done. At 0 nothing is known of its time.
func (w *watch) progress(what string, done float64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.what = what
	if done > 0 {
		w.told = w.now()
		w.left = w.told.Sub(w.attack).Seconds() * (1 - done) / done
	}
	w.tell()
}

// beat shows the progress again, for trainings that take long.
func (w *watch) beat() {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.tell()
}

// tell shows the share of the time that has passed. It never falls.
func (w *watch) tell() {
	if w.show == nil || w.what == "" {
		return
	}
	now := w.now()
	left := max(w.left-now.Sub(w.told).Seconds(), w.left/10)
	for _, seconds := range w.expected[w.at+1:] {
		left += seconds
	}
	passed := now.Sub(w.begun).Seconds()
	if passed > 0 {
		w.shown = max(w.shown, min(mostShown, passed/(passed+left)))
	}
	w.show(w.what, w.shown)
}

// every calls beat at an interval until the returned function is called.
func (w *watch) every(interval time.Duration) (end func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				w.beat()
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-done
	}
}
