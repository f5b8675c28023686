package attack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/failure"
)

// partVariable is the environment variable that says that the process is a part of an audit. A part
// starts no further ones.
const partVariable = "DITHER_AUDIT_PART"

// processorVariable is the environment variable that lowers the level of processor instructions.
const processorVariable = "DITHER_PROCESSOR"

// Program attacks the running program. If another process is needed, it calls the program again
// with these arguments and the name of a part. It reports its progress to messages.
func Program(ctx context.Context, messages io.Writer, effort float64, arguments ...string) (auditing.Report, error) {
	if os.Getenv(partVariable) != "" {
		return auditing.Report{}, fmt.Errorf("%s is set, want it unset: this process is a part of an audit, and starts none", partVariable)
	}
	path, err := os.Executable()
	if err != nil {
		return auditing.Report{}, failure.Running(fmt.Errorf("the program does not find its own file, which it must run again: %w", err))
	}
	t := &told{out: messages, start: time.Now()}
	r, err := Run(ctx, Options{Effort: effort, Progress: t.tell, Child: func(ctx context.Context, level, part string) ([]byte, error) {
		return child(ctx, path, level, append(append([]string{}, arguments...), part))
	}})
	if err != nil && ctx.Err() == nil {
		err = failure.Running(err)
	}
	return r, err
}

// child runs the program again and returns what it prints.
func child(ctx context.Context, path, level string, arguments []string) ([]byte, error) {
	c := exec.CommandContext(ctx, path, arguments...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, processorVariable+"=") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, partVariable+"=1")
	if level != "" {
		c.Env = append(c.Env, processorVariable+"="+level)
	}
	var said bytes.Buffer
	c.Stderr = &said
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("a second process of this program ended: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return text, nil
}

// told writes progress: a line whenever a tenth more is done, and some at the beginning.
type told struct {
	out   io.Writer
	start time.Time
	next  float64
}

// tell writes a line for the share that is done, if it is time for one.
func (t *told) tell(what string, done float64) {
	if done < t.next {
		return
	}
	t.next = done + min(0.1, max(0.01, done))
	line := fmt.Sprintf("%3.0f %% done, now %s", 100*done, what)
	if passed := time.Since(t.start); done >= 0.05 {
		line += fmt.Sprintf(", about %v left", (time.Duration(float64(passed) * (1 - done) / done)).Round(time.Second))
	}
	_, _ = fmt.Fprintln(t.out, line) // messages that nobody reads end no audit
}
