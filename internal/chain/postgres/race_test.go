package postgres_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/pgtest"
)

// raceLimit is the number of records that all processes append together.
const raceLimit = 100

var errFull = errors.New("full")

// TestChild asks for records while fewer than raceLimit are there. It runs in processes of their own, and prints a
// line for each request that was answered.
func TestChild(t *testing.T) {
	url, name := os.Getenv("DITHER_TEST_LEDGER"), os.Getenv("DITHER_TEST_NAME")
	if url == "" {
		t.Skip("runs as a child of TestServer")
	}
	s, err := postgres.Open(background, parse(t, url))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	asked, err := strconv.Atoi(os.Getenv("DITHER_TEST_REQUESTS"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range asked {
		text := fmt.Sprint(name, "-", i)
		_, err := s.Update(background, func(chain.Record) error { count++; return nil }, func() ([]byte, error) {
			if count > raceLimit {
				return nil, errFull
			}
			maybeDie()
			return []byte(text), nil
		})
		switch {
		case err == nil:
			count++
			fmt.Println("granted", text)
		case errors.Is(err, errFull):
			fmt.Println("refused")
		default:
			t.Fatal(err)
		}
	}
}

// maybeDie kills its process in a third of its calls: at once, with the lock and without a record, or up to 4 ms
// later, while the record is written or before anybody is told of it.
func maybeDie() {
	self, err := os.FindProcess(os.Getpid())
	if err != nil || rand.IntN(3) > 0 {
		return
	}
	if wait := rand.IntN(5); wait > 0 {
		time.AfterFunc(time.Duration(rand.IntN(4000))*time.Microsecond, func() { _ = self.Kill() })
		return
	}
	_ = self.Kill()
	select {}
}

// requests is how many requests each of 16 processes makes.
var requests = map[bool]int{false: 20, true: 10_000 / 16}[thorough]

// processes races 16 processes for a limit. Each dies now and then while it holds the lock, and another one goes on
// in its place until all requests were made.
func processes(t *testing.T, server *pgtest.Server) {
	_, s := made(t, server, "race")
	url := server.URL("ledger", "race")
	var all sync.WaitGroup
	var lock sync.Mutex
	granted, asked, kills := map[string]bool{}, 0, 0
	for worker := range 16 {
		all.Go(func() {
			for own, life := 0, 0; own < requests; life++ {
				lines, killed := lived(t, url, fmt.Sprint(worker, "/", life), requests-own)
				lock.Lock()
				for _, line := range lines {
					if text, is := strings.CutPrefix(line, "granted "); is {
						granted[text] = true
					}
				}
				if own += len(lines); killed {
					own++ // the request that nobody answered
					kills++
				}
				asked += len(lines)
				lock.Unlock()
				if t.Failed() {
					return
				}
			}
		})
	}
	all.Wait()
	found := map[string]int{}
	if err := s.View(background, func(r chain.Record) error { found[string(r.Payload)]++; return nil }); err != nil {
		t.Fatal(err)
	}
	if len(found) != raceLimit { // the store that made the ledger is not told of its first record again
		t.Errorf("got %d records, want the limit of %d, no more and no less", len(found), raceLimit)
	}
	for text := range granted {
		if found[text] != 1 {
			t.Errorf("record %s was acknowledged and is there %d times", text, found[text])
		}
	}
	if kills == 0 {
		t.Error("no process died while it held the lock")
	}
	t.Logf("%d requests were answered and %d processes killed: %d of %d records were acknowledged", asked, kills, len(granted), raceLimit)
}

// lived runs a process and returns what it said, and whether it was killed.
func lived(t *testing.T, url, name string, asked int) (lines []string, killed bool) {
	c := exec.Command(os.Args[0], "-test.run", "^TestChild$")
	c.Env = append(os.Environ(), "DITHER_TEST_LEDGER="+url, "DITHER_TEST_NAME="+name, fmt.Sprint("DITHER_TEST_REQUESTS=", asked))
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Error(err)
		return nil, false
	}
	var said strings.Builder
	in := bufio.NewScanner(io.TeeReader(out, &said))
	for in.Scan() {
		if line := in.Text(); line == "refused" || strings.HasPrefix(line, "granted ") {
			lines = append(lines, line)
		}
	}
	err = c.Wait()
	if killed = err != nil && c.ProcessState.ExitCode() < 0; err != nil && !killed {
		t.Errorf("process %s: %v: %.2000s", name, err, said.String())
	}
	return lines, killed
}
