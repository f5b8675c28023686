//go:build mpi && cgo && unix

package ranks

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ditherml/dither/internal/failure"
)

const (
	// pieceLength is the length of the longest piece of a message. MPI counts bytes with 31 bits.
	pieceLength = 1 << 28
	// ackAfter is how much a rank takes before it says so. A sender waits for room only while more
	// than that is on its way, so that it never waits for what was taken.
	ackAfter = Window / 4
	// shortMessage is the length of messages that MPI takes as a whole, as a rule, so that nothing
	// more has to be done for them.
	shortMessage = 32 << 10
	// beginning is how many limits of silence MPI may take to begin.
	beginning = 4
	// turn is how much longer each rank waits than the one before it. The launcher ends the others
	// when the first one ends.
	turn = time.Second
	// decision is how long a rank that aborts waits for the root to name one rank for all.
	decision = 2 * time.Second
	// search is how long a rank that is told to stop looks for a lost process, which may be the reason.
	search = 200 * time.Millisecond
	// farewell is how long Close waits at most for the speaker to close. Then lastWord is how long
	// it waits for the process of the speaker to end. Launchers end all processes when one of them
	// has ended, and the line would be lost.
	farewell, lastWord = 8 * time.Second, 500 * time.Millisecond
	// hearing is how long a rank that speaks waits at most for ranks of other machines to close. It
	// is shorter than lastWord, after which these leave.
	hearing = 200 * time.Millisecond
	// spreading is how long the end of a run is sent at most.
	spreading = 100 * time.Millisecond
)

// settingsOf returns the settings that options make.
func settingsOf(options []Option) settings {
	s := settings{silence: 30 * time.Second, grace: 10 * time.Second, until: context.Background(), piece: pieceLength}
	for _, o := range options {
		o(&s)
	}
	return s
}

// connected is a rank that MPI connects. Its server calls MPI.
type connected struct {
	rank, size int
	settings   settings
	run        *run
	credits    []*credit         // what is on its way to each rank
	inboxes    []*queue[arrival] // what came from each rank
	taken      []atomic.Int64    // the weight that was taken from each rank and not acknowledged
	peers      map[int]int       // the processes of other ranks on this machine, by rank
	watcher    *os.Process       // tells the user of a lost rank when all ranks of this machine were ended, or nil
	lookUntil  atomic.Int64      // until when the server looks for lost processes all the time
	closing    atomic.Bool
	finalizing chan struct{} // closed when all ranks have closed
	finished   chan struct{} // closed when MPI has ended
	finishErr  error         // set before

	server  *server      // used by the goroutine that has reserved MPI
	helpers atomic.Int32 // goroutines that wait for messages and use it meanwhile
	waiting atomic.Int32 // goroutines that wait, those included

	mu      sync.Mutex
	letters []letter // what the server shall send
}

var _ Transport = (*connected)(nil)

// ready reports whether take would not wait.
func (q *queue[T]) ready() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) > 0 || q.closed
}

// over reports whether the sender has closed.
func (q *queue[T]) over() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// letter is a message that the server shall send.
type letter struct {
	to, tag int
	message []byte // short, or nil when there are pieces
	pieces  []piece
}

// arrival is a message that came: pieces in memory of C, or a message of this very rank.
type arrival struct {
	pieces []*transfer
	own    []byte
}

// length returns the length of the message.
func (a arrival) length() int {
	n := len(a.own)
	for _, p := range a.pieces {
		n += len(bytesOf(p))
	}
	return n
}

// open returns the message and frees its pieces.
func (a arrival) open() []byte {
	if a.pieces == nil {
		return a.own
	}
	message := make([]byte, 0, a.length())
	for _, p := range a.pieces {
		message = append(message, bytesOf(p)...)
		release(p)
	}
	return message
}

// credit is what may be sent to a rank.
type credit struct {
	door
	total int  // the weight that is on its way
	gone  bool // the receiver has closed
}

// pay waits until a message may be sent.
func (c *credit) pay(ctx context.Context, r *run, length, to, size int) error {
	gone := false
	err := c.wait(ctx, r, func() bool {
		if gone = c.gone; gone {
			return true
		}
		if c.total > ackAfter && c.total+weight(length) > Window {
			return false
		}
		c.total += weight(length)
		return true
	})
	if err == nil && gone {
		err = isGone(to, size)
	}
	return err
}

// lost returns the end of a run because a rank was lost.
func lost(rank, size int, what string) *Ended {
	e := &Ended{Rank: rank, Size: size, What: what, Lost: true}
	if rank == 0 {
		e.Speaker = 1
	}
	return e
}

