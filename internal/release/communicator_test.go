package release

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// hub carries the messages of ranks in one process. It ends the run when all ranks that are left wait
// for messages that nobody will send.
type hub struct {
	size    int
	mu      sync.Mutex
	moved   sync.Cond
	queues  map[[2]int][][]byte // by sender and receiver
	waiting map[[2]int]bool     // the queues that ranks wait for
	running int
	ended   error
	sent    int
	// fault, if not nil, returns what is put into the queue in place of the message with this number.
	fault func(number int, message []byte) [][]byte
}

func newHub(size int) *hub {
	h := &hub{size: size, running: size, queues: map[[2]int][][]byte{}, waiting: map[[2]int]bool{}}
	h.moved.L = &h.mu
	return h
}

// end is told that a rank returned, with an error or none.
func (h *hub) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	if err != nil && h.ended == nil {
		h.ended = fmt.Errorf("another rank ended: %w", err)
	}
	h.moved.Broadcast()
}

type hubLink struct {
	*hub
	rank int
}

func (l hubLink) Rank() int { return l.rank }
func (l hubLink) Size() int { return l.size }

func (l hubLink) Send(to int, message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	messages := [][]byte{message}
	if l.fault != nil {
		messages = l.fault(l.sent, message)
	}
	l.sent++
	l.queues[[2]int{l.rank, to}] = append(l.queues[[2]int{l.rank, to}], messages...)
	l.moved.Broadcast()
	return nil
}

func (l hubLink) Receive(from int) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := [2]int{from, l.rank}
	l.waiting[key] = true
	defer delete(l.waiting, key)
	for len(l.queues[key]) == 0 {
		if l.ended == nil && l.stuck() {
			l.ended = errors.New("all ranks wait")
			l.moved.Broadcast()
		}
		if l.ended != nil {
			return nil, l.ended
		}
		l.moved.Wait()
	}
	message := l.queues[key][0]
	l.queues[key] = l.queues[key][1:]
	return message, nil
}

// stuck reports whether all ranks that are left wait for messages that are not there.
func (h *hub) stuck() bool {
	for key := range h.waiting {
		if len(h.queues[key]) > 0 {
			return false
		}
	}
	return len(h.waiting) == h.running
}

// onRanks runs a function on each rank, and returns the error of each.
func (h *hub) onRanks(key []byte, run func(rank int, c *Communicator) error) []error {
	errs := make([]error, h.size)
	var all sync.WaitGroup
	for rank := range h.size {
		all.Go(func() {
			c, err := Connect(hubLink{h, rank}, key, []byte("plan"))
			if err == nil {
				err = run(rank, c)
			}
			errs[rank] = err
			h.end(err)
		})
	}
	all.Wait()
	return errs
}

// shares divides records into parts of random sizes, one for each rank.
func shares(r *rand.Rand, x [][]float64, size int) [][][]float64 {
	parts := make([][][]float64, size)
	for _, row := range x {
		k := r.IntN(size)
		parts[k] = append(parts[k], row)
	}
	return parts
}

// sharedSums releases sums over the records of one rank: x times the number of the sum.
func sharedSums(p mechanism.Payer, x [][]float64, dim int, n mechanism.Noise, sampling Sampling, steps int) ([][]float64, error) {
	var out [][]float64
	rows, err := NewRows(len(x), RowsOptions{Dim: dim, Step: 1.0 / (1 << 14)}, func(dst []float64, first, n int) {
		for i := range n {
			copy(dst[i*dim:], x[first+i])
		}
	})
	if err != nil {
		return nil, err
	}
	for step := range steps {
		sample, err := Draw(sampling, len(x))
		if err != nil {
			return nil, err
		}
		s, err := NewSum(sample, rows, SumOptions{Noise: n, Columns: 1, Bound: 1, MaxRecords: 500})
		if err != nil {
			return nil, err
		}
		for _, i := range sample.Indices() {
			if err = s.Add(i, kernel.Contributions{Columns: 1, Coefficients: []float64{0.3 * float64(step+1)}}); err != nil {
				return nil, err
			}
		}
		noisy, err := Release(p, n, s.Seal())
		if err != nil {
			return nil, err
		}
		out = append(out, noisy.Values())
	}
	return out, nil
}

