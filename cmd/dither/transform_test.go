package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrainTransforms trains behind public transforms, without privacy so that two runs may be compared:
// the model says what they are and maps new rows through them; the cache tells tables apart by them.
func TestTrainTransforms(t *testing.T) {
	schema, table := workplace(t, 800)
	t.Setenv(cacheVariable, filepath.Join(t.TempDir(), "cache"))
	run := func(out string, more ...string) string {
		_, messages := mustInvoke(t, append([]string{"train", "--data", table, "--schema", schema, "--out", out, "--non-private", "--whiten", "no", "--steps", "10"}, more...)...)
		return messages
	}
	transforms := []string{"--transform", "deskew:shape=2x3", "--transform", "groupnorm:groups=2"}
	run("memory", transforms...)
	run("plain")
	if weightsOf(t, "memory") == weightsOf(t, "plain") {
		t.Error("the transforms changed nothing")
	}
	text, err := os.ReadFile(filepath.Join("memory", "model.json"))
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(text)), ""), `"transforms":[{"name":"deskew","parameters":{"shape":[2,3]}},{"name":"groupnorm","parameters":{"groups":2}}]`) {
		t.Errorf("the model file lacks the transforms: %v", err)
	}
	for _, c := range []struct {
		out, says string
		flags     []string
	}{
		{"first", "encoding the table once", transforms},
		{"second", "was encoded before", transforms},
		{"fewer", "encoding the table once", transforms[:2]},
		{"other", "encoding the table once", []string{"--transform", "groupnorm:groups=3"}},
		{"none", "encoding the table once", nil},
	} {
		if messages := run(c.out, append([]string{"--stream"}, c.flags...)...); !strings.Contains(messages, c.says) {
			t.Errorf("%s: %q, want %q", c.out, messages, c.says)
		}
	}
	for _, folder := range []string{"first", "second"} {
		if weightsOf(t, folder) != weightsOf(t, "memory") {
			t.Errorf("%s: other weights than from memory", folder)
		}
	}
	first, _ := mustInvoke(t, "evaluate", "memory", table)
	if second, _ := mustInvoke(t, "evaluate", "second", table); first != second || !strings.Contains(first, "accuracy") {
		t.Errorf("equal models measured differently:\n%s\n%s", first, second)
	}
	mustInvoke(t, "verify", "memory")
}

func TestTransformFlagRefusals(t *testing.T) {
	schema, table := workplace(t, 50)
	for _, c := range []struct{ flag, says string }{
		{"turn", "want one of crosses, deskew"},
		{"deskew:shape", "key=value"},
		{"deskew:shape=2x4", "an image of 6 numbers"},
		{"scattering:shape=2x3", "multiples of 4"},
	} {
		if code, _, messages := invoke("train", "--data", table, "--schema", schema, "--transform", c.flag); code != exitUsage || !strings.Contains(messages, c.says) {
			t.Errorf("%s: %d, %q, want %d and %q", c.flag, code, messages, exitUsage, c.says)
		}
	}
}
