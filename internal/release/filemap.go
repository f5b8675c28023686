package release

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"time"
)

// Blocks where the operating system has them. To read a file that is in the page cache is to copy
// it, which takes as long as a step. Blocks of a file that is held are used in place instead: a
// part of the file is seen in the memory of this process, and given back afterwards.
//
// A row is read more than once, to be measured, to be multiplied and to be added. Only a copy is
// the same each time, whoever writes to the file. So the kernel must keep writers away (holdFile).
// Whether it did, and whether the file is still the one that was opened, is asked after the blocks
// were used. That is before anything is made of their sum. The owner of the machine can get around
// that, as around the rest.

const (
	// viewAlign is where parts of a file begin: the size of a large page.
	viewAlign = 2 << 20
	// viewBytes is how much of a file is seen at a time.
	viewBytes = 4 << 20
)

// fileView sees a held file, for one goroutine.
type fileView struct {
	held     *heldFile
	pace     *pace
	all      []byte // the file, most of it in no memory
	from, to int    // the part that is looked at
	way      int    // how
	sure     bool   // that way was taken because it was chosen
	done     int    // bytes of the part so far
	began    time.Time
}

// look returns n bytes of the file, in place and until the next call, or nil where they are to be copied:
// because that is faster, or because they are on the disk.
func (v *fileView) look(at int64, n int) []byte {
	first, end := int(at), int(at)+n
	if first < v.from || end > v.to {
		v.drop()
		v.from = first &^ (viewAlign - 1)
		v.to = min(len(v.all), max(v.from+viewBytes, end))
		v.way, v.began = v.pace.next(), time.Now()
		if v.sure = v.held.cached(v.from, v.to); !v.sure {
			v.way = copied
		}
	}
	if v.done += n; v.way == copied {
		return nil
	}
	return v.all[first:end:end]
}

// drop gives the part back.
func (v *fileView) drop() {
	if v.way == inPlace {
		giveBack(v.all[v.from:v.to])
	}
	if v.sure {
		v.pace.note(v.way, v.done, time.Since(v.began))
	}
	v.from, v.to, v.way, v.sure, v.done = 0, 0, copied, false, 0
}

// close gives everything back. Own forgets what stood there.
func (v *fileView) close(own *blockMemory) {
	if v == nil {
		return
	}
	own.x = nil
	v.drop()
	_ = unmap(v.all) // nothing depends on it but the size of the address space
}

// guard calls do, and turns an access to what is no more in the file into an error.
func (v *fileView) guard(do func() error) (err error) {
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
		err = errDamaged("it was cut or could not be read while it was in use")
	}()
	return do()
}

// faulted reports whether a panic is of an access to the file.
func (v *fileView) faulted(p any) bool {
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
