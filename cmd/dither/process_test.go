package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/training"
)

// processVariable makes the test program a process of dither: its value are the arguments, a line each.
const processVariable = "DITHER_TEST_PROCESS"

func TestMain(m *testing.M) {
	debug.SetGCPercent(800) // commands are many and short, and leave much behind
	debug.SetMemoryLimit(2 << 30)
	training.MostMeasured = 512
	os.Exit(m.Run())
}

// processClock is the time of the ledgers that such a process writes, "" for that of the machine.
const processClock = "DITHER_TEST_CLOCK"

// TestProcess is the process that other tests kill.
func TestProcess(t *testing.T) {
	args := os.Getenv(processVariable)
	if args == "" {
		t.Skip("this is a process of another test")
	}
	if now, err := time.Parse(time.RFC3339, os.Getenv(processClock)); err == nil {
		chain.Clock = func() time.Time { return now }
	}
	drawImage = drawNothing
	os.Exit(run(context.Background(), strings.Split(args, "\n"), os.Stdout, os.Stderr))
}

// drawNothing stands in for an image.
func drawNothing(w io.Writer, _ figure.Figure) error {
	_, err := io.WriteString(w, "no image")
	return err
}

// withoutImages makes the sweeps of a test write no images until the test ends. TestSweepPublic makes images.
func withoutImages(t *testing.T) {
	t.Helper()
	draw := drawImage
	drawImage = drawNothing
	t.Cleanup(func() { drawImage = draw })
}

// startable returns a process of dither that has not begun.
func startable(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestProcess$")
	c.Env = append(os.Environ(), processVariable+"="+strings.Join(args, "\n"))
	return c
}
