package flags

import "testing"

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"train", "train", 0}, {"trian", "train", 1}, {"tran", "train", 1}, {"traain", "train", 1}, {"brain", "train", 1}, {"", "abc", 3}, {"sweep", "train", 5}, {"ca", "abc", 3}, {"ünter", "unter", 1}} {
		if got := edits(c.a, c.b); got != c.want || edits(c.b, c.a) != got {
			t.Errorf("%q to %q: got %d edits, want %d in both directions", c.a, c.b, got, c.want)
		}
	}
}
