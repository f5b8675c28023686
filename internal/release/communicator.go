package release

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// Link carries messages between the processes of one run. The processes are its ranks, from 0 to
// Size-1, and rank 0 is the root. Messages between two ranks arrive in order. A link is not trusted:
// a message that it loses, doubles, alters or invents ends the run.
type Link interface {
	Rank() int
	Size() int
	Send(to int, message []byte) error
	Receive(from int) ([]byte, error)
}

// Communicator is what the ranks of one run release their sums with, together. Each rank holds other
// records, and makes the same releases in the same order. The sum of a release is the sum over all
// ranks. The root pays for it and draws its noise, and all ranks receive the same noisy numbers.
//
// A sum travels along a binomial tree to the root, encrypted and authenticated by AES-GCM. The
// authenticated data name the rank, the number of the release, what is summed, and everything that
// was released before. So a rank that takes part in another step, plan or history is refused, like a
// message that comes a second time.
//
// Claim: the root's total is the sum of one sum from each rank, and each was verified where it was
// made. A record is at one rank, so it changes the total by at most its bound. Ranks draw Poisson
// samples and partitions independently for each record. DrawFor draws batches of a fixed or of a
// largest size at the root. So a sample of all ranks has the distribution that the root pays for.
// Lemma 24 of docs/release-parts.md has the proof.
type Communicator struct {
	link Link
	seal cipher.AEAD

	mu     sync.Mutex
	count  uint64            // of releases and draws
	past   [sha256.Size]byte // of the plan, and of all that was released
	failed error             // after it nothing is released any more
}

// Connect returns the communicator of a rank. It returns after all ranks have shown that they hold
// the same key and the same plan. The plan is text of any length that determines what the ranks will
// release. The key has 32 bytes and must be new for each run. A link that knows the key can forge
// messages.
func Connect(l Link, key, plan []byte) (*Communicator, error) {
	block, err := aes.NewCipher(key)
	if err != nil || len(key) != 32 || l.Rank() < 0 || l.Rank() >= l.Size() {
		return nil, fmt.Errorf("release: rank is %d of %d with a key of %d bytes, want a rank below their number and 32 bytes", l.Rank(), l.Size(), len(key))
	}
	c := &Communicator{link: l, past: sha256.Sum256(fmt.Appendf(nil, "%d ranks: %s", l.Size(), plan))}
	if c.seal, err = cipher.NewGCMWithRandomNonce(block); err != nil {
		return nil, err
	}
	if _, err = c.gather(nil); err == nil { // no sums, from each rank
		err = c.spread(nil)
	}
	return c, err
}

// Payer returns what pays for the releases of this rank. Release accepts it for sums of all records,
// of Poisson samples, of partitions, and of samples of DrawFor. Every other release is an error. At
// the root p pays. At other ranks p only notes the same events, and no noise is drawn there.
func (c *Communicator) Payer(p mechanism.Payer) mechanism.Payer { return sharedPayer{c, p} }

type sharedPayer struct {
	*Communicator
	own mechanism.Payer
}

// Pay refuses the releases that are not made by all ranks together.
func (p sharedPayer) Pay(e mechanism.Event) error {
	return fmt.Errorf("release: %v is asked for by several processes, want one process; several sum over all records, over Poisson samples or over the parts of a partition", e)
}

