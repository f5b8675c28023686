//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/chain"
)

// TestClockLocaleAndZoneDecideNothing spends under clocks that jump by ten years, and reads under other locales and
// time zones. The totals are those of a ledger whose clock is right.
func TestClockLocaleAndZoneDecideNothing(t *testing.T) {
	newPayingLedger(t, "3")
	mustInvoke(t, "ledger", "create", "right.ledger", "--data", "randhie", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	t.Cleanup(func() { chain.Clock = time.Now })
	for _, years := range []int{10, -10, 0, -60} {
		count := []string{"query", "count", "--epsilon", "0.1", "--data", "builtin:randhie", "--ledger"}
		chain.Clock = func() time.Time { return time.Now().AddDate(years, 0, 0) }
		mustInvoke(t, append(count, "health.ledger")...)
		chain.Clock = time.Now
		mustInvoke(t, append(count, "right.ledger")...)
	}
	a, right := accountOf(t, "health.ledger"), accountOf(t, "right.ledger")
	if a.Left != right.Left || a.Spent != right.Spent || len(a.Releases) != len(right.Releases) {
		t.Errorf("got %v spent and %v left under clocks that jump, want %v and %v", a.Spent, a.Left, right.Spent, right.Left)
	}
	mustInvoke(t, "ledger", "check", "health.ledger")
	for _, args := range [][]string{{"ledger", "show", "health.ledger", "--json"}, {"ledger", "show", "health.ledger"}, {"ledger", "show", "health.ledger", "--csv"}, {"ledger", "export", "health.ledger"}} {
		want, _ := mustInvoke(t, args...)
		for _, env := range [][]string{{"TZ=Pacific/Kiritimati", "LC_ALL=tr_TR.UTF-8"}, {"TZ=America/Los_Angeles", "LANG=de_DE.UTF-8"}, {"TZ=nowhere", "LC_ALL=C", "LC_NUMERIC=de_DE"}} {
			c := startable(args...)
			c.Env = slices.Concat(c.Env, env)
			if out, err := c.Output(); err != nil || string(out) != want {
				t.Errorf("%q under %q: got %s (%v), want %s", args, env, out, err, want)
			}
		}
	}
}

// TestLedgersThatAreRefused asks for a training and an answer that pay from files which are no sound ledger. Nothing is
// read: the table is not there.
func TestLedgersThatAreRefused(t *testing.T) {
	queryFiles(t)
	mustInvoke(t, "ledger", "create", "people.ledger", "--data", "people", "--epsilon", "5", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3")
	sound := readText(t, "people.ledger")
	newer := []byte(sound)
	for _, at := range []int{0, 4096} { // both heads, with their checksums
		binary.LittleEndian.PutUint32(newer[at+12:], 2)
		sum := sha256.Sum256(newer[at : at+64])
		copy(newer[at+64:], sum[:])
	}
	made := func(name string, err error) {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	made("a link", os.Symlink("people.ledger", "a link"))
	made("a pipe", syscall.Mkfifo("a pipe", 0o600))
	made("a folder", os.Mkdir("a folder", 0o700))
	made("writable", os.WriteFile("writable", []byte(sound), 0o600))
	made("writable", os.Chmod("writable", 0o666))
	made("open", os.MkdirAll("open", 0o700))
	writeText(t, "open/ledger", sound)
	made("open", os.Chmod("open", 0o777))
	writeText(t, "newer", string(newer))
	writeText(t, "cut", sound[:len(sound)-4096])
	writeText(t, "flipped", sound[:9000]+string(sound[9000]^1)+sound[9001:])
	writeText(t, "foreign", strings.Repeat("no ledger\n", 2000))
	writeText(t, "unreadable", sound)
	made("unreadable", os.Chmod("unreadable", 0))
	for name, want := range map[string]string{"a link": "symbolic link", "a pipe": "a pipe", "a folder": "a folder", "writable": "others can write the file", "open/ledger": "others can write the folder",
		"newer": "a newer dither made it", "cut": "it was cut off", "flipped": "dither ledger repair", "foreign": "no ledger of dither", "unreadable": "permission denied", "nowhere": "dither ledger create"} {
		if name == "unreadable" && os.Getuid() == 0 { // who may read everything
			continue
		}
		for _, args := range [][]string{{"train", "--epsilon", "0.1", "--quiet"}, {"query", "count", "--epsilon", "0.1"}} {
			status, stdout, stderr := invoke(append(args, "--data", "absent.csv", "--schema", "people.yaml", "--ledger", name, "--out", "out")...)
			if status == exitDone || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "absent.csv") {
				t.Errorf("%s: %q: got %d, %q and %q, want it refused for %q before a record is read", name, args, status, stdout, stderr, want)
			}
			if left, _ := filepath.Glob("out/*.json"); slices.ContainsFunc(left, func(path string) bool { return filepath.Base(path) != "spent.json" }) {
				t.Errorf("%s: %q: got %q, want nothing made", name, args, left)
			}
		}
	}
	if a := accountOf(t, "people.ledger"); len(a.Releases) != 0 {
		t.Errorf("got %+v, want nothing spent", a)
	}
}
