package chain

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPageVerifies runs the program of the page on intact and damaged ledgers: it decides as this package does.
func TestPageVerifies(t *testing.T) {
	page, err := os.ReadFile("../../docs/ledger-format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```python\n")
	program, _, ended := strings.Cut(program, "```")
	if !ended {
		t.Fatal("the page has no program")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not there")
	}
	if exec.Command(python, "-c", "assert __import__('sys').version_info >= (3, 8)").Run() != nil {
		t.Skip("python3 does not run, or is older than 3.8")
	}
	cases := pageCases()
	names := slices.Sorted(maps.Keys(cases))
	folder, want := t.TempDir(), ""
	arguments := []string{"-I", "-c", pageDriver, program}
	for i, name := range names {
		path, b := filepath.Join(folder, fmt.Sprint(i)), cases[name]
		if err = os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, path)
		line := "refused"
		if s, failed := scanFile(b, int64(len(b)), start); failed == nil {
			line = fmt.Sprintf("%d records, the last with the hash %x", s.end().records, s.end().hash)
		}
		want += line + "\n"
	}
	got, err := exec.Command(python, arguments...).Output()
	if err != nil || strings.ReplaceAll(string(got), "\r", "") != want {
		t.Errorf("of %q the program says (%v)\n%swant\n%s", names, err, got, want)
	}
}

// pageDriver runs the program of the page on each file in one process.
const pageDriver = `
import sys
program, paths = sys.argv[1], sys.argv[2:]
for path in paths:
    sys.argv = ["verify", path]
    try:
        exec(program, {})
    except SystemExit as refused:
        assert refused.code
        print("refused")
`

// pageCases are one ledger for each row of the table of what counts.
func pageCases() map[string]image {
	b, passed := imageOf(9)
	edit := func(do func(b image) image) image { return do(slices.Clone(b)) }
	flip := func(at int64) image { return edit(func(b image) image { b[at] ^= 1; return b }) }
	return map[string]image{
		"intact":                     b,
		"newest head damaged":        flip(20),
		"older head damaged":         flip(blockSize + 20),
		"both heads damaged":         edit(func(b image) image { b[20] ^= 1; b[blockSize+20] ^= 1; return b }),
		"payload damaged":            flip(passed[4].at + recordHeader),
		"zeros damaged":              flip(passed[4].at + blockSize - 1),
		"long record damaged":        flip(passed[7].at + blockSize + 5),
		"last record damaged":        flip(passed[8].at + recordHeader),
		"cut off":                    b[:passed[8].at],
		"rest of a write":            append(slices.Clone(b), b[passed[0].at:][:1000]...),
		"last record twice":          append(slices.Clone(b), b[passed[8].at:passed[9].at]...),
		"too many bytes":             append(slices.Clone(b), make([]byte, maxRecord+1)...),
		"a record never in a head":   edit(func(b image) image { copy(b, encodeHead(passed[7])); return b }),
		"head with another hash":     edit(func(b image) image { p := passed[9]; p.hash[3]++; copy(b, encodeHead(p)); return b }),
		"older head with other hash": edit(func(b image) image { p := passed[8]; p.hash[3]++; copy(b[blockSize:], encodeHead(p)); return b }),
	}
}
