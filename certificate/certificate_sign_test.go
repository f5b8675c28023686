package certificate

import (
	"math"
	"strings"
	"testing"
)

// TestSignsAreRefused gives each price and delta a minus at 0.
func TestSignsAreRefused(t *testing.T) {
	minus := math.Copysign(0, -1)
	for name, c := range map[string]Certificate{"delta": {Delta: minus}, "epsilon": {Epsilon: Epsilon(minus)},
		"group": {GroupEpsilon: Epsilon(minus)}, "asked": {Asked: Epsilon(minus)}} {
		if c.checkSigns() == nil {
			t.Errorf("%s of -0 passes", name)
		}
	}
	if err := (Certificate{}).checkSigns(); err != nil {
		t.Errorf("zeros have a sign: %v", err)
	}
	if _, err := Decode([]byte(strings.Repeat(" ", maxFileSize+1))); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("the error of a long text is %v, want that it is long", err)
	}
}