// Connect returns this process's rank among those that mpirun or srun started. It may be called once. Errors of the
// transport itself are failures while running.
//
// Ranks tell the root every second that they are there, and the root tells them, from a thread that
// computes nothing. A rank that is silent for the limit of Silence, or whose process on this
// machine has ended before Close, ends the run.
func Connect(options ...Option) (Transport, error) {
	c := &connected{settings: settingsOf(options), run: newRun(), finalizing: make(chan struct{}), finished: make(chan struct{})}
	begun := make(chan error, 1)
	go c.begin(begun)
	limit := beginning * c.settings.silence
	select {
	case err := <-begun:
		if err != nil {
			return nil, failure.Running(fmt.Errorf("ranks: %w", err))
		}
	case <-c.settings.until.Done():
		return nil, failure.Running(alike{fmt.Errorf("ranks: stopped before all ranks had begun MPI: %w", c.settings.until.Err())})
	case <-time.After(limit + time.Duration(min(Number(), 10))*turn):
		return nil, failure.Running(fmt.Errorf("ranks: the launcher started several processes, but not all of them have begun MPI within %v", limit))
	}
	if want, several := Launched(); several && c.size != want {
		return nil, failure.Running(alike{fmt.Errorf("ranks: the launcher started %d processes, and MPI knows %d, want a launcher of the same MPI as this build has (%s); with Slurm: srun --mpi=pmix", want, c.size, Built())})
	}
	return c, nil
}

// begin starts MPI on the thread of this goroutine, tells whether that went well, and serves.
func (c *connected) begin(begun chan<- error) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	setDefaults()
	var err error
	if c.rank, c.size, err = begin(); err != nil {
		begun <- err
		return
	}
	if c.peers, err = peers(c.rank, c.size); err != nil {
		begun <- err
		return
	}
	if want, several := Launched(); c.size > 1 && (!several || want == c.size) { // otherwise Connect refuses
		if c.watcher, err = watched(c.rank, c.size, c.peers); err != nil {
			begun <- err
			return
		}
	}
	c.taken = make([]atomic.Int64, c.size)
	for range c.size {
		c.credits = append(c.credits, &credit{door: newDoor()})
		c.inboxes = append(c.inboxes, newQueue[arrival]())
	}
	c.server = newServer(c)
	begun <- nil
	c.server.serve()
}

// help lets the server do what there is to do, and reports whether it could: another goroutine may be using it.
func (c *connected) help() bool {
	if !take() {
		return false
	}
	c.server.turn()
	leave()
	return true
}

// await helps for a moment, in which most messages of a quick exchange arrive: the thread that
// serves would have to wake this one. Then it tells that thread to look more often.
func (c *connected) await(from int) {
	if from == c.rank || c.inboxes[from].ready() {
		return
	}
	c.helpers.Add(1)
	for began := time.Now(); time.Since(began) < spin && !c.inboxes[from].ready() && c.run.over() == nil; {
		c.help()
		yield()
	}
	if c.helpers.Add(-1) == 0 && !c.inboxes[from].ready() {
		rouse()
	}
}

