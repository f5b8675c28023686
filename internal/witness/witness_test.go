package witness

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ledgerName and ledgerHalf stand for the name of a ledger and its half of the key.
var ledgerName, ledgerHalf = strings.Repeat("a", 64), strings.Repeat("5", 64)

// digestOf returns the digest of files that are read in pieces of a size.
func digestOf(piece int, files ...string) digest {
	w := newWatch([32]byte{1}, digest{})
	for _, text := range files {
		p := w.Part()
		for len(text) > 0 {
			n := min(piece, len(text))
			_, _ = p.Write([]byte(text[:n]))
			text = text[n:]
		}
		p.End()
	}
	d, _ := w.finish()
	return d
}

// TestDigestIsOfTheRecords: the digest does not depend on the sizes of reads, the order of lines,
// the number of files, and the ends of lines.
func TestDigestIsOfTheRecords(t *testing.T) {
	long := strings.Repeat("0123456789", 2*mostLine/10)
	want := digestOf(1<<20, "age,sex\n1,f\n2,m\n3,f\n"+long+"\n")
	if want.Lines != 5 || want.Binary {
		t.Errorf("got %+v, want 5 lines of text", want)
	}
	for name, files := range map[string][]string{
		"another order":         {"age,sex\n3,f\n" + long + "\n1,f\n2,m\n"},
		"two files":             {"age,sex\n1,f\n2,m\n", "age,sex\n3,f\n" + long + "\n"},
		"other ends of lines":   {"age,sex\r\n1,f\r\n2,m\r\n3,f\r\n" + long + "\r\n"},
		"no end":                {"age,sex\n1,f\n2,m\n3,f\n" + long},
		"a file without an end": {"age,sex\n1,f\n2,m", "age,sex\n3,f\n" + long},
		"empty lines":           {"age,sex\n\n1,f\n2,m\n3,f\n" + long + "\n\n\n"},
	} {
		for _, piece := range []int{1, 7, mostLine - 1, mostLine, mostLine + 1, 1 << 20} {
			if piece == 1 && len(files[0]) > 1<<20 {
				continue
			}
			if got := digestOf(piece, files...); got != want {
				t.Errorf("%s in pieces of %d bytes: got %+v, want %+v", name, piece, got, want)
			}
		}
	}
	for name, files := range map[string][]string{
		"another record":      {"age,sex\n1,f\n2,m\n4,f\n" + long + "\n"},
		"a record twice":      {"age,sex\n1,f\n2,m\n3,f\n3,f\n" + long + "\n"},
		"a record fewer":      {"age,sex\n1,f\n2,m\n" + long + "\n"},
		"a long record less":  {"age,sex\n1,f\n2,m\n3,f\n" + long[1:] + "\n"},
		"parts of it swapped": {"age,sex\n1,m\n2,f\n3,f\n" + long + "\n"},
		"another header":      {"age,seX\n1,f\n2,m\n3,f\n" + long + "\n"},
	} {
		if got := digestOf(1<<20, files...); got.Sum == want.Sum {
			t.Errorf("%s: has the digest of other records", name)
		}
	}
	other := newWatch([32]byte{2}, digest{})
	_, _ = other.Part().Write([]byte("age,sex\n1,f\n2,m\n3,f\n" + long + "\n"))
	if d, _ := other.finish(); d.Sum == want.Sum {
		t.Error("two keys have one digest")
	}
	if d := digestOf(100, "\x93NUMPY\x00\n1\n"); !d.Binary {
		t.Error("an array counts as text")
	}
}

