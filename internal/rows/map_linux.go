package rows

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// identity is which file it is, and when it, its name, owner, mode or links were changed.
type identity struct {
	device, inode uint64
	changed       int64 // in ns
}

// identityOf returns what the operating system says, or zeros.
func identityOf(info fs.FileInfo) identity {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(s.Dev), s.Ino, s.Ctim.Nano()}
}

// heldFile is a file with a lease for reading (fcntl(2), F_SETLEASE). It is given when nobody has
// the file open for writing. Whoever opens it for writing, or cuts it, then waits until the file is
// closed here, or until the system's lease-break-time is over (45 s). From then on the lease is not
// held.
type heldFile struct {
	conn  syscall.RawConn
	Bytes int64
}

// holdFile holds a file for as long as it is open, or returns nil. The user of this process must
// own the file, and nobody else may read or write it. The first bytes of it are seen.
func holdFile(file fs.File, bytes int64) *heldFile {
	info, err := file.Stat()
	with, ok := file.(syscall.Conn)
	if err != nil || !ok || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || info.Size() < bytes || int64(int(bytes)) != bytes {
		return nil
	}
	if s, known := info.Sys().(*syscall.Stat_t); !known || int(s.Uid) != os.Geteuid() {
		return nil
	}
	conn, err := with.SyscallConn()
	if err != nil {
		return nil
	}
	h := &heldFile{conn, bytes}
	// A signal tells of a writer. It is one that processes ignore; still asks instead.
	if h.Fcntl(unix.F_SETSIG, int(unix.SIGURG)) < 0 || h.Fcntl(unix.F_SETLEASE, unix.F_RDLCK) < 0 || !h.Still() {
		return nil
	}
	return h
}

// Fcntl returns what the system call does, and -1 when it fails.
func (h *heldFile) Fcntl(command, argument int) int {
	result := -1
	err := h.conn.Control(func(fd uintptr) {
		if got, failed := unix.FcntlInt(fd, command, argument); failed == nil {
			result = got
		}
	})
	if err != nil {
		return -1
	}
	return result
}

// Still reports whether nobody has wanted to write to the file since it is held.
func (h *heldFile) Still() bool { return h.Fcntl(unix.F_GETLEASE, 0) == unix.F_RDLCK }

// view returns a view that keeps to the faster way, or nil where there is none.
func (h *heldFile) view(p *Pace) (v *view) {
	if h == nil {
		return nil
	}
	err := h.conn.Control(func(fd uintptr) {
		if all, failed := unix.Mmap(int(fd), 0, int(h.Bytes), unix.PROT_READ, unix.MAP_SHARED); failed == nil {
			v = &view{held: h, pace: p, all: all}
		}
	})
	if err != nil {
		return nil
	}
	return v
}

// Cached reports whether the bytes from ≤ i < to are in the page cache. Systems that do not know
// cachestat(2), of Linux 6.5, do not know.
func (h *heldFile) Cached(from, to int) bool {
	all := false
	err := h.conn.Control(func(fd uintptr) {
		var s unix.Cachestat_t
		page := os.Getpagesize()
		failed := unix.Cachestat(uint(fd), &unix.CachestatRange{Off: uint64(from), Len: uint64(to - from)}, &s, 0)
		all = failed == nil && s.Cache >= uint64((to+page-1)/page-from/page)
	})
	return err == nil && all
}

// giveBack takes a part of a view out of the memory of this process. It begins at a multiple of a
// page.
func giveBack(part []byte) { _ = unix.Madvise(part, unix.MADV_DONTNEED) } // a refused advice changes no result

func unmap(all []byte) error { return unix.Munmap(all) }
