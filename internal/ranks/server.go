//go:build mpi && cgo && unix

package ranks

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"
	"unsafe"

	"github.com/ditherml/dither/internal/failure"
)

// The tags of messages. What one rank sends to another is taken up in that order, whatever tags it has.
const (
	tagLast   = iota // a message, or its last piece
	tagMore          // a piece of a message before its last one
	tagBye           // the rank has closed
	tagAck           // how much the rank has taken, as 8 bytes
	tagBeat          // the rank is there
	tagReport        // to the root: the run must end, as JSON
	tagEnd           // the run has ended, as JSON
)

const (
	// spin is how long a goroutine that waits for a message looks for it without a pause. It is
	// above the time of a message whose receiver did pause: an exchange that is slow once would
	// else remain so. While MPI moves long messages, the thread that serves looks without a pause
	// too.
	spin, spinMoving                 = 200 * time.Microsecond, 5 * time.Millisecond
	shortPause, longPause, idlePause = 50 * time.Microsecond, time.Millisecond, 4 * time.Millisecond
	// confirmation is how long a process must have ended before it counts as lost: what it sent before is taken up first.
	confirmation = 50 * time.Millisecond
)

// piece is a part of a message in memory of C.
type piece struct {
	buffer unsafe.Pointer
	length int
}

// piecesOf returns copies of the parts of a message.
func piecesOf(message []byte, longest int) []piece {
	var pieces []piece
	for {
		n := min(len(message), longest)
		pieces = append(pieces, piece{copied(message[:n]), n})
		if message = message[n:]; len(message) == 0 {
			return pieces
		}
	}
}

// server calls MPI for a rank. One goroutine at a time uses it: one on a thread of its own, which
// serves whatever others do, or one that waits for a message or has one to send.
type server struct {
	*connected
	sending, receiving [][]*transfer // by rank, in order
	pieces             [][]*transfer // of the message that comes from each rank
	moving             int           // transfers that are not over
	heard              []time.Time   // when something came from each rank
	bye                []bool        // whether each rank has closed
	said               []bool        // whether each rank was told that this one has closed
	dead               []time.Time   // when the process of each rank was seen to have ended
	began              time.Time     // this turn
	worked             time.Time     // the last time that there was work
	beatAt, lookAt     time.Time     // when to beat and to look for lost processes next
	over               time.Time     // when the end of the run was seen
	finalized          bool          // whether MPI may not be called any more
}

func newServer(c *connected) *server {
	s := &server{connected: c, sending: make([][]*transfer, c.size), receiving: make([][]*transfer, c.size), pieces: make([][]*transfer, c.size),
		heard: make([]time.Time, c.size), bye: make([]bool, c.size), said: make([]bool, c.size), dead: make([]time.Time, c.size)}
	s.began = time.Now()
	for i := range s.heard {
		s.heard[i] = s.began
	}
	return s
}

// serve sends and receives until all ranks have closed.
func (s *server) serve() {
	for {
		if !take() {
			doze(shortPause, shortPause)
			continue
		}
		s.turn()
		s.finalized = s.complete()
		pause, limit := s.pause()
		leave()
		switch {
		case s.finalized:
			s.finish()
			return
		case pause == 0:
			yield()
		default:
			doze(pause, limit)
		}
	}
}

// finish ends MPI.
func (s *server) finish() {
	dismiss(s.watcher)
	close(s.finalizing)
	if err := finish(); err != nil {
		s.finishErr = failure.Running(err)
	}
	close(s.finished)
}

// owes reports whether something is to be sent yet, except to a rank that was lost.
func (s *server) owes(e *Ended) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for to, list := range s.sending {
		if len(list) > 0 && !(e.Lost && e.Rank == to) {
			return true
		}
	}
	return len(s.letters) > 0
}

// complete reports whether all ranks have closed and nothing is on its way: nothing is sent after a bye.
func (s *server) complete() bool {
	if !s.closing.Load() || s.moving > 0 || s.run.over() != nil {
		return false
	}
	for other := range s.size {
		if other != s.rank && !(s.bye[other] && s.said[other]) {
			return false
		}
	}
	return true
}

// turn does what there is to do. It ends the process when the run ended early and the process remains for too long.
func (s *server) turn() {
	if s.finalized {
		return
	}
	now := time.Now()
	if gap := now.Sub(s.began); gap > s.settings.silence/4 {
		// this process itself was stopped, and heard nothing
		for i := range s.heard {
			s.heard[i] = s.heard[i].Add(gap)
		}
	}
	s.began = now
	s.dispatch()
	s.collect()
	if !now.Before(s.beatAt) {
		s.beat()
	}
	if !now.Before(s.lookAt) {
		s.look()
	}
	switch {
	case s.run.over() == nil:
	case s.over.IsZero():
		s.over = now
	case now.Sub(s.over) > s.settings.grace:
		abandon()
	}
}

// pause returns how long the thread that serves pauses before it looks for messages, and for how
// long it need not look for anything else. Where a goroutine waits, pauses grow with the time since
// there was work. Where none does, they are long: who waits for this rank waits for what it
// computes.
func (s *server) pause() (pause, limit time.Duration) {
	idle := s.began.Sub(s.worked)
	switch {
	case s.helpers.Load() > 0:
		return longPause, longPause
	case s.moving > 0 && idle < spinMoving:
		return 0, 0
	case s.moving > 0:
		return longPause, longPause
	case s.waiting.Load() == 0:
		pause = idlePause
	default:
		pause = min(max(idle/64, shortPause), longPause)
	}
	return pause, min(16*pause, s.beatAt.Sub(s.began), s.lookAt.Sub(s.began))
}

