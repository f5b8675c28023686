package chain

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

const sector = 512

// atoms splits writes that are not on disk into what a disk writes at once. A write that makes the file longer
// may lengthen it without its bytes.
func atoms(c *content) []write {
	var all []write
	size := int64(len(c.durable))
	for _, w := range c.pending {
		if w.bytes == nil {
			all = append(all, w)
			continue
		}
		end := w.at + int64(len(w.bytes))
		if end > size {
			all = append(all, write{at: end - 1, bytes: []byte{0}})
			size = end
		}
		for at := 0; at < len(w.bytes); at += sector {
			all = append(all, write{w.at + int64(at), w.bytes[at:min(at+sector, len(w.bytes))]})
		}
	}
	return all
}

// choices calls do for subsets of n things in orders: all subsets when there are at most 10, in the order that
// was asked for and the reverse; otherwise random subsets in random orders.
func choices(n, most int, random *rand.Rand, do func(chosen []int) bool) {
	if n <= 10 && 2<<n <= most {
		for set := range 1 << n {
			var chosen []int
			for i := range n {
				if set>>i&1 == 1 {
					chosen = append(chosen, i)
				}
			}
			if !do(chosen) {
				return
			}
			slices.Reverse(chosen)
			if len(chosen) > 1 && !do(chosen) {
				return
			}
		}
		return
	}
	for range most {
		chosen := random.Perm(n)[:random.IntN(n+1)]
		if !do(chosen) {
			return
		}
	}
}

// lose calls do for disks that a power failure may leave.
func lose(d *simulated, most int, random *rand.Rand, do func(*simulated) bool) {
	c := d.names[ledger]
	if c == nil {
		for _, other := range d.names { // the ledger under its temporary name
			c = other
		}
	}
	if c == nil {
		c = &content{}
	}
	writes := atoms(c)
	going := true
	seen := map[string]bool{}
	choices(len(writes), most, random, func(chosen []int) bool {
		for _, garbage := range []bool{false, true} {
			b := c.after(writes, chosen, garbage)
			if seen[string(b)] {
				continue
			}
			seen[string(b)] = true
			choices(len(d.changes), most, random, func(named []int) bool {
				left := newSimulated()
				left.durable = maps.Clone(d.durable)
				for _, i := range named {
					apply(left.durable, d.changes[i])
				}
				for name, held := range left.durable {
					left.durable[name] = &content{}
					if held == c {
						left.durable[name] = &content{cached: slices.Clone(b), durable: b}
					}
				}
				left.names = maps.Clone(left.durable)
				going = do(left)
				return going
			})
		}
		return going
	})
}

// after returns a file after some writes. With garbage, bytes that were never written are not zeros.
func (c *content) after(writes []write, chosen []int, garbage bool) []byte {
	b := slices.Clone(c.durable)
	for _, i := range chosen {
		before := len(b)
		b = writes[i].onto(b)
		if garbage && len(b) > before {
			start := min(int(writes[i].at), len(b))
			if start > before {
				copy(b[before:start], bytes.Repeat([]byte{0xa5}, start-before))
			}
		}
	}
	return b
}

// failPower stops the process at every call and then takes the power away. It returns how many different disks
// it tried, and what went wrong first.
func failPower(deaf func(string) bool, most int, check func(history, *simulated) error) (tried int, wrong error) {
	random := rand.New(rand.NewPCG(1, 2))
	clean := newSimulated()
	live(clean)
	for call := range len(clean.log) + 1 {
		d := newSimulated()
		d.deaf = deaf
		d.plan = fault{call: call + 1, kind: "before"}
		h := live(d)
		lose(d, most, random, func(left *simulated) bool {
			tried++
			if err := check(h, left); err != nil {
				wrong = fmt.Errorf("power fails before call %d (%s): %w", call+1, append(clean.log, "end")[call], err)
			}
			return wrong == nil
		})
		if wrong != nil {
			break
		}
	}
	return tried, wrong
}

func survives(h history, left *simulated) error { return h.survives(left, left.names[ledger] != nil) }

// findsDamage returns an error when a bit of the last acknowledged record flips and the record is dropped as if
// nobody had acknowledged it.
func findsDamage(h history, left *simulated) error {
	n := len(h.acknowledged)
	c := left.names[ledger]
	if n < 2 || c == nil {
		return nil
	}
	c.cached[recordsBegin+(n-1)*blockSize+recordHeader] ^= 4
	if found, err := look(left); err == nil {
		return fmt.Errorf("got records %q without an error, want damage found in %q", found, h.acknowledged)
	}
	return nil
}

// mostDisks is how many states of one file are tried at a call: all states of an append.
func mostDisks() int {
	if thorough {
		return 1 << 14
	}
	return 1 << 10
}

// TestPowerFailures holds that no subset and no order of writes that were not on disk loses an acknowledged
// record, or leaves a ledger that needs repair.
func TestPowerFailures(t *testing.T) {
	all := func(string) bool { return false }
	tried, err := failPower(all, mostDisks(), survives)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d disks after power failures, 0 acknowledged records lost, 0 in need of repair", tried)
	if _, err = failPower(all, 64, findsDamage); err != nil {
		t.Error(err)
	}
}

// TestPowerFailuresFindMissingSyncs holds that the test above fails for stores that leave out one kind of sync.
// Without the sync of the head, damage to an acknowledged record passes for a write that never ended.
func TestPowerFailuresFindMissingSyncs(t *testing.T) {
	for _, c := range []struct {
		missing string
		check   func(history, *simulated) error
	}{{"sync new", survives}, {"sync records", survives}, {"sync folder", survives}, {"all", survives}, {"sync head", findsDamage}} {
		_, err := failPower(func(call string) bool { return c.missing == call || c.missing == "all" }, 256, c.check)
		if err == nil {
			t.Errorf("a store without %s survived", c.missing)
		}
		t.Logf("without %s: %v", c.missing, err)
	}
}
