package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWriteReplaces holds that a file is replaced whole and nothing is left beside it, also after an error.
func TestWriteReplaces(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	for _, text := range []string{"one", "two"} {
		if err := WriteFile(path, ".new-", []byte(text), 0o600); err != nil || read(t, path) != text {
			t.Fatalf("got error %v and %q, want %q", err, read(t, path), text)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(folder, "taken"), ".new-", []byte("three"), 0o600); err == nil {
		t.Error("a file took the place of a folder")
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
		t.Errorf("got %v (%v), want the file and the folder", entries, err)
	}
	if err := Create(path, nil, 0o600); !errors.Is(err, fs.ErrExist) || read(t, path) != "two" {
		t.Errorf("got error %v, want the file that exists kept", err)
	}
}

// TestWriteHoldsItsFile holds that whoever opens the path finds the lock until the writer closes the file.
func TestWriteHoldsItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	file, err := Write(path, ".new-", []byte("one"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if other := Abandoned(path); other != nil {
		t.Error("a file that is held was taken for one that nobody holds")
	}
	if err = file.Close(); err != nil {
		t.Fatal(err)
	}
	free := Abandoned(path)
	if free == nil {
		t.Skip("there are no locks here")
	}
	defer free.Close()
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err = Lock(other); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want %v", err, ErrLocked)
	}
	if err = os.Remove(path); err != nil {
		t.Fatal(err)
	}
	free.Close()
	if err = Hold(other, path); !errors.Is(err, ErrLocked) {
		t.Errorf("a file without its name: got %v, want %v", err, ErrLocked)
	}
}

func TestNamesChangeInOneStep(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a", "b"} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := Create(filepath.Join(name, "text"), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := RenameNew("a", "b"); !errors.Is(err, fs.ErrExist) || read(t, "b/text") != "b" {
		t.Errorf("got %v, want a name that is taken refused", err)
	}
	switch err := Exchange("a", "b"); {
	case errors.Is(err, ErrNoExchange):
		t.Log(err)
	case err != nil || read(t, "a/text") != "b" || read(t, "b/text") != "a":
		t.Errorf("got %v, want both names exchanged", err)
	}
	if err := RenameNew("a", "c"); err != nil || !errors.Is(Exchange("a", "c"), fs.ErrNotExist) {
		t.Errorf("got %v, want the name given, and no exchange with nothing", err)
	}
}