// setDefaults sets variables of MPI libraries which the user has not set. The first ones keep MPI
// from copying messages out of the memory of another process, which processes that keep their
// memory private refuse. Shared memory takes its place.
func setDefaults() {
	for _, v := range [][2]string{
		{"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}, // Open MPI 4
		{"OMPI_MCA_smsc", "^cma"},                            // Open MPI 5
		{"UCX_TLS", "^cma"},
		{"FI_SHM_DISABLE_CMA", "1"},
		{"UCX_POSIX_USE_PROC_LINK", "n"},
		{"UCX_TCP_PUT_ENABLE", "n"}, // with it MPI_Finalize of MPICH 4.0 with UCX 1.13 sometimes hangs
	} {
		if _, there := os.LookupEnv(v[0]); !there {
			_ = os.Setenv(v[0], v[1])
		}
	}
}

func (c *connected) Rank() int { return c.rank }

func (c *connected) Size() int { return c.size }

// ready returns an error when this rank can neither send to nor receive from another one.
func (c *connected) ready(other int) error {
	if err := c.run.over(); err != nil {
		return err
	}
	if c.closing.Load() {
		return errClosed
	}
	return checkRank(other, c.size)
}

func (c *connected) Send(ctx context.Context, to int, message []byte) error {
	if err := c.ready(to); err != nil {
		return err
	}
	c.waiting.Add(1)
	err := c.credits[to].pay(ctx, c.run, len(message), to, c.size)
	c.waiting.Add(-1)
	if err != nil {
		return c.explain(err)
	}
	if to == c.rank {
		own := append(make([]byte, 0, len(message)), message...)
		c.inboxes[to].change(func() { c.inboxes[to].add(arrival{own: own}, len(own)) })
		return nil
	}
	c.post(letter{to: to, tag: tagLast, pieces: piecesOf(message, c.settings.piece)})
	if !c.help() || len(message) > shortMessage {
		rouse()
	}
	return nil
}

func (c *connected) Receive(ctx context.Context, from int) ([]byte, error) {
	if err := c.ready(from); err != nil {
		return nil, err
	}
	c.waiting.Add(1)
	c.await(from)
	a, err := c.inboxes[from].take(ctx, c.run, from, c.size)
	c.waiting.Add(-1)
	if err != nil {
		return nil, c.explain(err)
	}
	message := a.open()
	c.acknowledge(from, weight(len(message)))
	return message, nil
}

// acknowledge counts what was taken from a rank, and tells that rank now and then.
func (c *connected) acknowledge(from, taken int) {
	if from == c.rank {
		c.credits[from].change(func() { c.credits[from].total -= taken })
		return
	}
	if c.taken[from].Add(int64(taken)) < ackAfter {
		return
	}
	if all := c.taken[from].Swap(0); all > 0 {
		c.post(letter{to: from, tag: tagAck, message: binary.LittleEndian.AppendUint64(nil, uint64(all))})
		rouse()
	}
}

// explain returns the error of a call. One that was canceled because the launcher ends all
// processes gets the reason, when the process of another rank has ended.
func (c *connected) explain(err error) error {
	if errors.Is(err, context.Canceled) {
		if ended := c.look(); ended != nil {
			return ended
		}
	}
	return err
}

// look looks for processes of other ranks that have ended, for a moment, and returns the error of a
// run that has ended.
func (c *connected) look() error {
	if len(c.peers) == 0 {
		return c.run.over()
	}
	c.lookUntil.Store(time.Now().Add(search).UnixNano())
	rouse()
	select {
	case <-c.run.ended:
	case <-time.After(search):
	}
	return c.run.over()
}

// post hands a letter to the server.
func (c *connected) post(l letter) {
	c.mu.Lock()
	c.letters = append(c.letters, l)
	c.mu.Unlock()
}

// others posts a short message to all other ranks.
func (c *connected) others(tag int, message []byte) {
	for to := range c.size {
		if to != c.rank {
			c.post(letter{to: to, tag: tag, message: message})
		}
	}
}

// decide ends the run here and on all other ranks.
func (c *connected) decide(e *Ended) {
	if c.run.end(e) {
		c.leaveWord(e)
		text, _ := json.Marshal(e) // numbers and texts have no error
		c.others(tagEnd, text)
		rouse()
	}
}

// report makes the root end the run.
func (c *connected) report(e *Ended) {
	if c.rank == 0 {
		c.decide(e)
		return
	}
	text, _ := json.Marshal(e) // as in decide
	c.post(letter{to: 0, tag: tagReport, message: text})
	rouse()
}

func (c *connected) Abort(reason string) {
	if c.closing.Load() || c.look() != nil {
		return
	}
	e := aborted(c.rank, c.size, reason)
	c.report(e)
	select {
	case <-c.run.ended:
	case <-c.finished:
	case <-time.After(decision):
		e.Speaker = c.rank // the root says nothing
		c.decide(e)
	}
}

func (c *connected) Close() error {
	if c.closing.Swap(true) {
		select {
		case <-c.finished:
			return c.finishErr
		case <-c.run.ended:
			return c.run.err
		}
	}
	c.others(tagBye, nil)
	rouse()
	select {
	case <-c.finalizing:
		select {
		case <-c.finished:
			return c.finishErr
		case <-time.After(c.settings.grace):
			return failure.Running(fmt.Errorf("ranks: all ranks have closed, but MPI has not ended within %v", c.settings.grace))
		}
	case <-c.run.ended:
		c.spread()
		c.letSpeak()
		if Speaks(c, c.run.err) {
			c.hearOut()
			dismiss(c.watcher)
		}
		return c.run.err
	}
}

// spread waits a moment until other ranks have been sent the end of the run: the end of this
// process would else be news to them.
func (c *connected) spread() {
	var e *Ended
	if !errors.As(c.run.err, &e) {
		return
	}
	for until := time.Now().Add(spreading); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if !take() {
			continue
		}
		c.server.turn()
		done := !c.server.owes(e)
		leave()
		if done {
			return
		}
	}
}

// letSpeak waits for the speaker, when this rank is another one.
func (c *connected) letSpeak() {
	var e *Ended
	if !errors.As(c.run.err, &e) || e.Speaker == c.rank {
		return
	}
	process, here := c.peers[e.Speaker]
	until, closed := time.Now().Add(farewell), false
	for ; time.Now().Before(until) && !(here && !alive(process)); time.Sleep(10 * time.Millisecond) {
		if !closed && c.inboxes[e.Speaker].over() {
			until, closed = time.Now().Add(lastWord), true
		}
	}
}

// leaveWord dismisses the watcher of this machine when a rank of another one tells the user why the
// run has ended. A machine that has lost a rank keeps it.
func (c *connected) leaveWord(e *Ended) {
	_, speaks := c.peers[e.Speaker]
	_, lost := c.peers[e.Rank]
	if !speaks && e.Speaker != c.rank && !(e.Lost && (lost || e.Rank == c.rank)) {
		dismiss(c.watcher)
	}
}

// hearOut waits a moment until ranks of other machines have closed, and so have dismissed the
// watchers there: the launcher may end them as soon as this process ends.
func (c *connected) hearOut() {
	var e *Ended
	if !errors.As(c.run.err, &e) {
		return
	}
	open := func() bool {
		for other, inbox := range c.inboxes {
			if _, beside := c.peers[other]; !beside && other != c.rank && !(e.Lost && other == e.Rank) && !inbox.over() {
				return true
			}
		}
		return false
	}
	for until := time.Now().Add(hearing); open() && time.Now().Before(until); time.Sleep(time.Millisecond) {
	}
}
