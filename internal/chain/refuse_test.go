//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package chain

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Folders of tests are made without mode bits for others, whoever runs the tests.
func init() { syscall.Umask(0o022) }

// onDisk makes a ledger of two records in a new folder.
func onDisk(t *testing.T) (path string, f *File) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ledger")
	f, err := Create(background, path, []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err = f.Update(background, ignore, payload("second")); err != nil {
		t.Fatal(err)
	}
	return path, f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOpenRefuses holds that files which others may have changed, and files that are no ledger, are refused with
// the reason, and that nothing waits.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(t *testing.T, path string)
		root       bool // whether only root can see it
	}{
		{"symbolic link", "symbolic link", func(t *testing.T, path string) {
			must(t, os.Rename(path, path+".real"))
			must(t, os.Symlink(path+".real", path))
		}, false},
		{"pipe", "pipe", func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, syscall.Mkfifo(path, 0o600))
		}, false},
		{"folder", "want a file", func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o700)) }, false},
		{"nothing", "no such file", func(t *testing.T, path string) { must(t, os.Remove(path)) }, false},
		{"world-writable", "chmod", func(t *testing.T, path string) { must(t, os.Chmod(path, 0o602)) }, false},
		{"group-writable", "chmod", func(t *testing.T, path string) { must(t, os.Chmod(path, 0o660)) }, false},
		{"world-writable folder", "folder: chmod", func(t *testing.T, path string) { must(t, os.Chmod(filepath.Dir(path), 0o777)) }, false},
		{"group-writable folder", "folder: chmod", func(t *testing.T, path string) { must(t, os.Chmod(filepath.Dir(path), 0o770)) }, false},
		{"foreign owner", "another user", func(t *testing.T, path string) { must(t, os.Chown(path, 4711, 4711)) }, true},
		{"folder of another owner", "another user", func(t *testing.T, path string) { must(t, os.Chown(filepath.Dir(path), 4711, 4711)) }, true},
		{"empty", "0 bytes", func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }, false},
		{"foreign", "no ledger of dither", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("text ", 10_000)), 0o600))
		}, false},
		{"newer", "newer dither", func(t *testing.T, path string) {
			b, err := os.ReadFile(path)
			must(t, err)
			for _, at := range []int{0, blockSize} {
				binary.LittleEndian.PutUint32(b[at+len(headMagic):], 2)
			}
			must(t, os.WriteFile(path, b, 0o600))
		}, false},
		{"cut off", "2 records were acknowledged", func(t *testing.T, path string) { must(t, os.Truncate(path, recordsBegin+blockSize)) }, false},
		{"damaged", "dither ledger repair", func(t *testing.T, path string) { must(t, os.Truncate(path, recordsBegin+blockSize+9)) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.root && os.Geteuid() != 0 {
				t.Skip("only root gives files away")
			}
			path, f := onDisk(t)
			c.spoil(t, path)
			done := make(chan error)
			go func() {
				_, err := Open(background, path)
				done <- err
			}()
			select {
			case err := <-done:
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("got %v, want an error that names the file and %q", err, c.want)
				}
			case <-time.After(time.Minute):
				t.Fatal("opening waits")
			}
			if err := f.View(background, ignore); err == nil && !strings.Contains(c.name, "folder") {
				t.Error("the store that was open before went on")
			}
		})
	}
}

// TestOpenAllows holds what is refused neither: files that others read, and folders with a sticky bit.
func TestOpenAllows(t *testing.T) {
	path, _ := onDisk(t)
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode() != 0o600 {
		t.Errorf("got mode %v, want 0600", info.Mode())
	}
	must(t, os.Chmod(path, 0o644))
	must(t, os.Chmod(filepath.Dir(path), 0o777|os.ModeSticky))
	f, err := Open(background, path)
	must(t, err)
	must(t, f.Close())
}

// TestReadOnlyIsRefused holds that a ledger which cannot be written is refused before anything is spent.
func TestReadOnlyIsRefused(t *testing.T) {
	path, _ := onDisk(t)
	must(t, os.Chmod(path, 0o400))
	if os.Geteuid() == 0 {
		t.Skip("root writes what is read-only")
	}
	if _, err := Open(background, path); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want %v", err, fs.ErrPermission)
	}
}

func TestCreateRefuses(t *testing.T) {
	path, _ := onDisk(t)
	if _, err := Create(background, path, []byte("again")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want %v", err, fs.ErrExist)
	}
	if _, err := Create(background, path+"2", nil); err == nil {
		t.Error("a ledger without a first record was made")
	}
	must(t, os.Chmod(filepath.Dir(path), 0o777))
	if _, err := Create(background, path+"3", []byte("first")); err == nil || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("got %v, want the folder refused", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v (%v), want the ledger alone", entries, err)
	}
}

// TestChangesWhileOpen holds that a store notices when its file is replaced, cut off or set back.
func TestChangesWhileOpen(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, path string, old []byte)
	}{
		{"replaced by a copy", func(t *testing.T, path string, _ []byte) {
			b, err := os.ReadFile(path)
			must(t, err)
			must(t, os.Remove(path))
			must(t, os.WriteFile(path, b, 0o600))
		}},
		{"removed", func(t *testing.T, path string, _ []byte) { must(t, os.Remove(path)) }},
		{"cut off", func(t *testing.T, path string, _ []byte) { must(t, os.Truncate(path, recordsBegin+2*blockSize)) }},
		{"set back", func(t *testing.T, path string, old []byte) { must(t, os.WriteFile(path, old, 0o600)) }},
		{"set back to another history", func(t *testing.T, path string, old []byte) {
			must(t, os.WriteFile(path, old, 0o600))
			f, err := Open(background, path)
			must(t, err)
			for range 3 {
				_, err = f.Update(background, ignore, payload("other"))
				must(t, err)
			}
			f.Close()
		}},
	} {
		path, f := onDisk(t)
		old, err := os.ReadFile(path)
		must(t, err)
		_, err = f.Update(background, ignore, payload("third"))
		must(t, err)
		c.spoil(t, path, old)
		next := func() ([]byte, error) { t.Errorf("%s: next was called", c.name); return []byte("no"), nil }
		if _, err = f.Update(background, ignore, next); err == nil {
			t.Errorf("%s: the store went on", c.name)
		}
	}
}

// TestClockDecidesNothing holds that records keep their order under any clock.
func TestClockDecidesNothing(t *testing.T) {
	var b []byte
	at := start
	for _, years := range []int64{10, -10, 0, -4000} {
		r := Record{Seq: at.records, Time: years * 31_556_952, Payload: []byte("text")}
		r.Hash = Link(at.hash, r.Seq, r.Time, r.Payload)
		b = append(b, encodeRecord(r)...)
		at = position{r.Seq + 1, recordsBegin + int64(len(b)), r.Hash}
	}
	heads := make([]byte, recordsBegin)
	copy(heads, encodeHead(at))
	copy(heads[blockSize:], encodeHead(at))
	d := holding(ledger, append(heads, b...))
	if found, err := look(d); err != nil || len(found) != 4 {
		t.Errorf("got %q (%v), want four records", found, err)
	}
}

// TestOpenGivesUp holds that a context ends the wait of Open.
func TestOpenGivesUp(t *testing.T) {
	path, f := onDisk(t)
	ctx, cancel := context.WithCancel(background)
	_, err := f.Update(background, ignore, func() ([]byte, error) {
		time.AfterFunc(10*time.Millisecond, cancel)
		if _, err := Open(ctx, path); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		return []byte("third"), nil
	})
	must(t, err)
}