func rowsOfRanks(r *rand.Rand, n, dim int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, dim)
		for j := range x[i] {
			x[i][j] = r.Float64() - 0.5
		}
	}
	return x
}

var testKey = make([]byte, 32)

// TestRanksAddUpToOneProcess wants the same bits of every sum, whatever the number of ranks and
// whichever rank has which records, and a rank may have none.
func TestRanksAddUpToOneProcess(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 26))
	x := rowsOfRanks(r, 300, 7)
	want, err := sharedSums(free{}, x, len(x[0]), mechanism.NonPrivate{}, Full(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 2, 3, 4, 5, 8, 13} {
		parts, paid := shares(r, x, size), make([]purse, size)
		if size > 4 {
			parts[2] = nil
			parts = shares(r, x, size)
			parts[1], parts[2] = append(parts[1], parts[2]...), nil
		}
		out := make([][][]float64, size)
		for rank, err := range newHub(size).onRanks(testKey, func(rank int, c *Communicator) (err error) {
			paid[rank].left = 3
			out[rank], err = sharedSums(c.Payer(&paid[rank]), parts[rank], len(x[0]), mechanism.NonPrivate{}, Full(), 3)
			return err
		}) {
			if err != nil {
				t.Fatalf("%d ranks: rank %d: %v", size, rank, err)
			}
			for step := range want {
				if !slices.Equal(out[rank][step], want[step]) {
					t.Fatalf("%d ranks: rank %d has another sum in step %d than one process", size, rank, step)
				}
			}
			if len(paid[rank].paid) != 3 {
				t.Errorf("%d ranks: rank %d noted %d payments, want 3", size, rank, len(paid[rank].paid))
			}
		}
	}
}

// TestRanksDrawNoiseOnce wants all ranks to have the same noisy numbers, with the noise of one
// release: 4200 numbers have a mean square within 6.5 standard errors of the variance, which fails by
// chance once in 10^9 runs.
func TestRanksDrawNoiseOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 26))
	const dim, steps, size = 700, 6, 4
	x, noise := rowsOfRanks(r, 40, dim), mechanism.Gaussian{NoiseMultiplier: 3}
	parts, out := shares(r, x, size), make([][][]float64, size)
	exact, err := sharedSums(free{}, x, len(x[0]), mechanism.NonPrivate{}, Full(), steps)
	if err != nil {
		t.Fatal(err)
	}
	for rank, err := range newHub(size).onRanks(testKey, func(rank int, c *Communicator) (err error) {
		out[rank], err = sharedSums(c.Payer(free{}), parts[rank], dim, noise, Full(), steps)
		return err
	}) {
		if err != nil {
			t.Fatal(err)
		}
		for step := range out[0] {
			if !slices.Equal(out[rank][step], out[0][step]) {
				t.Fatalf("rank %d has other noisy numbers than the root", rank)
			}
		}
	}
	square := 0.0
	for step := range steps {
		for j, v := range out[0][step] {
			square += (v - exact[step][j]) * (v - exact[step][j])
		}
	}
	n := float64(dim * steps)
	if got := square / n / 9; math.Abs(got-1) > 6.5*math.Sqrt(2/n) {
		t.Errorf("the noise of %d ranks has %v times the variance of one release", size, got)
	}
}

