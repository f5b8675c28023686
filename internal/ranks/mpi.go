//go:build mpi && cgo && unix

package ranks

// #include "thread.h"
import "C"

import (
	"errors"
	"regexp"
	"strings"
	"time"
	"unsafe"
)

// transfer is a message that MPI sends or receives, in memory of C: MPI may register memory with a
// network adapter, which memory of Go does not survive.
type transfer = C.transfer

// mpiError returns the error of a status of MPI, or nil.
func mpiError(status C.int) error {
	if status == C.MPI_SUCCESS {
		return nil
	}
	text := make([]byte, C.error_room)
	n := C.ranks_error(status, (*C.char)(unsafe.Pointer(&text[0])))
	return errors.New("MPI: " + strings.TrimSpace(string(text[:n])))
}

// begin starts MPI. From then on only who has reserved it may call gather, depart, arrive,
// complete, finish and abandon.
func begin() (rank, size int, err error) {
	var level, r, n C.int
	if err = mpiError(C.ranks_begin(&level, &r, &n)); err == nil && C.ranks_serialized(level) == 0 {
		err = errors.New("MPI: this library is for programs of one thread, want one that allows several")
	}
	return int(r), int(n), err
}

// gather returns what each rank gave, all of the same length.
func gather(own []byte, size int) ([]byte, error) {
	all := make([]byte, len(own)*size)
	err := mpiError(C.ranks_gather(unsafe.Pointer(&own[0]), C.int(len(own)), unsafe.Pointer(&all[0])))
	return all, err
}

// depart begins to send a message in memory of C, which a transfer then owns.
func depart(buffer unsafe.Pointer, length, to, tag int) (*transfer, error) {
	var t *transfer
	err := mpiError(C.ranks_depart(buffer, C.int(length), C.int(to), C.int(tag), &t))
	return t, err
}

// arrive begins to receive the next message, or returns nil.
func arrive() (*transfer, error) {
	var t *transfer
	err := mpiError(C.ranks_arrive(&t))
	return t, err
}

// complete reports whether a transfer is over.
func complete(t *transfer) (bool, error) {
	var done C.int
	err := mpiError(C.ranks_complete(t, &done))
	return done != 0, err
}

// copied returns a copy of a message in memory of C.
func copied(message []byte) unsafe.Pointer {
	buffer := C.malloc(C.size_t(max(1, len(message))))
	copy(unsafe.Slice((*byte)(buffer), len(message)), message)
	return buffer
}

// bytesOf returns what a transfer holds. It is valid until release.
func bytesOf(t *transfer) []byte { return unsafe.Slice((*byte)(t.buffer), int(t.length)) }

// release frees a transfer that is over.
func release(t *transfer) {
	C.free(t.buffer)
	C.free(unsafe.Pointer(t))
}

func finish() error { return mpiError(C.ranks_finish()) }

func abandon() { C.ranks_abandon() }

// take reserves MPI until leave, and reports whether it could.
func take() bool { return C.ranks_take() != 0 }

func leave() { C.ranks_leave() }

// doze waits for rouse or a message, for which it looks after each pause, and at most for the limit.
func doze(pause, limit time.Duration) {
	C.ranks_doze(C.long(pause.Microseconds()), C.long(limit.Microseconds()))
}

func rouse() { C.ranks_rouse() }

func yield() { C.ranks_yield() }

// libraryVersion finds names and versions in what libraries say of themselves.
var libraryVersion = regexp.MustCompile(`^(Open MPI|MPICH|Intel\(R\) MPI Library|MVAPICH2?)\D*([0-9][0-9.a-z]*)`)

// Built returns the MPI library of this build and its version, such as "Open MPI 4.1.4", or "".
func Built() string {
	text := make([]byte, C.library_room)
	n := C.ranks_library((*C.char)(unsafe.Pointer(&text[0])))
	return nameOfLibrary(string(text[:n]))
}

// nameOfLibrary returns the name and version of a library, or the line that it begins with.
func nameOfLibrary(text string) string {
	if m := libraryVersion.FindStringSubmatch(text); m != nil {
		return m[1] + " " + m[2]
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}
