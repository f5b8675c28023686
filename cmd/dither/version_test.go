package main

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// TestVersionIsThatOfCertificates wants one name of the program, in both forms of the output.
func TestVersionIsThatOfCertificates(t *testing.T) {
	text, _ := mustInvoke(t, "version")
	if first, _, _ := strings.Cut(text, "\n"); first != program() || !strings.HasSuffix(first, version) {
		t.Errorf("got the first line %q, want %q, which certificates name", first, program())
	}
	for _, word := range []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, "kernels   " + kernel.Instructions()} {
		if !strings.Contains(text, word) {
			t.Errorf("got %q, want it to say %q", text, word)
		}
	}
	if flag, _ := mustInvoke(t, "--version"); flag != program()+"\n" {
		t.Errorf("got %q from --version, want %q", flag, program())
	}
	asJSON, _ := mustInvoke(t, "version", "--json")
	var a about
	if err := json.Unmarshal([]byte(asJSON), &a); err != nil || a.Program != program() || a.Kernels != kernel.Instructions() {
		t.Errorf("got %s (%v), want JSON of the same", asJSON, err)
	}
}

// TestVersionSaysWhatWasBuilt reads build information as the go command stamps it.
func TestVersionSaysWhatWasBuilt(t *testing.T) {
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
		var b strings.Builder
		if err := aboutOf(c.info).write(&b, false); err != nil || !strings.Contains(b.String(), c.want) || strings.Contains(b.String(), c.unwanted) {
			t.Errorf("%s: got %q (%v), want it to say %q and not %q", name, b.String(), err, c.want, c.unwanted)
		}
	}
}
