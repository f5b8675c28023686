package strict

import (
	"errors"
	"strings"
	"testing"
)

// even is a plan of one number, which must be even.
type even struct{ Number int }

func (e even) Validate() error {
	if e.Number%2 != 0 {
		return errors.New("odd")
	}
	return nil
}

func TestReadPlan(t *testing.T) {
	if got, err := ReadPlan[even]("erm", []byte(`{"Number": 4}`)); err != nil || got.Number != 4 {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]string{
		`{"Number": 3}`:            "odd",
		`{"Number": 4, "More": 1}`: "erm: plan: json: unknown field",
		`{`:                        "erm: plan: unexpected EOF",
	} {
		if _, err := ReadPlan[even]("erm", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
