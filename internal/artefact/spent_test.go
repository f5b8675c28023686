package artefact

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
)

// unfollowed turns a folder into one as on systems where an open folder has no other name.
func unfollowed(f *Folder) {
	if f.root != nil {
		f.root.Close()
		f.root = nil
	}
}

// TestTraceOfAnotherRunStays renames the folder of a run that has begun, and another run takes its
// name. However the first run ends, the trace of the second stays, and the first removes its own
// trace or names it.
func TestTraceOfAnotherRunStays(t *testing.T) {
	ended := errors.New("the run ended")
	for _, c := range []struct {
		name          string
		replace, open bool
		end           func(f *Folder) error
		left          bool
		want          string
	}{
		{"unspent", false, true, func(f *Folder) error { return f.Unspend(ended) }, false, ""},
		{"unspent, not open", false, false, func(f *Folder) error { return f.Unspend(ended) }, true, "nothing was spent, and spent.json in the folder that was m stays"},
		{"unspent next to an old model", true, true, func(f *Folder) error { return f.Unspend(ended) }, false, ""},
		{"kept elsewhere", false, true, func(f *Folder) error { f.RemoveTrace(); return f.Failure(ended) }, false, ""},
		{"kept elsewhere, not open", false, false, func(f *Folder) error { f.RemoveTrace(); return f.Failure(ended) }, true, "spent.json in the folder that was m keeps it"},
		{"failed", false, true, func(f *Folder) error { return f.Failure(ended) }, true, "spent.json in the folder that was m keeps it"},
		{"finished next to an old model", true, true, func(f *Folder) error { return f.Write(results("new")) }, false, ""},
		{"finished next to an old model, not open", true, false, func(f *Folder) error { return f.Write(results("new")) }, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			home := "m"
			if c.replace {
				makeModel(t, "m", "old")
				home = "m" + unfinishedEnd
			}
			first := spent(t, "m", c.replace)
			if err := os.Rename(home, "moved"); err != nil {
				t.Fatal(err)
			}
			second := spent(t, "m", c.replace)
			defer second.Close()
			if !c.open {
				unfollowed(first)
			}
			err := c.end(first)
			if err != nil && (!errors.Is(err, ended) || !strings.Contains(err.Error(), c.want)) || err == nil && c.want != "" {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if c.want == "" && err != nil && strings.Contains(err.Error(), durable.TraceName) {
				t.Errorf("got %v, want no trace named", err)
			}
			if !display.Exists(filepath.Join(home, durable.TraceName)) {
				t.Errorf("got %v, want the trace of the second run", treeOf(t, "."))
			}
			if left := display.Exists(filepath.Join("moved", durable.TraceName)); left != c.left {
				t.Errorf("the trace of the first run stands: %v, want %v", left, c.left)
			}
		})
	}
}