// TestFaultsOfLinksStopTheRun plants one fault in the messages of a run: one is lost, doubled,
// altered, cut, exchanged for an earlier one, or exchanged for the same message of another run. The
// run must not give a root a sum that is not the true one, and no rank a number that the root did not
// release. A message that is doubled after the last one was read is the one fault without effect.
func TestFaultsOfLinksStopTheRun(t *testing.T) {
	const size, steps = 5, 4
	r := rand.New(rand.NewPCG(3, 26))
	x := rowsOfRanks(r, 60, 3)
	parts := shares(r, x, size)
	want, err := sharedSums(free{}, x, len(x[0]), mechanism.NonPrivate{}, Full(), steps)
	if err != nil {
		t.Fatal(err)
	}
	var messages [][]byte // of a run without a fault, under the same key
	run := func(fault func(number int, message []byte) [][]byte) (stopped, wrong bool, sent int) {
		h, out := newHub(size), make([][][]float64, size)
		h.fault = fault
		for rank, err := range h.onRanks(testKey, func(rank int, c *Communicator) (err error) {
			out[rank], err = sharedSums(c.Payer(free{}), parts[rank], len(x[0]), mechanism.NonPrivate{}, Full(), steps)
			return err
		}) {
			stopped = stopped || err != nil
			for step := range out[rank] {
				wrong = wrong || !slices.Equal(out[rank][step], want[step])
			}
		}
		return stopped, wrong, h.sent
	}
	stopped, wrong, all := run(func(_ int, m []byte) [][]byte {
		messages = append(messages, m)
		return [][]byte{m}
	})
	if stopped || wrong {
		t.Fatal("a run without a fault stopped or has other sums")
	}
	kinds := map[string]func(m []byte, earlier [][]byte) [][]byte{
		"lost":    func([]byte, [][]byte) [][]byte { return nil },
		"doubled": func(m []byte, _ [][]byte) [][]byte { return [][]byte{m, slices.Clone(m)} },
		"altered": func(m []byte, _ [][]byte) [][]byte {
			m = slices.Clone(m)
			m[r.IntN(len(m))] ^= 1 << r.IntN(8)
			return [][]byte{m}
		},
		"cut":     func(m []byte, _ [][]byte) [][]byte { return [][]byte{m[:r.IntN(len(m))]} },
		"earlier": func(_ []byte, earlier [][]byte) [][]byte { return [][]byte{earlier[r.IntN(len(earlier))]} },
	}
	for _, name := range []string{"lost", "doubled", "altered", "cut", "earlier"} {
		quiet, planted := 0, trials(60, 1000)
		for range planted {
			at, earlier := r.IntN(all), [][]byte(nil)
			stopped, wrong, _ := run(func(number int, m []byte) [][]byte {
				if number == at && (name != "earlier" || len(earlier) > 0) {
					return kinds[name](m, earlier)
				}
				earlier = append(earlier, m)
				return [][]byte{m}
			})
			if wrong {
				t.Fatalf("a message that was %s changed a released number", name)
			}
			if !stopped {
				quiet++
			}
		}
		// Of all messages, 2·(size-1) are the last of their sender and receiver, and a copy of them is
		// never read. The first message of all has no earlier one.
		if most := planted; name != "doubled" && name != "earlier" && quiet > 0 || quiet >= most {
			t.Errorf("%d of %d messages that were %s did not stop the run", quiet, planted, name)
		}
	}
	for range trials(60, 1000) { // a stale run under the same key and plan is a run of the same key
		at := r.IntN(all)
		_, wrong, _ := run(func(number int, m []byte) [][]byte {
			if number == at {
				return [][]byte{messages[r.IntN(len(messages))]}
			}
			return [][]byte{m}
		})
		if wrong {
			t.Fatal("a message of another run changed a released number")
		}
	}
}

// TestRanksThatDisagreeAreRefused gives ranks other keys, plans, noise, bounds and orders of releases.
func TestRanksThatDisagreeAreRefused(t *testing.T) {
	other := slices.Clone(testKey)
	other[0] = 1
	half, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(odd bool, l Link) error{
		"key": func(odd bool, l Link) error {
			_, err := Connect(l, map[bool][]byte{false: testKey, true: other}[odd], nil)
			return err
		},
		"plan": func(odd bool, l Link) error {
			_, err := Connect(l, testKey, fmt.Append(nil, odd))
			return err
		},
		"noise": func(odd bool, l Link) error {
			return sharedRun(l, mechanism.Gaussian{NoiseMultiplier: map[bool]float64{false: 2, true: 3}[odd]}, Full(), 2)
		},
		"sampling": func(odd bool, l Link) error {
			return sharedRun(l, mechanism.NonPrivate{}, map[bool]Sampling{false: half, true: Full()}[odd], 2)
		},
		"dimension": func(odd bool, l Link) error {
			return sharedRun(l, mechanism.NonPrivate{}, Full(), map[bool]int{false: 2, true: 3}[odd])
		},
	} {
		for odd := range 3 {
			h, errs := newHub(3), make([]error, 3)
			var all sync.WaitGroup
			for rank := range 3 {
				all.Go(func() {
					errs[rank] = run(rank == odd, hubLink{h, rank})
					h.end(errs[rank])
				})
			}
			all.Wait()
			if errs[0] == nil {
				t.Errorf("rank %d has another %s, and the root released", odd, name)
			}
		}
	}
}

