package chain

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// fault is what one call of a simulated disk does in place of its work.
type fault struct {
	call  int    // which call, counted from 1
	kind  string // "before" and "after" stop the process; "torn" after some bytes; "short" returns there; or an error
	bytes int    // of "torn" and "short"
	err   error  // of "error"; "lost" is a Sync that fails and forgets what was not synced
}

// simulated is a file system in memory. It knows what is on disk and what the system only remembers, and
// stops the process, or fails, at a planned call.
type simulated struct {
	names   map[string]*content // as processes see them
	durable map[string]*content
	changes []change // of names, not on disk yet
	plan    fault
	calls   int
	log     []string               // the calls
	read    int                    // bytes
	deaf    func(call string) bool // which Sync calls do nothing: the mutants
}

// change gives names to contents; nil takes a name away.
type change map[string]*content

// content is what a file holds.
type content struct {
	cached, durable []byte
	pending         []write
	holder          *handleOnContent
}

// write is a write that is not on disk yet; nil bytes cut the file off.
type write struct {
	at    int64
	bytes []byte
}

type handleOnContent struct {
	disk    *simulated
	content *content
	name    string
}

// stopped is how a planned stop leaves the process.
type stopped struct{}

func newSimulated() *simulated {
	return &simulated{names: map[string]*content{}, durable: map[string]*content{}, deaf: func(string) bool { return false }}
}

// call counts a call and does what is planned for it. A torn or short call is told to do only a part.
func (d *simulated) call(what string, bytes int, do func(n int)) error {
	d.calls++
	d.log = append(d.log, what)
	if d.calls != d.plan.call {
		do(bytes)
		return nil
	}
	switch p := d.plan; p.kind {
	case "before":
		panic(stopped{})
	case "torn":
		do(min(p.bytes, bytes))
		panic(stopped{})
	case "short":
		do(min(p.bytes, bytes))
		return errors.New("short write")
	case "after":
		do(bytes)
		panic(stopped{})
	}
	return d.plan.err
}

func (d *simulated) open(path string) (f file, err error) {
	c := d.names[path]
	if c == nil {
		return nil, fs.ErrNotExist
	}
	err = d.call("open", 0, func(int) { f = &handleOnContent{d, c, path} })
	return f, err
}

func (d *simulated) create(beside string) (f file, path string, err error) {
	path = beside + ".new"
	for i := 0; d.names[path] != nil; i++ {
		path = fmt.Sprint(beside, ".new", i)
	}
	err = d.call("create", 0, func(int) {
		c := &content{}
		d.renamed(change{path: c})
		f = &handleOnContent{d, c, path}
	})
	return f, path, err
}

// renamed changes names in memory.
func (d *simulated) renamed(c change) {
	d.changes = append(d.changes, c)
	apply(d.names, c)
}

func apply(names map[string]*content, c change) {
	maps.Copy(names, c)
	maps.DeleteFunc(names, func(_ string, c *content) bool { return c == nil })
}

func (d *simulated) admit(f file, path string) (size int64, err error) {
	h := f.(*handleOnContent)
	if d.names[path] != h.content {
		return 0, errors.New("replaced")
	}
	return int64(len(h.content.cached)), d.call("stat", 0, func(int) {})
}

func (d *simulated) link(from, to string) error {
	if d.names[to] != nil {
		return fs.ErrExist
	}
	return d.call("link", 0, func(int) { d.renamed(change{to: d.names[from]}) })
}

func (d *simulated) rename(from, to string) error {
	return d.call("rename", 0, func(int) { d.renamed(change{to: d.names[from], from: nil}) })
}

func (d *simulated) remove(path string) error {
	return d.call("remove", 0, func(int) { d.renamed(change{path: nil}) })
}

func (d *simulated) syncFolder(string) error {
	return d.call("sync folder", 0, func(int) {
		if d.deaf("sync folder") {
			return
		}
		d.durable, d.changes = maps.Clone(d.names), nil
	})
}

func (h *handleOnContent) ReadAt(b []byte, at int64) (n int, err error) {
	err = h.disk.call("read", len(b), func(int) { n = copy(b, h.content.cached[min(at, int64(len(h.content.cached))):]) })
	h.disk.read += n
	return n, err
}

func (h *handleOnContent) WriteAt(b []byte, at int64) (n int, err error) {
	err = h.disk.call("write", len(b), func(most int) { n = most; h.content.change(write{at, slices.Clone(b[:most])}) })
	return n, err
}

func (h *handleOnContent) Truncate(size int64) error {
	return h.disk.call("truncate", 0, func(int) { h.content.change(write{at: size}) })
}

func (h *handleOnContent) Sync() error {
	what := "sync records"
	if n := len(h.content.pending); len(h.content.durable) == 0 {
		what = "sync new"
	} else if n > 0 && h.content.pending[n-1].at < recordsBegin {
		what = "sync head"
	}
	err := h.disk.call(what, 0, func(int) {
		if !h.disk.deaf(what) {
			h.content.durable, h.content.pending = slices.Clone(h.content.cached), nil
		}
	})
	if err != nil && h.disk.plan.kind == "lost" {
		h.content.cached, h.content.pending = slices.Clone(h.content.durable), nil
	}
	return err
}

func (h *handleOnContent) Close() error {
	return h.disk.call("close", 0, func(int) { h.free() })
}

func (h *handleOnContent) tryLock() error {
	if c := h.content; c.holder != nil && c.holder != h {
		return errHeld
	}
	return h.disk.call("lock", 0, func(int) { h.content.holder = h })
}

func (h *handleOnContent) unlock() error {
	return h.disk.call("unlock", 0, func(int) { h.free() })
}

func (h *handleOnContent) free() {
	if h.content.holder == h {
		h.content.holder = nil
	}
}

// change is a write as processes see it.
func (c *content) change(w write) {
	c.pending = append(c.pending, w)
	c.cached = w.onto(c.cached)
}

// onto returns what a file holds after a write.
func (w write) onto(b []byte) []byte {
	if w.bytes == nil {
		return slices.Clone(b[:min(int(w.at), len(b))])
	}
	out := make([]byte, max(len(b), int(w.at)+len(w.bytes)))
	copy(out, b)
	copy(out[w.at:], w.bytes)
	return out
}

// restart returns the disk as a new process finds it, after the old one stopped: what the system remembers
// is there, and locks are free.
func (d *simulated) restart() *simulated {
	for _, c := range d.names {
		c.holder = nil
	}
	d.plan, d.calls, d.log = fault{}, 0, nil
	return d
}

// holding returns a disk with one file that is on disk.
func holding(path string, b []byte) *simulated {
	d := newSimulated()
	c := &content{cached: b, durable: bytes.Clone(b)}
	d.names[path], d.durable[path] = c, c
	return d
}
