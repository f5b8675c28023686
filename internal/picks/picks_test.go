package picks

import (
	"sync"
	"testing"
)

// TestEachRecordIsPickedAlike counts the picks of 2^22 blocks of four records. Each has 512 in
// expectation, and a count outside 350 to 700 has a probability below 1e-11.
func TestEachRecordIsPickedAlike(t *testing.T) {
	secret := NewSecret()
	c := secret.Part(3)
	var counts [4]int
	for range 1 << 22 {
		if i, picked := c.pick(len(counts)); picked {
			counts[i]++
		}
	}
	for i, n := range counts {
		if n < 350 || n > 700 {
			t.Errorf("record %d is picked %d times, want nearly 512", i, n)
		}
	}
	if _, picked := c.pick(1 << bits); !picked {
		t.Error("no record of 2^13 is picked, want one")
	}
	if _, picked := c.pick(0); picked {
		t.Error("a record of none is picked")
	}
	seen := map[int]bool{}
	for range 1000 {
		seen[NewSecret().One(3)] = true
	}
	if len(seen) != 3 || !seen[0] || !seen[1] || !seen[2] {
		t.Errorf("of three records %v are taken, want each", seen)
	}
}

// TestLongBlocksArePickedAsOthers picks among more than two times 2^13 records: one of each whole
// part of 2^13, and few of the rest. The rest has 2^12 records, so that 4096 blocks pick 2048 in
// expectation, and fewer than 1500 or more than 2600 with a probability below 1e-60.
func TestLongBlocksArePickedAsOthers(t *testing.T) {
	c, counts := NewSecret().Part(0), [3]int{}
	for range 4096 {
		c.Agree(2<<bits+1<<(bits-1), func(i int) bool {
			counts[i>>bits]++
			return true
		})
	}
	if counts[0] != 4096 || counts[1] != 4096 || counts[2] < 1500 || counts[2] > 2600 {
		t.Errorf("the parts of 4096 blocks have %v picks, want 4096, 4096 and nearly 2048", counts)
	}
	if c.Agree(1<<bits, func(int) bool { return false }) || !c.Agree(0, func(int) bool { return false }) {
		t.Error("a record that does not agree is overlooked, or one is picked of none")
	}
}

// TestPassesAndPartsPickOtherRecords holds that neither two passes nor two parts of one pick the
// same places of 4096 blocks. Two agree with probability 2^-13, and 100 with one below 1e-150.
func TestPassesAndPartsPickOtherRecords(t *testing.T) {
	a, b := NewSecret(), NewSecret()
	one := a.Part(0)
	for name, other := range map[string]Picker{"another pass": b.Part(0), "another part": a.Part(1)} {
		same := 0
		for range 4096 {
			x, _ := one.pick(0)
			if y, _ := other.pick(0); x == y {
				same++
			}
		}
		if same > 100 {
			t.Errorf("%s: %d of 4096 places are the same, want nearly 1", name, same)
		}
	}
}

// TestSecretsAreFresh draws 4000 secrets in four goroutines. Two of them agree in a half with a
// probability below 1e-11.
func TestSecretsAreFresh(t *testing.T) {
	var lock sync.Mutex
	var all sync.WaitGroup
	seen := map[uint64]bool{0: true}
	for range 4 {
		all.Go(func() {
			for range 1000 {
				for _, half := range NewSecret() {
					lock.Lock()
					if seen[half] {
						t.Errorf("a half of a secret is %x for a second time", half)
					}
					seen[half] = true
					lock.Unlock()
				}
			}
		})
	}
	all.Wait()
}