func sharedRun(l Link, n mechanism.Noise, s Sampling, dim int) error {
	c, err := Connect(l, testKey, nil)
	if err == nil {
		_, err = sharedSums(c.Payer(free{}), [][]float64{make([]float64, dim)}, dim, n, s, 1)
	}
	return err
}

// TestRecordsOfAllRanksAreCounted wants a release over more records than were declared to be an error,
// even where no rank alone has too many.
func TestRecordsOfAllRanksAreCounted(t *testing.T) {
	x := rowsOfRanks(rand.New(rand.NewPCG(4, 26)), 501, 2)
	for _, n := range []int{500, 501} {
		errs := newHub(2).onRanks(testKey, func(rank int, c *Communicator) error {
			part := x[:n-250]
			if rank == 1 {
				part = x[n-250 : n]
			}
			_, err := sharedSums(c.Payer(free{}), part, 2, mechanism.NonPrivate{}, Full(), 1)
			return err
		})
		if (errs[0] == nil) != (n == 500) {
			t.Errorf("%d of at most 500 records over two ranks: %v", n, errs[0])
		}
	}
}

// TestSharedReleasesAreRefused wants an error where several processes have no proof, and nothing
// after an error.
func TestSharedReleasesAreRefused(t *testing.T) {
	fixed, err := FixedSize(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	upTo, err := PoissonUpTo(0.5, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Sampling{fixed, upTo} {
		newHub(1).onRanks(testKey, func(_ int, c *Communicator) error {
			p := c.Payer(free{})
			if _, err := sharedSums(p, [][]float64{{1}, {1}}, 1, mechanism.NonPrivate{}, s, 1); err == nil {
				t.Errorf("a sum over %v was released by several processes", s)
			}
			if _, err := sharedSums(p, [][]float64{{1}}, 1, mechanism.NonPrivate{}, Full(), 1); err == nil {
				t.Error("a sum was released after an error")
			}
			if p.Pay(mechanism.Gaussian{NoiseMultiplier: 1}) == nil {
				t.Error("a payment without a shared sum was made")
			}
			return nil
		})
	}
	divided := func(c *Communicator) error {
		sample, err := Draw(Full(), 4)
		if err != nil {
			return err
		}
		groups, _, err := sample.Divide(2)
		if err != nil {
			return err
		}
		s, err := NewVectorSum(groups, VectorOptions{Noise: mechanism.NonPrivate{}, Norm: L2(), Dim: 1, Bound: 1, MaxRecords: 4})
		if err != nil {
			return err
		}
		_, err = Release(c.Payer(free{}), mechanism.NonPrivate{}, s.Seal())
		return err
	}
	newHub(1).onRanks(testKey, func(_ int, c *Communicator) error {
		if divided(c) == nil {
			t.Error("a sum over groups was released by several processes")
		}
		return nil
	})
	newHub(1).onRanks(testKey, func(_ int, c *Communicator) error {
		computed := sealedSum(t, mechanism.NonPrivate{}) // as minimizers and projections are: no sum over records
		computed.state.adds = false
		if _, err := Release(c.Payer(free{}), mechanism.NonPrivate{}, computed); err == nil {
			t.Error("numbers that are no sum over records were added up by several processes")
		}
		return nil
	})
	if _, err := Connect(hubLink{newHub(1), 0}, []byte("short"), nil); err == nil {
		t.Error("a short key was taken")
	}
	if _, err := Connect(hubLink{newHub(1), 1}, testKey, nil); err == nil {
		t.Error("rank 1 of 1 was taken")
	}
}
