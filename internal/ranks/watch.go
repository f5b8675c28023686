//go:build mpi && cgo && linux

package ranks

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watchVariable makes this program the watcher of the ranks of one machine: the process that starts
// it, the number of all ranks, and for each rank here its number, a colon and its process.
const watchVariable = "DITHER_WATCH_RANKS"

const (
	// addressRoom is the length of the longest address of a watcher: the system gives it six bytes.
	addressRoom = 16
	// highFile is a number above all files by which a launcher notices the end of a process.
	highFile = 512
)

func init() {
	parent, text, _ := strings.Cut(os.Getenv(watchVariable), " ")
	if parent == strconv.Itoa(os.Getppid()) { // a rank has started this process
		w, err := newWatcher(text)
		if err == nil {
			err = w.watch()
		}
		if err != nil {
			os.Exit(1) // without a watcher, ranks tell of each other
		}
		// a rank that told the user stopped this process before it ended itself
		time.Sleep(confirmation)
		fmt.Fprintln(os.Stderr, w.line())
		os.Exit(0)
	}
}

// watched returns a handle of the watcher of this machine, which it starts, or nil where there is
// none. When all ranks of the machine have ended and none could tell why, the watcher tells the
// user which one ended first. MPICH ends all of them so. All ranks call it at the same time.
func watched(rank, size int, peers map[int]int) (*os.Process, error) {
	first := slices.Min(append(slices.Collect(maps.Keys(peers)), rank))
	own := make([]byte, 8+addressRoom)
	if rank == first {
		here := maps.Clone(peers)
		here[rank] = os.Getpid()
		process, address := startWatcher(size, here, os.Stderr)
		binary.LittleEndian.PutUint64(own, uint64(process))
		copy(own[8:], address)
	}
	all, err := gather(own, size)
	if err != nil {
		return nil, err
	}
	of := all[first*len(own):][:len(own)]
	process := int(binary.LittleEndian.Uint64(of))
	if process == 0 {
		return nil, nil
	}
	handle, err := os.FindProcess(process)
	if err != nil {
		return nil, nil // it is gone already
	}
	if !join("@" + strings.TrimRight(string(of[9:]), "\x00")) {
		dismiss(handle)
		return nil, nil
	}
	return handle, nil
}

// startWatcher starts a watcher of processes, by rank, and returns its process and address, or 0
// when it cannot. It has a session of its own, since launchers end the sessions of ranks.
func startWatcher(size int, processes map[int]int, out *os.File) (process int, address []byte) {
	text := fmt.Sprint(os.Getpid(), " ", size)
	for rank, process := range processes {
		text += fmt.Sprintf(" %d:%d", rank, process)
	}
	// launchers notice the end of a process by files that only it has open
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, nil
	}
	for _, f := range files {
		if n, err := strconv.Atoi(f.Name()); err == nil && n > 2 {
			syscall.CloseOnExec(n)
		}
	}
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), watchVariable+"="+text)
	c.Stderr = out
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	told, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		return 0, nil
	}
	address, err = io.ReadAll(told) // it closes its output once it is ready
	go func() { _ = c.Wait() }()
	if err != nil || len(address) == 0 || len(address) > addressRoom {
		return 0, nil
	}
	return c.Process.Pid, address
}

// join connects this process to a watcher, twice, and reports whether it could. A process that ends
// closes its files by their numbers, upward or downward, as the system has it. So the watcher
// learns of the end by the first or the last file before the launcher does by another one. The
// first one has the number of standard input, which ranks do not read. Standard input stays open,
// since Open MPI breaks off where it has no reader.
func join(address string) bool {
	_, _ = unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	var limit unix.Rlimit
	high := highFile
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil && limit.Cur <= uint64(high) {
		high = max(int(limit.Cur)-1, 0)
	}
	for _, place := range []func(file int) error{
		func(file int) error { return unix.Dup3(file, 0, unix.O_CLOEXEC) },
		func(file int) error {
			_, err := unix.FcntlInt(uintptr(file), unix.F_DUPFD_CLOEXEC, high)
			return err
		},
	} {
		file, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return false
		}
		if err = unix.Connect(file, &unix.SockaddrUnix{Name: address}); err == nil {
			err = place(file)
		}
		_ = unix.Close(file)
		if err != nil {
			return false
		}
	}
	return true
}

