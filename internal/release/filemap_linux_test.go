package release

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ditherml/dither/internal/kernel"
	store "github.com/ditherml/dither/internal/rows"
)

// heldRows returns rows in a file of the operating system that is held, all of them to be seen in place, and the
// same in memory; it skips where files cannot be held.
func heldRows(t *testing.T, kind RowType, frame Standardization, bytes int) (file, memory *Rows, path string) {
	t.Helper()
	const dim = 4001
	n := bytes / dim / map[RowType]int{Uint8: 1, Int16: 2}[kind]
	labels := make([]float32, n)
	for i := range labels {
		labels[i] = float32(i)
	}
	memory, err := NewRows(n, RowsOptions{Dim: dim, Step: 1, Type: kind, Labels: labels, Frame: frame}, func(dst []float64, first, _ int) {
		r := rand.New(rand.NewPCG(uint64(first), 11))
		for j := range dst {
			dst[j] = float64(r.Uint32() % 256)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "rows")
	if err = os.WriteFile(path, inFile(t, memory), 0o600); err != nil {
		t.Fatal(err)
	}
	return openHeld(t, path, frame), memory, path
}

func openHeld(t *testing.T, path string, frame Standardization) *Rows {
	t.Helper()
	rows := openRows(t, path, frame)
	if rows.file.Held == nil {
		t.Skip("this file system gives no leases: files are copied on it")
	}
	rows.file.Pace = store.Pace{Took: [2]float64{store.Copied: 1e9, store.InPlace: 1e-9}}
	for range 5 {
		if rows.file.Held.Cached(0, int(rows.file.Held.Bytes)) {
			return rows
		}
		if _, err := os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("this system does not tell what is in its page cache, or keeps nothing there: files are copied on it")
	return nil
}

func openRows(t *testing.T, path string, frame Standardization) *Rows {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := OpenRows(file, info.Size(), frame)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestHeldFilesAreSeenInPlace compares sums, scores, norms and labels of rows that are seen where the page cache
// has them with those of rows in memory, and holds that they were, and that what was seen was given back.
func TestHeldFilesAreSeenInPlace(t *testing.T) {
	for _, kind := range []RowType{Int16, Uint8} {
		file, memory, path := heldRows(t, kind, Standardization{Normalize: NormalizeUnit, Intercept: 0.5}, 2*store.ViewBytes+1<<20)
		weights := make([]float64, 2*memory.Dim())
		for j := range weights {
			weights[j] = float64(j%7) - 3
		}
		want, wantScores := sumAndScores(t, memory, weights, nil)
		got, gotScores := sumAndScores(t, file, weights, nil)
		if !slices.Equal(got, want) || !slices.Equal(gotScores, wantScores) {
			t.Errorf("%v: other sums, scores, labels or norms than in memory", kind)
		}
		blocks, most := 0, 0
		err := file.Scan(1).Each(0, func(b Block) error {
			resident, _ := residentOf(t, path)
			blocks, most = blocks+1, max(most, resident)
			return nil
		})
		if all := len(file.file.Table.Blocks); err != nil || blocks != all {
			t.Errorf("%v: %d of %d blocks were met, error %v; want all", kind, blocks, all, err)
		}
		if most == 0 || most > (store.ViewBytes+store.ViewAlign)>>10 { // parts overlap, and pages come in groups
			t.Errorf("%v: at most %d KB of the file are in this process, want some and at most %d", kind, most, (store.ViewBytes+store.ViewAlign)>>10)
		}
		if _, left := residentOf(t, path); left {
			t.Errorf("%v: the file is still seen by this process after the pass", kind)
		}
	}
}

// residentOf returns how many KB of a file are in the memory of this process, and whether it sees the file at all.
func residentOf(t *testing.T, path string) (kilobytes int, seen bool) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip("this system does not tell what is in memory")
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "-") && !strings.Contains(line, "kB") {
			inside = strings.HasSuffix(line, " "+path+"\n")
			seen = seen || inside
		}
		part := 0
		if _, err = fmt.Sscanf(line, "Rss: %d kB", &part); err == nil && inside {
			kilobytes += part
		}
	}
	return kilobytes, seen
}

// during runs a pass over rows and does something to their file at its third block, before it measures the rows
// of that block again; it returns the pass's error.
func during(rows *Rows, do func()) error {
	blocks, total := 0, int64(0)
	return rows.Each(rows.first, rows.count, func(b Block) error {
		if blocks++; blocks == 3 {
			do()
		}
		squares := make([]int64, b.Len())
		b.Squares(squares)
		for _, v := range squares {
			total += v
		}
		return nil
	})
}

// TestChangesWhileRowsAreSeen changes the file of rows during a pass, after the lease was given up, as the system
// takes it away in the end: the pass ends with an error, and a file that was cut does not end the process. The
// lease of another file stands in for it, so that the change itself has to be seen.
func TestChangesWhileRowsAreSeen(t *testing.T) {
	const cut, changed = "cut or could not be read", "written to, moved or removed"
	for _, c := range []struct {
		name, want string
		change     func(path string) error
	}{
		{"cut", cut, func(path string) error { return os.Truncate(path, 4096) }},
		{"emptied", cut, func(path string) error { return os.Truncate(path, 0) }},
		{"rewritten", changed, func(path string) error { return rewrite(path, time.Time{}) }},
		{"rewritten, with the time of before", changed, func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return rewrite(path, info.ModTime())
		}},
		{"removed", changed, os.Remove},
		{"replaced", changed, func(path string) error { return os.Rename(path+"2", path) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, _, path := heldRows(t, Uint8, Standardization{}, 1<<20)
			other, _, _ := heldRows(t, Uint8, Standardization{}, 1<<20)
			if err := os.WriteFile(path+"2", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := during(rows, func() {}); err != nil {
				t.Fatalf("nobody changed it: %v", err)
			}
			err := during(rows, func() {
				if got := rows.file.Held.Fcntl(unix.F_SETLEASE, unix.F_UNLCK); got < 0 || rows.file.Held.Still() {
					t.Fatal("the lease was not given up")
				}
				rows.file.Held = other.file.Held
				if err := c.change(path); err != nil {
					t.Fatal(err)
				}
			})
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want) || strings.ContainsRune(err.Error(), '\n') {
				t.Errorf("got %v, want in one line that the file is damaged, since it was %s", err, c.want)
			}
			if err = during(rows, func() {}); !errors.Is(err, ErrDamaged) {
				t.Errorf("the next pass: got %v, want that the file is damaged", err)
			}
		})
	}
}

