package rows

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"time"
)

// Blocks where the operating system has them. To read a file that is in the page cache is to copy
// it, which takes as long as a step. Blocks of a file that is held are used in place instead: a
// Part of the file is seen in the memory of this process, and given back afterwards.
//
// A row is read more than once, to be measured, to be multiplied and to be added. Only a copy is
// the same each time, whoever writes to the file. So the operating system must keep writers away
// (holdFile). Whether it did, and whether the file is still the one that was opened, is asked after
// the blocks were used. That is before anything is made of their sum. The sum of rows that changed
// is refused without that, but what was proposed from their scores is not. The owner of the machine
// can get around it, as around the rest.

const (
	// viewAlign is where parts of a file begin: the size of a large page.
	ViewAlign = 2 << 20
	// viewBytes is how much of a file is seen at a time.
	ViewBytes = 4 << 20
)

// view sees a held file, for one goroutine.
type view struct {
	held     *heldFile
	pace     *Pace
	all      []byte // the file, most of it in no memory
	from, to int    // the part that is looked at
	way      int    // how
	sure     bool   // that way was taken because it was chosen
	done     int    // bytes of the part so far
	began    time.Time
}

// look returns n bytes of the file, in place and until the next call, or nil where they are to be
// copied: because that is faster, or because they are on the disk.
func (v *view) look(at int64, n int) []byte {
	first, end := int(at), int(at)+n
	if first < v.from || end > v.to {
		v.drop()
		v.from = first &^ (ViewAlign - 1)
		v.to = min(len(v.all), max(v.from+ViewBytes, end))
		v.way, v.began = v.pace.next(), time.Now()
		if v.sure = v.held.Cached(v.from, v.to); !v.sure {
			v.way = Copied
		}
	}
	if v.done += n; v.way == Copied {
		return nil
	}
	return v.all[first:end:end]
}

// drop gives the part back.
func (v *view) drop() {
	if v.way == InPlace {
		giveBack(v.all[v.from:v.to])
	}
	if v.sure {
		v.pace.note(v.way, v.done, time.Since(v.began))
	}
	v.from, v.to, v.way, v.sure, v.done = 0, 0, Copied, false, 0
}

// close gives everything back. Own forgets what stood there.
func (v *view) close(own *Memory) {
	if v == nil {
		return
	}
	own.X = nil
	v.drop()
	_ = unmap(v.all) // nothing depends on it but the size of the address space
}

// guard calls do, and turns an access to what is no more in the file into an error.
func (v *view) guard(do func() error) (err error) {
	if v == nil {
		return do()
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if !v.faulted(p) {
			panic(p)
		}
		err = damaged("it was cut or could not be read while it was in use")
	}()
	return do()
}

// faulted reports whether a panic is of an access to the file.
func (v *view) faulted(p any) bool {
	fault, ok := p.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return false
	}
	offset := fault.Addr() - reflect.ValueOf(v.all).Pointer()
	return offset < uintptr(len(v.all)) // in unsigned numbers: before it is far after
}
