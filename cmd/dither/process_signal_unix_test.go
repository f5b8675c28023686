//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/ditherml/dither/internal/display"
)

// mainVariable makes the test program run main: its value are the arguments, a line each.
const mainVariable = "DITHER_TEST_MAIN"

// TestMainProcess is the process that TestQuitStopsInOrder stops.
func TestMainProcess(t *testing.T) {
	args := os.Getenv(mainVariable)
	if args == "" {
		t.Skip("this is a process of another test")
	}
	os.Args = append([]string{"dither"}, strings.Split(args, "\n")...)
	main()
}

// TestQuitStopsInOrder sends SIGQUIT to a run that has begun to train. By itself the Go runtime would print the stacks of
// all routines with their arguments. GOTRACEBACK asks for as much as there is.
func TestQuitStopsInOrder(t *testing.T) {
	schema, table := workplace(t, 100)
	args := []string{"train", "--data", table, "--schema", schema, "--model", "mlp", "--hidden", "3", "--sampling", "full", "--steps", "10000000", "--checkpoint", "state", "--out", "m"}
	c := exec.Command(os.Args[0], "-test.run=^TestMainProcess$")
	c.Env = append(os.Environ(), mainVariable+"="+strings.Join(args, "\n"), "GOTRACEBACK"+"=all")
	var out strings.Builder
	c.Stdout = &out
	messages, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	var said strings.Builder
	for one := make([]byte, 1); !strings.Contains(said.String(), "step "); {
		if _, err = messages.Read(one); err != nil {
			t.Fatalf("the run ended with %q and %q before a step was made: %v", out.String(), said.String(), err)
		}
		said.Write(one)
	}
	if err = c.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(messages)
	if err != nil {
		t.Fatal(err)
	}
	said.Write(rest)
	_ = c.Wait()
	if status := c.ProcessState.ExitCode(); status != exitFailed || !strings.Contains(said.String(), "--resume state goes on from it") {
		t.Errorf("got exit status %d and %q, want %d and where to go on", status, said.String(), exitFailed)
	}
	for _, word := range []string{"SIGQUIT", "goroutine", ".go:"} {
		if strings.Contains(out.String()+said.String(), word) {
			t.Errorf("got %q and %q, want no stack, as %q is a part of one", out.String(), said.String(), word)
		}
	}
	if !display.Exists("state") || display.Exists("m/model.json") {
		t.Errorf("there is a checkpoint: %v, and a model: %v, want the first alone", display.Exists("state"), display.Exists("m/model.json"))
	}
}

// TestDraftIsInterrupted cancels the draft of a schema in the middle of a header of very many columns. The header comes
// through a pipe, and its second half is written after the cancel.
func TestDraftIsInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	var header strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&header, "column%d,", i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = read
	defer func() { os.Stdin = stdin }()
	written := make(chan struct{})
	go func() {
		defer close(written)
		half := header.Len() / 2
		_, _ = write.WriteString(header.String()[:half])
		cancel()
		_, _ = write.WriteString(header.String()[half:] + "y\n")
		write.Close()
	}()
	var stdout, stderr strings.Builder
	status := run(ctx, []string{"schema", "init", "-", "--target", "y", "--out", "drafted.yaml"}, &stdout, &stderr)
	read.Close()
	<-written
	if status != exitFailed || !strings.Contains(stderr.String(), errInterrupted.Error()) || display.Exists("drafted.yaml") {
		t.Errorf("got exit status %d, %q and a schema: %v, want %d, that it was interrupted, and none", status, stderr.String(), display.Exists("drafted.yaml"), exitFailed)
	}
}
