package process

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestAboutSaysWhatWasBuilt reads build information as the go command stamps it.
func TestAboutSaysWhatWasBuilt(t *testing.T) {
	settings := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2030-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: modified}, {Key: "-tags", Value: "noasm"}}
	}
	for name, c := range map[string]struct {
		info           *debug.BuildInfo
		want, unwanted string
	}{
		"nothing known":   {nil, "source    not known", "module"},
		"no checkout":     {&debug.BuildInfo{Main: debug.Module{Path: "example.org/m", Version: "(devel)"}}, "module    example.org/m\nsource    not known", "devel"},
		"a tagged module": {&debug.BuildInfo{Main: debug.Module{Path: "example.org/m", Version: "v1.2.3"}}, "module    example.org/m v1.2.3\n", "commit"},
		"a clean tree":    {&debug.BuildInfo{Settings: settings("false")}, "source    commit 0123abcd of 2030-01-02T03:04:05Z\ntags      noasm\n", "modified"},
		"a changed tree":  {&debug.BuildInfo{Settings: settings("true")}, "source    commit 0123abcd of 2030-01-02T03:04:05Z, modified\n", "not known"},
	} {
		text := string(AboutOf("dither 1", c.info).Text())
		if !strings.HasPrefix(text, "dither 1\n") || !strings.Contains(text, c.want) || strings.Contains(text, c.unwanted) {
			t.Errorf("%s: got %q, want it to say %q and not %q", name, text, c.want, c.unwanted)
		}
	}
}
