package budget

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// racingFile names the ledger for processes that race for it.
const racingFile = "DITHER_TEST_RACING_LEDGER"

func TestMain(m *testing.M) {
	if file := os.Getenv(racingFile); file != "" {
		granted, err := raceIn(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(granted)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// unitTerms are a cap of 24 units under basic.
func unitTerms() Terms {
	t := termsOf(Basic)
	t.Epsilon, t.Delta = 24, 0
	return t
}

// raceIn asks 20 times for one unit, by four goroutines.
func raceIn(file string) (granted int, err error) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		wait.Go(func() {
			b, failed := OpenFile(background, file)
			for range 5 {
				if failed != nil {
					break
				}
				a := askOf(nil, unitTerms(), "assumed-dp(1, 0, add-or-remove-one)")
				a.Delta = 0
				_, refused := b.Reserve(background, a)
				mu.Lock()
				if refused == nil {
					granted++
				} else if !errors.Is(refused, ErrOverBudget) {
					failed = refused
				}
				mu.Unlock()
			}
			mu.Lock()
			err = errors.Join(err, failed)
			mu.Unlock()
		})
	}
	wait.Wait()
	return granted, err
}

// TestProcessesRace: four processes with four stores each race for 24 units in one file.
func TestProcessesRace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger")
	b, err := CreateFile(background, file, unitTerms())
	if err != nil {
		t.Skipf("no ledger can be kept here: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	var wait sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		wait.Go(func() {
			c := exec.Command(self)
			c.Env = append(os.Environ(), racingFile+"="+file)
			var failure bytes.Buffer
			c.Stderr = &failure
			out, failed := c.Output()
			n, wrong := strconv.Atoi(strings.TrimSpace(string(out)))
			mu.Lock()
			defer mu.Unlock()
			if sum += n; failed != nil || wrong != nil {
				t.Errorf("%v, %v: %s", failed, wrong, failure.String())
			}
		})
	}
	wait.Wait()
	if err := b.Refresh(background); err != nil {
		t.Fatal(err)
	}
	if s := b.Summary(); sum != 24 || s.Spent != 24 || len(s.Releases) != 24 {
		t.Errorf("granted %d, the ledger has %d at %v, want 24", sum, len(s.Releases), s.Spent)
	}
	if _, err := CreateFile(background, file, unitTerms()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a ledger was made over another: %v", err)
	}
	if payload, err := Forfeited("the end of the file is gone", "officer"); err != nil || decodeKind(payload) != nil {
		t.Errorf("%s, %v", payload, err)
	}
}

func decodeKind(payload []byte) error {
	r, err := decode(payload)
	if err == nil && (r.Forfeit == nil || r.Forfeit.Reserve != nil) {
		err = errors.New("no forfeit of everything")
	}
	return err
}
