//go:build mpi && cgo && linux

package ranks_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/ranks"
)

// joinVariable makes the test program a process that a watcher watches: the address of the watcher comes by standard input.
const joinVariable = "DITHER_TEST_JOIN"

func init() {
	if os.Getenv(joinVariable) == "" {
		return
	}
	address, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if !ranks.Join(strings.TrimSpace(address)) {
		os.Exit(1)
	}
	memory := make([]byte, 64<<20) // whose release takes a moment
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	fmt.Println("joined")
	time.Sleep(time.Hour)
	os.Exit(int(memory[1]))
}

// TestWatcherNamesTheFirst kills one of several processes, and all others as soon as its output is closed, as MPICH does. What
// the watcher says must name the first one. A watcher that is dismissed says nothing.
func TestWatcherNamesTheFirst(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		size := 2 + round%3
		var processes []*exec.Cmd
		var outputs []*bufio.Reader
		var inputs []io.Writer
		numbers := map[int]int{}
		for rank := range size {
			c := exec.CommandContext(t.Context(), os.Args[0])
			c.Env = append(os.Environ(), joinVariable+"=1")
			in, err := c.StdinPipe()
			out, err2 := c.StdoutPipe()
			if err != nil || err2 != nil || c.Start() != nil {
				t.Fatalf("rank %d does not start: %v, %v", rank, err, err2)
			}
			processes, inputs, outputs, numbers[rank] = append(processes, c), append(inputs, in), append(outputs, bufio.NewReader(out)), c.Process.Pid
		}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		all := size + round%2 // with one more on another machine
		watcher, address := ranks.StartWatcher(all, numbers, write)
		_ = write.Close()
		if watcher == 0 || !strings.HasPrefix(address, "@") {
			t.Fatalf("got process %d and address %q, want a watcher", watcher, address)
		}
		for rank := range size {
			_, _ = fmt.Fprintln(inputs[rank], address)
			if line, err := outputs[rank].ReadString('\n'); line != "joined\n" {
				t.Fatalf("rank %d got %q, %v, want to join", rank, line, err)
			}
		}
		first, dismissed := rand.IntN(size), round%10 == 9
		if dismissed {
			_ = syscall.Kill(watcher, syscall.SIGTERM)
		}
		_ = processes[first].Process.Kill()
		_, _ = io.Copy(io.Discard, outputs[first])
		for _, c := range processes {
			_ = c.Process.Kill()
		}
		told, err := io.ReadAll(read)
		want := fmt.Sprintf("dither: rank %d of %d has ended before the run did", first, all)
		switch {
		case err != nil:
			t.Fatal(err)
		case dismissed && len(told) > 0:
			t.Errorf("a watcher that was dismissed said %q", told)
		case !dismissed && (strings.Count(string(told), "\n") != 1 || !strings.HasPrefix(string(told), want+"; what") && !strings.HasPrefix(string(told), want+", as the first one on ")):
			t.Errorf("got %q, want a line that begins with %q", told, want)
		}
		_ = read.Close()
		for _, c := range processes {
			_ = c.Wait()
		}
	}
}

// TestWatcherKnowsWhoJoined holds that nobody else is admitted, and that nothing is told of ranks that had not joined: another
// one may have been first.
func TestWatcherKnowsWhoJoined(t *testing.T) {
	processes := map[int]int{}
	var sleeping []*exec.Cmd
	for rank := range 2 {
		c := exec.CommandContext(t.Context(), "sleep", "3600")
		if err := c.Start(); err != nil {
			t.Skip(err)
		}
		processes[rank], sleeping = c.Process.Pid, append(sleeping, c)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_, address := ranks.StartWatcher(2, processes, write)
	_ = write.Close()
	for range 2 {
		stranger := exec.CommandContext(t.Context(), os.Args[0])
		stranger.Env = append(os.Environ(), joinVariable+"=1")
		stranger.Stdin = strings.NewReader(address + "\n")
		out, err := stranger.StdoutPipe()
		if err != nil || stranger.Start() != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "joined\n" {
			t.Fatalf("a stranger got %q, %v, want to connect", line, err)
		}
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	}
	for _, c := range sleeping {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	if text, err := io.ReadAll(read); len(text) > 0 || err != nil {
		t.Errorf("got %q, %v, want nothing", text, err)
	}
}