// watcher waits for the end of the ranks of one machine.
type watcher struct {
	size   string
	queue  int         // of events, in the order in which they happened, however late this process runs
	door   int         // where ranks connect
	ranks  map[int]int // by process
	living map[int]int // ranks that have not ended, by the file that is the handle of their process
	joined map[int]int // ranks by the file of their connection
	first  int         // the rank that ended first, or -1
	at     time.Time   // when it did
	all    int         // the number of ranks of this machine
	doors  int         // the number of connections that were admitted
}

// newWatcher returns a watcher that has told its address to who started it.
func newWatcher(text string) (w *watcher, err error) {
	size, list, _ := strings.Cut(text, " ")
	w = &watcher{size: size, ranks: map[int]int{}, living: map[int]int{}, joined: map[int]int{}, first: -1}
	if w.queue, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	for _, field := range strings.Fields(list) {
		var rank, process int
		if _, err = fmt.Sscanf(field, "%d:%d", &rank, &process); err != nil {
			return nil, err
		}
		handle, err := unix.PidfdOpen(process, 0)
		if err == nil {
			err = w.add(handle)
		}
		if err != nil {
			return nil, err
		}
		w.ranks[process], w.living[handle] = rank, rank
		w.all++
	}
	if w.door, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0); err != nil {
		return nil, err
	}
	// the system chooses an address when its family is all that is given
	if _, _, e := unix.Syscall(unix.SYS_BIND, uintptr(w.door), uintptr(unsafe.Pointer(&unix.RawSockaddr{Family: unix.AF_UNIX})), 2); e != 0 {
		return nil, e
	}
	own, err := unix.Getsockname(w.door)
	if err != nil {
		return nil, err
	}
	address, _ := own.(*unix.SockaddrUnix)
	if address == nil || address.Name == "" {
		return nil, unix.EADDRNOTAVAIL
	}
	if err = unix.Listen(w.door, 2*w.all); err == nil {
		err = w.add(w.door)
	}
	if err == nil {
		_, err = os.Stdout.WriteString(address.Name)
	}
	if err == nil {
		err = os.Stdout.Close()
	}
	return w, err
}

// add puts a file in the queue.
func (w *watcher) add(file int) error {
	return unix.EpollCtl(w.queue, unix.EPOLL_CTL_ADD, file, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP, Fd: int32(file)})
}

// watch returns once all processes have ended. The error says that the first one is not known.
func (w *watcher) watch() error {
	for events := make([]unix.EpollEvent, 64); len(w.living) > 0; {
		n, err := unix.EpollWait(w.queue, events, -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		for _, e := range events[:max(n, 0)] {
			file := int(e.Fd)
			if file == w.door {
				w.admit()
				continue
			}
			rank, alive := w.living[file]
			if !alive {
				rank = w.joined[file]
			}
			if w.first < 0 {
				w.first, w.at = rank, time.Now().UTC()
			}
			delete(w.living, file)
			delete(w.joined, file)
			_ = unix.Close(file) // which takes it out of the queue
		}
	}
	if w.doors < 2*w.all { // the end of a rank that had not joined is seen late
		return unix.ENOTCONN
	}
	return nil
}

// admit takes a connection of a rank. Nobody else is admitted.
func (w *watcher) admit() {
	file, _, err := unix.Accept4(w.door, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	if err != nil {
		return
	}
	who, err := unix.GetsockoptUcred(file, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err == nil {
		if rank, found := w.ranks[int(who.Pid)]; found && w.add(file) == nil {
			w.joined[file] = rank
			w.doors++
			return
		}
	}
	_ = unix.Close(file)
}

// line returns what the user is told.
func (w *watcher) line() string {
	where := ""
	if strconv.Itoa(w.all) != w.size {
		host, _ := os.Hostname()
		where = fmt.Sprintf(", as the first one on %s, at %s UTC", cmp.Or(host, "its machine"), w.at.Format("15:04:05.000000"))
	}
	return fmt.Sprintf("dither: rank %d of %s has ended before the run did%s; what the run had reserved stays spent", w.first, w.size, where)
}

// dismiss ends a watcher that need not tell anything.
func dismiss(watcher *os.Process) {
	if watcher != nil {
		_ = watcher.Kill()
	}
}
