package together

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/ranks/faulty"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestStampsSeeEveryFile wants another stamp after a change of any file that readers of the table read, also
// behind links, and of how they read it.
func TestStampsSeeEveryFile(t *testing.T) {
	folder := t.TempDir()
	at := func(name ...string) string { return filepath.Join(append([]string{folder}, name...)...) }
	files := []string{at("real", "a.csv"), at("real", "who=x", "b.csv"), at("elsewhere", "c.csv"), at("single.csv"), at("labels.npy")}
	for _, f := range files {
		put(t, f, "a\n1\n")
	}
	for name, target := range map[string]string{"link": "real", "real/who=y": "../elsewhere", "single-link.csv": "single.csv"} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Skip(err)
		}
	}
	for path, seen := range map[string][]int{"real": {0, 1, 2}, "link": {0, 1, 2}, "re*": {0, 1, 2}, "li*": {0, 1, 2}, "single.csv": {3}, "single-link.csv": {3}, "single*.csv": {3}} {
		source := &data.Source{Path: at(path), Labels: at("labels.npy"), Ranks: 2}
		for _, k := range append(seen, 4) {
			before, err := stamp(source)
			if err != nil {
				t.Fatal(err)
			}
			if err = os.Chtimes(files[k], time.Time{}, time.Now().Add(time.Duration(k-99)*time.Hour)); err != nil {
				t.Fatal(err)
			}
			if after, err := stamp(source); err != nil || after == before {
				t.Errorf("%s: the stamp is the same after a change of %s, %v", path, files[k], err)
			}
			put(t, files[k], "a\n1\n")
		}
		before, _ := stamp(source)
		source.NoQuotes = true
		if after, _ := stamp(source); after == before {
			t.Errorf("%s: the stamp is the same where quotes are read in another way", path)
		}
	}
}

// TestStampsQuoteNoCells wants no value of a folder who=value in errors.
func TestStampsQuoteNoCells(t *testing.T) {
	folder := t.TempDir()
	put(t, filepath.Join(folder, "who=alice", "a.csv"), "a\n1\n")
	if err := os.Symlink("loop.csv", filepath.Join(folder, "who=alice", "loop.csv")); err != nil {
		t.Skip(err)
	}
	if _, err := stamp(&data.Source{Path: folder, Ranks: 2}); err == nil || strings.Contains(err.Error(), "alice") {
		t.Errorf("got %v, want an error without the name of a person", err)
	}
	if text, err := stamp(&data.Source{Path: filepath.Join(folder, "none.csv"), Ranks: 2}); err != nil || !strings.Contains(text, "missing") {
		t.Errorf("got %q and %v, want a missing file noted, which reading tells", text, err)
	}
	if _, err := stamp(&data.Source{Path: os.DevNull, Ranks: 2}); !errors.Is(err, errIrregular) {
		t.Errorf("got %v, want a device refused", err)
	}
}

// TestRootIsHeardUnaltered wants every rank to hear what the root told, or the run to end, whatever happens
// to a message after the ranks were introduced.
func TestRootIsHeardUnaltered(t *testing.T) {
	const size = 3
	key := []byte(strings.Repeat("k", KeyBytes))
	for _, kind := range faulty.Kinds() {
		for at := size - 1; at < 4*(size-1); at++ {
			var all sync.WaitGroup
			heard, errs := make([]string, size), make([]error, size)
			for rank, transport := range ranks.Local(size) {
				if rank == 0 {
					transport = faulty.New(transport, kind, at, 300)
				}
				all.Go(func() {
					run, err := Begin(context.Background(), transport, key, 200*time.Millisecond)
					for _, message := range []string{"steps", "train", ""} {
						var text []byte
						if err == nil {
							text, err = run.Tell([]byte(message))
						}
						heard[rank] += string(text) + ";"
					}
					errs[rank] = Ended(transport, err)
				})
			}
			all.Wait()
			if errors.Join(errs...) != nil {
				continue
			}
			for rank, text := range heard {
				if text != "steps;train;;" {
					t.Errorf("%v message %d: rank %d heard %q", kind, at, rank, text)
				}
			}
		}
	}
}

// TestRanksAgreeOnce wants a second plan to be refused, because messages about the first would be accepted again.
func TestRanksAgreeOnce(t *testing.T) {
	run, err := Begin(context.Background(), ranks.Local(1)[0], nil, 0)
	if err == nil {
		err = run.Agree([]byte("plan"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if run.Agree([]byte("plan")) == nil {
		t.Error("the ranks agree twice")
	}
}