// fail ends the run because of an error of MPI about another rank.
func (s *server) fail(other int, err error) {
	if s.run.over() == nil && err != nil {
		s.report(lost(other, s.size, "cannot be reached: "+err.Error()))
	}
}

// dispatch begins to send letters, and frees what was sent.
func (s *server) dispatch() {
	s.mu.Lock()
	letters := s.letters
	s.letters = nil
	s.mu.Unlock()
	for _, l := range letters {
		if s.said[l.to] && (l.tag == tagBeat || l.tag == tagAck) {
			continue // MPI may hang at its end when something was sent that nobody takes
		}
		if l.tag == tagBye {
			s.said[l.to] = true
		}
		if l.pieces == nil {
			l.pieces = piecesOf(l.message, pieceLength)
		}
		for i, p := range l.pieces {
			tag := l.tag
			if i < len(l.pieces)-1 {
				tag = tagMore
			}
			t, err := depart(p.buffer, p.length, l.to, tag)
			if err != nil {
				s.fail(l.to, err)
				continue
			}
			s.sending[l.to] = append(s.sending[l.to], t)
			s.moving++
		}
		s.worked = s.began
	}
	if s.moving == 0 {
		return
	}
	for to := range s.sending {
		for _, t := range s.ready(to, &s.sending[to]) {
			release(t)
		}
	}
}

// ready removes the transfers that are over from the head of a list.
func (s *server) ready(other int, list *[]*transfer) []*transfer {
	n := 0
	for ; n < len(*list); n++ {
		done, err := complete((*list)[n])
		if err != nil {
			s.fail(other, err)
		}
		if !done {
			break
		}
	}
	over := (*list)[:n:n]
	if *list = (*list)[n:]; len(*list) == 0 {
		*list = nil
	}
	if s.moving -= n; n > 0 {
		s.worked = s.began
	}
	return over
}

// collect receives what has come.
func (s *server) collect() {
	for range 64 {
		t, err := arrive()
		if err != nil && s.run.over() == nil {
			s.report(aborted(s.rank, s.size, err.Error()))
		}
		if t == nil || err != nil {
			break
		}
		from := int(t.other)
		s.receiving[from] = append(s.receiving[from], t)
		s.moving++
		s.heard[from], s.worked = s.began, s.began
	}
	if s.moving == 0 {
		return
	}
	for from := range s.receiving {
		for _, t := range s.ready(from, &s.receiving[from]) {
			s.take(from, t)
		}
	}
}

// take acts on what came from a rank.
func (s *server) take(from int, t *transfer) {
	switch int(t.tag) {
	case tagMore:
		s.pieces[from] = append(s.pieces[from], t)
		return
	case tagLast:
		a := arrival{pieces: append(s.pieces[from], t)}
		s.pieces[from] = nil
		s.inboxes[from].change(func() { s.inboxes[from].add(a, a.length()) })
		return
	}
	defer release(t)
	switch int(t.tag) {
	case tagBye:
		s.bye[from] = true
		s.inboxes[from].close()
		s.credits[from].change(func() { s.credits[from].gone = true })
	case tagAck:
		taken := int(binary.LittleEndian.Uint64(bytesOf(t)))
		s.credits[from].change(func() { s.credits[from].total -= taken })
	case tagReport, tagEnd:
		e := &Ended{}
		if err := json.Unmarshal(bytesOf(t), e); err != nil {
			e = lost(from, s.size, "sent no reason for its end")
		}
		if int(t.tag) == tagReport {
			s.decide(e)
		} else {
			s.run.end(e)
			s.leaveWord(e)
		}
	}
}

// watches reports whether this rank and another one tell each other that they are there: the root and all others do.
func (s *server) watches(other int) bool { return other != s.rank && (s.rank == 0 || other == 0) }

// beat tells other ranks that this one is there, and ends the run when one of them has been silent for too long.
func (s *server) beat() {
	every := min(time.Second, s.settings.silence/8)
	s.beatAt = s.began.Add(every)
	if s.run.over() != nil {
		return
	}
	for other := range s.size {
		if !s.watches(other) || s.bye[other] {
			continue
		}
		s.post(letter{to: other, tag: tagBeat})
		if s.began.Sub(s.heard[other]) > s.settings.silence {
			s.lose(other, fmt.Sprintf("has been silent for %v", s.settings.silence))
		}
	}
}

// lose ends the run because of a lost rank. The root, when it is lost, decides nothing.
func (s *server) lose(other int, what string) {
	if e := lost(other, s.size, what); other == 0 {
		s.decide(e)
	} else {
		s.report(e)
	}
}

// look ends the run when the process of another rank on this machine has ended before it closed.
func (s *server) look() {
	s.lookAt = s.began.Add(time.Second)
	if time.Unix(0, s.lookUntil.Load()).After(s.began) {
		s.lookAt = s.began.Add(confirmation / 5)
	}
	if s.run.over() != nil {
		return
	}
	for other, process := range s.peers {
		switch {
		case s.bye[other] || alive(process):
		case s.dead[other].IsZero():
			s.dead[other] = s.began
			s.lookAt = s.began.Add(confirmation / 5)
		case s.began.Sub(s.dead[other]) > confirmation:
			s.lose(other, "has ended before the run did")
		default:
			s.lookAt = s.began.Add(confirmation / 5)
		}
	}
}