// rewrite changes a byte of a file, and sets its time if one is given.
func rewrite(path string, at time.Time) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte{7}, 5)
	if !at.IsZero() {
		err = errors.Join(err, os.Chtimes(path, at, at))
	}
	return errors.Join(err, file.Close())
}

// TestWritersWait holds that who wants to write to a file that is held waits, and that the rows are refused
// from then on; and that one reader more does not hinder.
func TestWritersWait(t *testing.T) {
	rows, _, path := heldRows(t, Int16, Standardization{}, 1<<20)
	if other := openHeld(t, path, Standardization{}); !other.file.Held.Still() || !rows.file.Held.Still() {
		t.Fatal("two readers do not hold the same file")
	}
	err := during(rows, func() {
		fd, failed := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK, 0)
		if failed == nil {
			_ = unix.Close(fd)
		}
		if !errors.Is(failed, syscall.EWOULDBLOCK) {
			t.Errorf("got %v, want that the writer would have to wait", failed)
		}
	})
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want the rows refused", err)
	}
}

// TestFilesThatAreNotHeld lists files that stay copied: those that others may read, and those that are open for
// writing.
func TestFilesThatAreNotHeld(t *testing.T) {
	_, _, path := heldRows(t, Uint8, Standardization{}, 1<<20)
	for _, mode := range []fs.FileMode{0o644, 0o640, 0o660, 0o602} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if rows := openRows(t, path, Standardization{}); rows.file.Held != nil {
			t.Errorf("a file of mode %v is held", mode)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "open")
	writer, err := os.OpenFile(open, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err = writer.Write(text); err != nil {
		t.Fatal(err)
	}
	rows := openRows(t, open, Standardization{})
	if rows.file.Held != nil {
		t.Error("a file that is open for writing is held")
	}
	if err = during(rows, func() {}); err != nil {
		t.Errorf("rows that are copied: %v", err)
	}
}

// TestOtherPanicsPass holds that only an access to the file becomes an error.
func TestOtherPanicsPass(t *testing.T) {
	rows, _, _ := heldRows(t, Uint8, Standardization{}, 1<<20)
	defer func() {
		if p := recover(); p != "a mistake" {
			t.Errorf("got %v, want the panic of the caller", p)
		}
	}()
	err := during(rows, func() { panic("a mistake") })
	t.Errorf("got %v, want a panic", err)
}

// TestEveryUseOfACutFileIsAnError cuts a file before its rows are multiplied or added: the fault in these kernels
// becomes an error too.
func TestEveryUseOfACutFileIsAnError(t *testing.T) {
	for _, kind := range []RowType{Uint8, Int16} {
		for _, use := range []string{"scores", "rounded scores", "sum"} {
			rows, _, path := heldRows(t, kind, Standardization{}, 1<<20)
			weights := make([]float64, rows.Dim())
			for j := range weights {
				weights[j] = float64(j%5) - 2
			}
			scorer, rounded := rows.Scorer(weights, 1), rows.RoundedScorer(weights, 1)
			sum := newTestSum(t, rows, fullSample(t, rows.Len()), 1, 1, rows.Len())
			err := rows.Scan(1).Each(0, func(b Block) error {
				if rows.file.Held.Fcntl(unix.F_SETLEASE, unix.F_UNLCK) < 0 {
					t.Fatal("the lease was not given up")
				}
				if err := os.Truncate(path, 0); err != nil {
					t.Fatal(err)
				}
				switch scores := make([]float32, b.Len()); use {
				case "scores":
					scorer.Scores(scores, b)
				case "rounded scores":
					rounded.Scores(scores, b)
				case "sum":
					return sum.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: slices.Repeat([]float64{1e-6}, b.Len())})
				}
				return nil
			})
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "cut or could not be read") {
				t.Errorf("%v, %s: got %v, want that the file was cut", kind, use, err)
			}
		}
	}
}