// release is the function release for sums that all ranks add up. After an error nothing is released
// any more, because other ranks may be at another release by then.
func (p sharedPayer) release(sums []*bounded, pay func(mechanism.Payer) error) (released []Noisy, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil {
		return nil, p.failed
	}
	defer func() { p.failed = err }()
	for _, s := range sums {
		if d := s.sample.drawn; !s.adds || d.whole != nil || d.sampling.limited() != (d.by == p.Communicator) {
			return nil, fmt.Errorf("release: a sum over %v is shared by several processes, want one over all records, a Poisson sample, a part of a partition, or what DrawFor drew for this payer", d.sampling)
		}
	}
	root := p.link.Rank() == 0
	if !root { // a sum that this rank refuses does not leave it
		if err = pay(rankPayer{p.own}); err != nil {
			return nil, err
		}
	}
	totals, err := p.gather(sums)
	if err != nil {
		return nil, err
	}
	if root {
		if err = pay(rankPayer{p.own}); err != nil {
			return nil, err
		}
		if released, err = drawAll(totals); err != nil {
			return nil, err
		}
	}
	var numbers []any
	for i, s := range sums {
		if i >= len(released) {
			released = append(released, Noisy{make([]float64, len(s.values))})
		}
		numbers = append(numbers, released[i].values)
	}
	if err = p.spread(sums, numbers...); err != nil {
		return nil, err
	}
	return released, nil
}

// rankPayer pays for sums that all ranks have added up.
type rankPayer struct{ mechanism.Payer }

// limited reports whether the size of a sample is fixed or has a largest value. Its records are not
// selected independently then.
func (s Sampling) limited() bool { return s.kind == samplingFixedSize || s.kind == samplingTruncated }

// DrawFor is Draw for a release with this payer. If several processes release the sample together,
// the root draws batches of a fixed or of a largest size among the records of all ranks. The result
// is then the part of this rank. All ranks must call DrawFor between the same releases. They may have
// fewer records than a FixedSize has. A batch then has places of no record, like records that the
// schema drops.
func DrawFor(p mechanism.Payer, s Sampling, records int) (Sample, error) {
	c, several := p.(sharedPayer)
	if !several || !s.limited() || records < 0 {
		return Draw(s, records)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return Sample{}, c.failed
	}
	d := &drawn{sampling: s, records: records, once: true, by: c.Communicator, part: int(c.count)}
	if c.failed = c.drawTogether(d); c.failed != nil {
		return Sample{}, c.failed
	}
	return Sample{d}, nil
}

// drawTogether gives a sample its records. The root learns how many candidates each rank has, and
// draws places among all candidates. It tells all ranks the place of each rank's first candidate, and
// the places that it drew.
func (c *Communicator) drawTogether(d *drawn) error {
	s, rank, size, records, coins := d.sampling, c.link.Rank(), c.link.Size(), d.records, []int(nil)
	if s.kind == samplingTruncated {
		coins = sample.NewStream().Poisson(nil, records, threshold(s.probability))
		records = len(coins)
	}
	counts := &bounded{sample: Sample{d}, grid: grid{maxRecords: s.records}, values: make([]int64, size)}
	counts.values[rank] = int64(records)
	totals, err := c.gather([]*bounded{counts})
	if err != nil {
		return err
	}
	numbers := make([]int64, size+min(s.records, s.batch)) // the place of each rank's first candidate, and the places
	if rank == 0 {
		all := 0
		for k, n := range totals[0].values {
			numbers[k], all = int64(all), all+int(n)
		}
		if s.kind == samplingFixedSize {
			all = s.records
		}
		places := sample.NewStream().Subset(all, min(all, s.batch))
		for k := range numbers[size:] {
			numbers[size+k] = -1 // fills up, so that lengths tell nothing
			if k < len(places) {
				numbers[size+k] = int64(places[k])
			}
		}
	}
	if err = c.spread([]*bounded{counts}, numbers); err != nil {
		return err
	}
	taken := []int{}
	for _, place := range numbers[size:] {
		if i := int(place - numbers[rank]); place >= 0 && i >= 0 && i < records {
			taken = append(taken, i)
		}
	}
	if coins != nil {
		taken = entriesAt(coins, taken)
	}
	d.take(taken)
	return nil
}

// bind returns the authenticated data of a message in this release. What a rank sends up begins with
// its number, and the answer of the root with -1.
func (c *Communicator) bind(from int, sums []*bounded) []byte {
	text := fmt.Appendf(nil, "%d: release %d after %x", from, c.count, c.past)
	for _, s := range sums {
		text = fmt.Appendf(text, "; %v, part %d: %v, %+v, unit %x, %d numbers", s.sample.drawn.sampling, s.sample.drawn.part, s.grid.noise, s.grid, s.unit, len(s.values))
	}
	return text
}

