package release

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// drawnOn returns the records that ranks with these numbers of records drew, counted over all ranks.
func drawnOn(sampling Sampling, records []int) ([]int, error) {
	parts, all, first := make([][]int, len(records)), []int(nil), 0
	for rank, err := range newHub(len(records)).onRanks(testKey, func(rank int, c *Communicator) error {
		s, err := DrawFor(c.Payer(free{}), sampling, records[rank])
		parts[rank] = s.Indices()
		return err
	}) {
		if err != nil {
			return nil, err
		}
		for _, i := range parts[rank] {
			if i >= records[rank] {
				return nil, fmt.Errorf("rank %d of %v has record %d", rank, records, i)
			}
			all = append(all, first+i)
		}
		first += records[rank]
	}
	return all, nil
}

// TestRanksDrawBatchesTogether wants every batch to be as likely as from one process: of a fixed size,
// with and without places of no record, and of a largest size. Each distribution is compared by a
// chi-square statistic with its exact law. The bound is 7 standard deviations above the mean and more
// than the chi-square quantile of 1e-8 for these degrees of freedom.
func TestRanksDrawBatchesTogether(t *testing.T) {
	fixed, err := FixedSize(6, 2)
	if err != nil {
		t.Fatal(err)
	}
	upTo, err := PoissonUpTo(0.5, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		sampling Sampling
		records  []int
		law      func(set int) float64 // the probability of the records with these bits
	}{
		"fixed size": {fixed, []int{1, 2, 0, 3}, func(set int) float64 {
			if ones(set) != 2 {
				return 0
			}
			return 1.0 / 15
		}},
		"fixed size with a place of no record": {fixed, []int{2, 1, 1, 0, 1}, func(set int) float64 {
			return map[int]float64{1: 1.0 / 15, 2: 1.0 / 15}[ones(set)]
		}},
		"largest size": {upTo, []int{1, 0, 2, 2}, func(set int) float64 { // a set of two is what is left of the larger ones
			if ones(set) == 2 {
				larger := 0.0
				for size, supersets := 2, []float64{1, 3, 3, 1}; size <= 5; size++ {
					larger += supersets[size-2] / float64(size*(size-1)/2)
				}
				return larger / 32
			}
			return map[int]float64{0: 1.0 / 32, 1: 1.0 / 32}[ones(set)]
		}},
	} {
		draws := trials(4000, 40000)
		counts, total, places := map[int]int{}, 0.0, 0
		for _, n := range c.records {
			places += n
		}
		for range draws {
			drawn, err := drawnOn(c.sampling, c.records)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			set := 0
			for _, i := range drawn {
				set |= 1 << i
			}
			if c.law(set) == 0 || ones(set) != len(drawn) {
				t.Fatalf("%s: records %v were drawn", name, drawn)
			}
			counts[set]++
		}
		chi, freedom := 0.0, -1.0
		for set := range 1 << places {
			if expected := c.law(set) * float64(draws); expected > 0 {
				total += c.law(set)
				chi += (float64(counts[set]) - expected) * (float64(counts[set]) - expected) / expected
				freedom++
			}
		}
		if math.Abs(total-1) > 1e-12 {
			t.Fatalf("%s: the law adds up to %v", name, total)
		}
		if most := freedom + 7*math.Sqrt(2*freedom) + 30; chi > most {
			t.Errorf("%s: chi-square is %v with %v degrees of freedom, want at most %v", name, chi, freedom, most)
		}
	}
}

func ones(set int) (n int) {
	for ; set != 0; set &= set - 1 {
		n++
	}
	return n
}

// drawnSums releases sums over batches that all ranks draw. All records are the same row, so a sum
// shows how many records are in it.
func drawnSums(p mechanism.Payer, records, steps int, sampling Sampling) ([]float64, error) {
	rows, err := NewRows(records, RowsOptions{Dim: 1, Step: 0.25}, func(dst []float64, _, n int) {
		for i := range n {
			dst[i] = 0.5
		}
	})
	var out []float64
	for step := 0; step < steps && err == nil; step++ {
		var drawn Sample
		if drawn, err = DrawFor(p, sampling, records); err != nil {
			break
		}
		var sealed Bounded
		if sealed, err = sealedHalves(drawn, rows, 100); err != nil {
			break
		}
		var noisy Noisy
		if noisy, err = Release(p, mechanism.NonPrivate{}, sealed); err == nil {
			out = append(out, noisy.Values()...)
		}
	}
	return out, err
}

