package chain

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// childVariable tells a process of this test what it is: a task, a name, a number and the path of a ledger.
const childVariable = "DITHER_CHAIN_CHILD"

func TestMain(m *testing.M) {
	if task := os.Getenv(childVariable); task != "" {
		parts := strings.SplitN(task, " ", 4)
		n, _ := strconv.Atoi(parts[2])
		if err := child(parts[0], parts[1], n, parts[3]); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is one process. It prints a line for each record that was acknowledged.
func child(task, name string, n int, path string) error {
	var f *File
	var err error
	if task == "create" {
		f, err = Create(background, path, []byte("first"))
		fmt.Println("first")
	} else {
		f, err = Open(background, path)
		fmt.Println("ready")
	}
	if err != nil {
		return err
	}
	records := 0
	count := func(Record) error { records++; return nil }
	for i := range n {
		text := fmt.Sprint(name, "-", i)
		_, err = f.Update(background, count, func() ([]byte, error) {
			if task == "race" && records > raceLimit {
				return nil, errFull
			}
			if task == "race" {
				maybeDie()
			}
			return []byte(text), nil
		})
		switch {
		case err == nil:
			records++
			fmt.Println(text)
		case !errors.Is(err, errFull):
			return err
		default:
			fmt.Println(refusedLine)
		}
	}
	return nil
}

// refusedLine is what a process prints for a request that the limit refuses.
const refusedLine = "refused"

// maybeDie kills its process, which holds the lock, in a third of its calls: at once, without a record, or up to 2 ms
// later, while the record is written or before anybody is told of it.
func maybeDie() {
	self, err := os.FindProcess(os.Getpid())
	if err != nil || rand.IntN(3) > 0 {
		return
	}
	if rand.IntN(5) > 0 {
		time.AfterFunc(time.Duration(rand.IntN(2000))*time.Microsecond, func() { _ = self.Kill() })
		return
	}
	_ = self.Kill()
	select {}
}

const raceLimit = 100

var errFull = errors.New("the limit is reached")

// spawn starts a process and returns it with what it prints.
func spawn(task, name string, n int, path string) (*exec.Cmd, *bufio.Reader, error) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d %s", childVariable, task, name, n, path))
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return c, bufio.NewReader(out), c.Start()
}

// lived runs a process, kills it after a while, and returns the records that it was told are there.
func lived(t *testing.T, task, name string, n int, path string, while time.Duration) (acknowledged []string) {
	c, out, err := spawn(task, name, n, path)
	if err != nil {
		t.Error(err)
		return nil
	}
	if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
		t.Errorf("got %q (%v), want a process that is ready", line, err)
	}
	if while > 0 {
		defer time.AfterFunc(while, func() { _ = c.Process.Kill() }).Stop()
	}
	text, _ := io.ReadAll(out)
	_ = c.Wait()
	lines := strings.Split(string(text), "\n")
	for _, line := range lines[:len(lines)-1] {
		if strings.HasPrefix(line, "error ") {
			t.Error(line)
		}
	}
	return lines[:len(lines)-1]
}

// TestKillsLoseNothing kills writers at random times. Each record that a writer was told of must be there once.
func TestKillsLoseNothing(t *testing.T) {
	const writers, each = 3, 300
	kills, end := 0, time.Now().Add(time.Second)
	if thorough {
		t.Parallel()
		end = time.Now().Add(time.Hour)
	}
	acknowledgedInAll, recordsInAll := 0, 0
	for kills < 10_000 && time.Now().Before(end) && !t.Failed() {
		path := filepath.Join(t.TempDir(), "ledger")
		f, err := Create(background, path, []byte("first"))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		var all sync.WaitGroup
		var lock sync.Mutex
		acknowledged := map[string]bool{}
		done := 0
		for w := range writers {
			all.Go(func() {
				random := rand.New(rand.NewPCG(uint64(w), uint64(kills)))
				for round := 0; round < each/writers && time.Now().Before(end); round++ {
					name := fmt.Sprint(w, "/", round)
					lines := lived(t, "write", name, 1<<30, path, time.Duration(random.IntN(8000)+1)*time.Microsecond)
					lock.Lock()
					for _, line := range lines {
						acknowledged[line] = true
					}
					done++
					lock.Unlock()
				}
			})
		}
		all.Wait()
		kills += done
		acknowledgedInAll += len(acknowledged)
		recordsInAll += findAll(t, path, acknowledged)
	}
	t.Logf("%d kills, %d records acknowledged, 0 lost; %d more were counted", kills, acknowledgedInAll, recordsInAll-acknowledgedInAll)
}

// findAll looks for each acknowledged record in a ledger and returns how many records there are after the first.
func findAll(t *testing.T, path string, acknowledged map[string]bool) int {
	f, err := Open(background, path)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer f.Close()
	found := map[string]int{}
	if err = f.View(background, func(r Record) error { found[string(r.Payload)]++; return nil }); err != nil {
		t.Error(err)
	}
	for text := range acknowledged {
		if found[text] != 1 {
			t.Errorf("record %s was acknowledged and is there %d times", text, found[text])
		}
	}
	return len(found) - 1
}

// TestProcessesReachTheLimit lets 16 processes race for 100 records. Each dies now and then while it holds the lock, and
// another one goes on in its place until all requests were made.
func TestProcessesReachTheLimit(t *testing.T) {
	const processes = 16
	requests := 20
	if thorough {
		requests = 10_000 / processes
	}
	path := filepath.Join(t.TempDir(), "ledger")
	f, err := Create(background, path, []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	var all sync.WaitGroup
	var lock sync.Mutex
	acknowledged, asked, kills := map[string]bool{}, 0, 0
	for p := range processes {
		all.Go(func() {
			for own, life := 0, 0; own < requests && !t.Failed(); life++ {
				lines := lived(t, "race", fmt.Sprint(p, "/", life), requests-own, path, 0)
				lock.Lock()
				for _, line := range lines {
					if line != refusedLine {
						acknowledged[line] = true
					}
				}
				asked += len(lines)
				if own += len(lines); own < requests { // the request that nobody answered
					own++
					kills++
				}
				lock.Unlock()
			}
		})
	}
	all.Wait()
	if n := findAll(t, path, acknowledged); n != raceLimit {
		t.Errorf("got %d records, want %d", n, raceLimit)
	}
	if kills == 0 {
		t.Error("no process died while it held the lock")
	}
	t.Logf("%d requests were answered and %d processes killed: %d of %d records were acknowledged", asked, kills, len(acknowledged), raceLimit)
}