// answer stands for the root in the authenticated data of its answer.
const answer = -1

// gather returns the sums of this rank and of all ranks below it in the tree, and sends them to the
// rank above. At the root they are the totals.
func (c *Communicator) gather(sums []*bounded) ([]*bounded, error) {
	rank, records := c.link.Rank(), uint64(0)
	totals := make([]*bounded, len(sums))
	for i, s := range sums {
		total := *s
		total.values, records = slices.Clone(s.values), uint64(s.sample.drawn.records)
		totals[i] = &total
	}
	for from := range c.below() {
		text, err := c.open(from, from, sums)
		if err != nil {
			return nil, err
		}
		records += addText(totals, text)
	}
	for _, t := range totals { // sums of at most maxRecords records stay below 2^60
		if records > uint64(t.grid.maxRecords) {
			return nil, fmt.Errorf("release: the ranks hold more records than max records %d; raise the declared bound", t.grid.maxRecords)
		}
	}
	if rank == 0 {
		return totals, nil
	}
	text := binary.BigEndian.AppendUint64(nil, records)
	for _, s := range totals {
		text, _ = binary.Append(text, binary.BigEndian, s.values)
	}
	return totals, c.link.Send(above(rank), c.seal.Seal(nil, nil, text, c.bind(rank, sums)))
}

// addText adds the sums in the text of a message to totals, and returns their number of records.
func addText(totals []*bounded, text []byte) (records uint64) {
	records, text = binary.BigEndian.Uint64(text), text[8:]
	for _, t := range totals {
		for j := range t.values {
			t.values[j] += int64(binary.BigEndian.Uint64(text[8*j:]))
		}
		text = text[8*len(t.values):]
	}
	return records
}

// spread sends the numbers of the root down the tree, and writes them to the numbers of other ranks.
func (c *Communicator) spread(sums []*bounded, numbers ...any) (err error) {
	var text []byte
	if rank := c.link.Rank(); rank != 0 {
		if text, err = c.open(above(rank), answer, sums); err != nil {
			return err
		}
	}
	read := 0
	for _, n := range numbers {
		if c.link.Rank() == 0 {
			text, err = binary.Append(text, binary.BigEndian, n)
		} else {
			var size int
			size, err = binary.Decode(text[read:], binary.BigEndian, n)
			read += size
		}
		if err != nil {
			return err
		}
	}
	bound := c.bind(answer, sums)
	for to := range c.below() {
		if err = c.link.Send(to, c.seal.Seal(nil, nil, text, bound)); err != nil {
			return err
		}
	}
	c.count++
	c.past = sha256.Sum256(append(bound, text...))
	return nil
}

// open returns the text of the next message of a rank, which must be bound to this name.
func (c *Communicator) open(from, name int, sums []*bounded) ([]byte, error) {
	message, err := c.link.Receive(from)
	if err != nil {
		return nil, err
	}
	text, err := c.seal.Open(nil, nil, message, c.bind(name, sums))
	if err != nil {
		err = fmt.Errorf("release: rank %d received from rank %d what is no message of this key, plan and step; the ranks were started with different keys, flags, schemas or programs, or the transport lost, doubled or altered a message", c.link.Rank(), from)
	}
	return text, err
}

// above returns the rank to which a rank sends its sums: the number without its lowest bit.
func above(rank int) int { return rank & (rank - 1) }

// below yields the ranks that send their sums to this rank.
func (c *Communicator) below() iter.Seq[int] {
	return func(yield func(int) bool) {
		rank := c.link.Rank()
		for bit := 1; rank&bit == 0 && rank|bit < c.link.Size() && yield(rank|bit); bit <<= 1 {
		}
	}
}