// sealedHalves returns the sum of the rows of a sample.
func sealedHalves(drawn Sample, rows *Rows, maxRecords int) (Bounded, error) {
	s, err := NewSum(drawn, rows, SumOptions{Noise: mechanism.NonPrivate{}, Columns: 1, Bound: 1, MaxRecords: maxRecords})
	if err != nil {
		return Bounded{}, err
	}
	for _, i := range drawn.Indices() {
		if err := s.Add(i, kernel.Contributions{Columns: 1, Coefficients: []float64{1}}); err != nil {
			return Bounded{}, err
		}
	}
	return s.Seal(), nil
}

// releaseHalves releases the sum of the rows of a sample.
func releaseHalves(p mechanism.Payer, s Sample, rows *Rows) error {
	sealed, err := sealedHalves(s, rows, 8)
	if err == nil {
		_, err = Release(p, mechanism.NonPrivate{}, sealed)
	}
	return err
}

// TestFaultsOfLinksDoNotChangeBatches plants a fault in one message of a run that draws batches, as
// TestFaultsOfLinksStopTheRun does, and exchanges messages of two ranks. The sum of every released
// batch must be the sum of as many records as were asked for.
func TestFaultsOfLinksDoNotChangeBatches(t *testing.T) {
	sampling, err := FixedSize(40, 15)
	if err != nil {
		t.Fatal(err)
	}
	records, r := []int{9, 3, 11, 0, 17}, rand.New(rand.NewPCG(7, 26))
	var messages [][]byte
	run := func(at int, fault func(m []byte) [][]byte) (stopped bool, sent int) {
		h, out := newHub(len(records)), make([][]float64, len(records))
		messages = nil // those of another run have another key
		h.fault = func(number int, m []byte) [][]byte {
			messages = append(messages, m)
			if number == at {
				return fault(m)
			}
			return [][]byte{m}
		}
		for rank, err := range h.onRanks(testKey, func(rank int, c *Communicator) (err error) {
			out[rank], err = drawnSums(c.Payer(free{}), records[rank], 3, sampling)
			return err
		}) {
			stopped = stopped || err != nil
			for _, sum := range out[rank] {
				if sum != 7.5 {
					t.Fatalf("a batch of 15 records has the sum %v, want 7.5", sum)
				}
			}
		}
		return stopped, h.sent
	}
	stopped, all := run(-1, nil)
	if stopped {
		t.Fatal("a run without a fault stopped")
	}
	lengths := map[int]bool{}
	for _, m := range messages {
		lengths[len(m)] = true
	}
	if len(lengths) > 5 { // counts, batches, a sum up and down, and the first words
		t.Errorf("messages have %d lengths, want lengths that tell nothing about a batch", len(lengths))
	}
	for name, fault := range map[string]func(m []byte) [][]byte{
		"lost": func([]byte) [][]byte { return nil },
		"altered": func(m []byte) [][]byte {
			m = slices.Clone(m)
			m[r.IntN(len(m))] ^= 1 << r.IntN(8)
			return [][]byte{m}
		},
		"cut":       func(m []byte) [][]byte { return [][]byte{m[:r.IntN(len(m))]} },
		"exchanged": func([]byte) [][]byte { return [][]byte{messages[r.IntN(len(messages))]} }, // often for itself
	} {
		for range trials(60, 1000) {
			if stopped, _ := run(r.IntN(all), fault); !stopped && name != "exchanged" {
				t.Errorf("a message that was %s did not stop the run", name)
			}
		}
	}
}

