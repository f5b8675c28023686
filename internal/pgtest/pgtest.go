// Package pgtest starts a PostgreSQL server of a test's own, from the programs that the system has.
package pgtest

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// Server is a running server. It listens on a socket in its folder and nowhere else.
type Server struct {
	folder, data, programs string
	as                     identity
}

// Start starts a server that ends with the test. It skips the test where the system has no server
// programs. Lines of settings are appended to postgresql.conf.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	programs := find()
	if programs == "" {
		t.Skip("no PostgreSQL server here: install the system's package postgresql")
	}
	folder, err := os.MkdirTemp("", "pg") // short: the name of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	s := &Server{folder: folder, data: filepath.Join(folder, "data"), programs: programs}
	if s.as, err = owner(folder); err != nil {
		t.Skip("no PostgreSQL server here: ", err)
	}
	s.create(t)
	text := fmt.Sprintf("listen_addresses = ''\nunix_socket_directories = '%s'\nshared_buffers = 16MB\nautovacuum = off\nrecovery_init_sync_method = syncfs\n", folder)
	for _, line := range settings {
		text += line + "\n"
	}
	f, err := os.OpenFile(filepath.Join(s.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Up(t)
	t.Cleanup(func() { _ = s.run("pg_ctl", "-D", s.data, "-m", "immediate", "stop") })
	return s
}

// made keeps the files of a new server as an archive, since a copy costs far less than a new server.
var made = sync.OnceValue(func() *archive { return new(archive) })

// archive is the files of a new server, or nothing yet.
type archive struct {
	sync.Mutex
	files []byte
}

// create makes the files of a new server. The first server of a process leaves them to the next ones. Where there is no
// tar, each server is a new one.
func (s *Server) create(t testing.TB) {
	t.Helper()
	m := made()
	m.Lock()
	defer m.Unlock()
	if m.files != nil {
		copied := exec.Command("tar", "-xf", "-")
		copied.Stdin = bytes.NewReader(m.files)
		if out, err := s.owned(copied).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	s.must(t, "initdb", "-D", s.data, "-U", "dither", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--wal-segsize=1")
	if files, err := s.owned(exec.Command("tar", "-cf", "-", filepath.Base(s.data))).Output(); err == nil {
		m.files = files
	}
}

// owned returns a command that runs in the folder of the server, as the owner of its files.
func (s *Server) owned(c *exec.Cmd) *exec.Cmd {
	c.Dir, c.Env = s.folder, append(os.Environ(), "LC_ALL=C")
	s.as.apply(c)
	c.WaitDelay = time.Minute
	return c
}

// Up starts a server that Kill ended, and waits until it answers.
func (s *Server) Up(t testing.TB) {
	t.Helper()
	s.must(t, "pg_ctl", "-D", s.data, "-l", filepath.Join(s.folder, "log"), "-w", "-t", "60", "start")
}

// Kill ends the server at once, as a crash does.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.must(t, "pg_ctl", "-D", s.data, "-m", "immediate", "stop")
}

// URL returns the address of the database, with parameters in pairs of name and value.
func (s *Server) URL(parameters ...string) string {
	q := url.Values{"host": {s.folder}, "user": {"dither"}}
	for i := 0; i+1 < len(parameters); i += 2 {
		q.Set(parameters[i], parameters[i+1])
	}
	return "postgres:///postgres?" + q.Encode()
}

// Folder returns the folder of the server's socket.
func (s *Server) Folder() string { return s.folder }

func (s *Server) must(t testing.TB, program string, arguments ...string) {
	t.Helper()
	if err := s.run(program, arguments...); err != nil {
		t.Fatal(err)
	}
}

// run runs a program of the server as the owner of its files. What it prints goes to a file, since a
// server that it starts would hold a pipe open.
func (s *Server) run(program string, arguments ...string) error {
	out, err := os.CreateTemp("", "pg")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	c := s.owned(exec.Command(filepath.Join(s.programs, program), arguments...))
	c.Stdout, c.Stderr = out, out
	if err := c.Run(); err != nil {
		text, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(text))
	}
	return nil
}

// find returns the folder of the newest server programs, or "".
func find() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}