// opened opens a file of a ledger.
func opened(t *testing.T, path, population string) *Witness {
	t.Helper()
	w, err := Open(path, ledgerName, ledgerHalf, population)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTell goes through runs on one ledger: what is said, and that no name of a file decides.
func TestTell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l"+End)
	if err := Create(path, ledgerName); err != nil {
		t.Fatal(err)
	}
	rows := "age\n" + strings.Repeat("1\n2\n", 500)
	for i, c := range []struct{ population, text, want string }{
		{"", rows, "the first look"},
		{"", rows, "the same records as at record 0 of 20"},
		{"", rows + "7\n8\n", "the records of record 1 of 20"},
		{"", rows + "7\n8\n", "the same records as at record 2 of 20"},
		{"", "age\n9\n" + rows[4:], `other content than at record 3 of 20`},
		{"", rows, "the same records as at record 1 of 20"},
		{"north", rows, "which were of all: populations share no person"},
		{"south", "age\n3\n", "the first look"},
		{"south", "age\n4\n5\n", "with 1 line more; the budget counts on"},
		{"south", "\x00\x01\n", "other content than at record 8 of 20"},
		{"south", "age\n6\n", "other content than at record 9 of 20"},
		{"", "age\n4\n5\n", `which were of population "south"`},
	} {
		w := opened(t, path, c.population)
		_, _ = w.Watch().Part().Write([]byte(c.text))
		got := w.Tell(uint64(i), "people")
		if !strings.Contains(got, c.want) {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
		if strings.Contains(c.want, "than at record 9") && strings.Contains(got, "line") {
			t.Errorf("%d: got %q, want no lines of an array", i, got)
		}
		if strings.HasSuffix(got, exact) == (c.want == "the first look") {
			t.Errorf("%d: got %q, want it marked as exact unless it says nothing", i, got)
		}
		if i == 2 && !strings.Contains(got, "2 lines more") {
			t.Errorf("got %q, want how many more", got)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v (%v), want the file for its owner alone", info.Mode(), err)
	}
	w := opened(t, path, "")
	if got := w.Tell(20, "people"); !strings.HasPrefix(got, "none") {
		t.Errorf("got %q where nothing was read, want that nothing was compared", got)
	}
	w = opened(t, path, "")
	w.Watch().Index([]byte("footer"))
	if got := w.Tell(21, "people"); !strings.Contains(got, "a file of another kind") {
		t.Errorf("got %q, want that files of two kinds are not compared", got)
	}
	w = opened(t, path, "")
	w.Watch().Index([]byte("footer"))
	if got := w.Tell(22, "people"); !strings.Contains(got, "the same records as at record 21") {
		t.Errorf("got %q, want the same index", got)
	}
}

// TestHalvesOfTheKey: neither half alone gives the digest, so that neither file alone tests a
// guess.
func TestHalvesOfTheKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l"+End)
	if err := Create(path, ledgerName); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key := opened(t, path, "").watch.key
	other, err := Open(path, ledgerName, strings.Repeat("6", 64), "")
	if err != nil || other.watch.key == key {
		t.Errorf("got one key (%v), want it to depend on the half of the ledger", err)
	}
	if err = Create(path, ledgerName); err != nil || opened(t, path, "").watch.key == key {
		t.Errorf("got one key (%v), want it to depend on the half of the file", err)
	}
	if bytes.Contains(text, []byte(ledgerHalf)) || bytes.Contains(text, []byte(hexOf(key[:]))) {
		t.Error("the file holds the whole key")
	}
}

// TestOpenRefuses: a file that is not there, that others read, of another ledger, or that is none.
func TestOpenRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "l"+End)
	if _, err := Open(path, ledgerName, ledgerHalf, ""); err == nil || !strings.Contains(err.Error(), "there is no") {
		t.Errorf("got %v, want that there is none", err)
	}
	if err := Create(path, ledgerName); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, strings.Repeat("b", 64), ledgerHalf, ""); err == nil || !strings.Contains(err.Error(), "another ledger") {
		t.Errorf("got %v, want that it is of another ledger", err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, ledgerName, ledgerHalf, ""); (err == nil || !strings.Contains(err.Error(), "chmod 600")) && runtime.GOOS != "windows" {
		t.Errorf("got %v, want that others read it", err)
	}
	link := filepath.Join(folder, "link")
	if err := os.Symlink(path, link); err == nil {
		if _, err = Open(link, ledgerName, ledgerHalf, ""); err == nil {
			t.Error("a link was followed")
		}
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, ledgerName, ledgerHalf, ""); err == nil || !strings.Contains(err.Error(), "is not what") {
		t.Errorf("got %v, want that it is none", err)
	}
	if err := Create(path, ledgerName); err == nil {
		t.Error("a file of somebody else was replaced")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "{}" {
		t.Errorf("got %q (%v), want the file of somebody else as it was", text, err)
	}
}