// TestSharedBatchesAreForTheirRun wants an error when a part of a shared batch is released by one
// process, by another run, twice, or divided into groups, when a batch was drawn by one process, and
// when ranks release two batches in another order.
func TestSharedBatchesAreForTheirRun(t *testing.T) {
	sampling, err := FixedSize(8, 2)
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := made(t, [][]float64{{0.5}, {0.5}, {0.5}, {0.5}}, 0.25)
	release := func(p mechanism.Payer, s Sample) error { return releaseHalves(p, s, rows) }
	for name, run := range map[string]func(c, other *Communicator) error{
		"one process": func(c, _ *Communicator) error {
			s, err := DrawFor(c.Payer(free{}), sampling, 4)
			if err != nil {
				t.Error(err)
			}
			return release(free{}, s)
		},
		"another run": func(c, other *Communicator) error {
			s, err := DrawFor(c.Payer(free{}), sampling, 4)
			if err != nil {
				t.Error(err)
			}
			return release(other.Payer(free{}), s)
		},
		"a second release": func(c, _ *Communicator) error {
			s, err := DrawFor(c.Payer(free{}), sampling, 4)
			if err == nil {
				err = release(c.Payer(free{}), s)
			}
			if err != nil {
				t.Error(err)
			}
			return release(c.Payer(free{}), s)
		},
		"groups": func(c, _ *Communicator) error {
			s, err := DrawFor(c.Payer(free{}), sampling, 4)
			if err != nil {
				t.Error(err)
			}
			groups, _, err := s.Divide(2)
			if err != nil {
				t.Error(err)
			}
			v, err := NewVectorSum(groups, VectorOptions{Noise: mechanism.NonPrivate{}, Norm: L2(), Dim: 1, Bound: 1, MaxRecords: 8})
			if err != nil {
				t.Error(err)
			}
			_, err = Release(free{}, mechanism.NonPrivate{}, v.Seal())
			return err
		},
		"a batch of one process": func(c, _ *Communicator) error {
			own, err := FixedSize(4, 2)
			if err != nil {
				t.Error(err)
			}
			s, err := Draw(own, 4)
			if err != nil {
				t.Error(err)
			}
			return release(c.Payer(free{}), s)
		},
		"too many records": func(c, _ *Communicator) error {
			_, err := DrawFor(c.Payer(free{}), sampling, 9)
			return err
		},
		"fewer than no records": func(c, _ *Communicator) error {
			_, err := DrawFor(c.Payer(free{}), sampling, -1)
			return err
		},
	} {
		other, err := Connect(hubLink{newHub(1), 0}, testKey, nil)
		if err != nil {
			t.Fatal(err)
		}
		newHub(1).onRanks(testKey, func(_ int, c *Communicator) error {
			if run(c, other) == nil {
				t.Errorf("%s: no error", name)
			}
			return nil
		})
	}
	for rank, err := range newHub(2).onRanks(testKey, func(rank int, c *Communicator) error {
		p := c.Payer(free{})
		first, err := DrawFor(p, sampling, 4)
		if err != nil {
			return err
		}
		second, err := DrawFor(p, sampling, 4)
		if err != nil {
			return err
		}
		if rank == 1 {
			first = second
		}
		return release(p, first)
	}) {
		if err == nil {
			t.Errorf("rank %d released a batch that the other rank did not", rank)
		}
	}
}

// TestOneTapeGivesTheSameSums divides the records of one tape among 1, 2, 3, 4 and 8 ranks. The tape
// has the numbers that select records: Poisson samples, the parts of a partition, and batches of a
// fixed size. Every rank must have the bits of every sum that one rank has.
func TestOneTapeGivesTheSameSums(t *testing.T) {
	const records, dim, steps, parts, batch = 200, 5, 6, 3, 40
	r := rand.New(rand.NewPCG(8, 26))
	x := rowsOfRanks(r, records, dim)
	tape := make([][]uint64, steps)
	for step := range tape {
		for range records {
			tape[step] = append(tape[step], r.Uint64())
		}
	}
	half, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	partition, err := Partitioned(parts)
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := FixedSize(records, batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, sampling := range []Sampling{half, partition, fixed} {
		var want [][]float64
		for _, size := range []int{1, 2, 3, 4, 8} {
			places := make([][]int, size) // the records of each rank
			for i := range records {
				rank := r.IntN(size)
				places[rank] = append(places[rank], i)
			}
			out := make([][][]float64, size)
			for rank, err := range newHub(size).onRanks(testKey, func(rank int, c *Communicator) error {
				own := make([][]float64, len(places[rank]))
				for k, i := range places[rank] {
					own[k] = x[i]
				}
				round := &rounds{parts: parts}
				draw := func(step int) Sample {
					d := &drawn{sampling: sampling, records: len(own), once: true}
					switch sampling {
					case partition:
						d.once, d.part, d.round = false, step%parts, round
					case fixed:
						d.by = c
					}
					d.take(onTape(tape, sampling, step, places[rank], batch, parts))
					return Sample{d}
				}
				var err error
				out[rank], err = sumsOf(c.Payer(free{}), own, dim, steps, draw)
				return err
			}) {
				if err != nil {
					t.Fatalf("%v, %d ranks: %v", sampling, size, err)
				}
				if want == nil {
					want = out[0]
				}
				for step := range want {
					if !slices.Equal(out[rank][step], want[step]) {
						t.Fatalf("%v: rank %d of %d has another sum in step %d than one rank", sampling, rank, size, step)
					}
				}
			}
		}
	}
}

// onTape returns which of these records, by their places among them, the tape selects for a step.
func onTape(tape [][]uint64, sampling Sampling, step int, places []int, batch, parts int) []int {
	words, taken := tape[step], []int{}
	last := slices.Sorted(slices.Values(words))[batch-1]
	for k, i := range places {
		var in bool
		switch sampling.kind {
		case samplingPoisson:
			in = words[i]>>63 == 0
		case samplingPartition:
			in = int(tape[0][i]%uint64(parts)) == step%parts
		default:
			in = words[i] <= last
		}
		if in {
			taken = append(taken, k)
		}
	}
	return taken
}

// sumsOf releases a sum over the sample of each step.
func sumsOf(p mechanism.Payer, x [][]float64, dim, steps int, draw func(step int) Sample) (out [][]float64, err error) {
	rows, err := NewRows(len(x), RowsOptions{Dim: dim, Step: 1.0 / (1 << 14)}, func(dst []float64, first, n int) {
		for i := range n {
			copy(dst[i*dim:], x[first+i])
		}
	})
	for step := 0; step < steps && err == nil; step++ {
		drawn := draw(step)
		var s *Sum
		if s, err = NewSum(drawn, rows, SumOptions{Noise: mechanism.NonPrivate{}, Columns: 1, Bound: 1, MaxRecords: 500}); err != nil {
			return nil, err
		}
		for _, i := range drawn.Indices() {
			if err = s.Add(i, kernel.Contributions{Columns: 1, Coefficients: []float64{math.Sin(float64(step)) * x[i][0]}}); err != nil {
				return nil, err
			}
		}
		var noisy Noisy
		if noisy, err = Release(p, mechanism.NonPrivate{}, s.Seal()); err == nil {
			out = append(out, noisy.Values())
		}
	}
	return out, err
}

// TestRanksRefuseBeforeTheySend lets rank 1 use a sample again, and a part of a partition that it
// released alone. The root must not release a sum with them.
func TestRanksRefuseBeforeTheySend(t *testing.T) {
	half, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Partitioned(2)
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := made(t, [][]float64{{0.5}, {0.5}, {0.5}, {0.5}}, 0.25)
	release := func(p mechanism.Payer, s Sample) error { return releaseHalves(p, s, rows) }
	for name, run := range map[string]func(rank int, p mechanism.Payer) (first, second error){
		"a sample that was released": func(rank int, p mechanism.Payer) (first, second error) {
			s, err := Draw(half, 4)
			if err == nil {
				first = release(p, s)
			}
			if rank == 0 {
				s, err = Draw(half, 4)
			}
			return errors.Join(err, first), release(p, s)
		},
		"a part that was released alone": func(rank int, p mechanism.Payer) (first, second error) {
			parts, err := DrawParts(two, 4)
			if err == nil {
				first = release(p, parts[0])
			}
			if rank == 1 && first == nil {
				first = release(free{}, parts[1])
			}
			return errors.Join(err, first), release(p, parts[1])
		},
	} {
		for rank, err := range newHub(2).onRanks(testKey, func(rank int, c *Communicator) error {
			first, second := run(rank, c.Payer(free{}))
			if first != nil {
				t.Errorf("%s: %v", name, first)
			}
			return second
		}) {
			if err == nil {
				t.Errorf("%s: rank %d released it again", name, rank)
			}
		}
	}
}
