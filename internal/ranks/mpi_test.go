//go:build mpi && cgo && unix

package ranks_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/ranks/rankstest"
)

// sceneVariable makes the test program one rank of a scene: its name, and the limit of silence.
const sceneVariable = "DITHER_TEST_SCENE"

func TestMain(m *testing.M) {
	if scene := os.Getenv(sceneVariable); scene != "" {
		os.Exit(play(scene))
	}
	os.Exit(m.Run())
}

// play plays one rank of a scene, as the command would, and returns the exit status.
func play(scene string) int {
	limit, name, _ := strings.Cut(scene, " ")
	silence, err := time.ParseDuration(limit)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	process.KeepMemoryPrivate()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	fmt.Printf("process %d is rank %s\n", os.Getpid(), os.Getenv("OMPI_COMM_WORLD_RANK")+os.Getenv("PMI_RANK"))
	options := []ranks.Option{ranks.Silence(silence), ranks.Until(ctx)}
	if short, found := strings.CutPrefix(name, "short pieces, "); found {
		name, options = short, append(options, ranks.Pieces(100_001))
	}
	t, err := ranks.Connect(options...)
	if err != nil {
		if !ranks.Alike(err) || ranks.Number() == 0 {
			fmt.Println("dither:", err)
		}
		return 2
	}
	err = act(ctx, t, name)
	if err != nil {
		t.Abort(err.Error())
		_, err = t.Receive(context.Background(), t.Rank())
	}
	if err != nil && ranks.Speaks(t, err) {
		fmt.Println("dither:", err)
	}
	if closed := t.Close(); err == nil && closed != nil {
		fmt.Println("dither:", closed)
		return 1
	}
	if err != nil {
		return 1
	}
	fmt.Println("done")
	return 0
}

// act plays a law, all laws after which a transport can be used, or another scene.
func act(ctx context.Context, t ranks.Transport, name string) error {
	if scene, found := scenes[name]; found {
		return scene(ctx, t)
	}
	for _, law := range rankstest.Laws() {
		if name != law.Name && (name != "laws" || law.Last) {
			continue
		}
		if err := law.Run(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", law.Name, err)
		}
		if strings.HasPrefix(name, "abort") {
			fmt.Println("kept")
			time.Sleep(time.Second) // so that other ranks keep it too
			_, err := t.Receive(ctx, t.Rank())
			return err
		}
	}
	return nil
}

// scenes are what ranks do besides laws.
var scenes = map[string]func(context.Context, ranks.Transport) error{"latency": latency, "idle": idle, "exchange": exchange, "recover": recovers, "compute": compute, "speed": speed, "leave": leave}

// latency measures the time of a message of 8 kB from rank 0 to rank 1.
func latency(ctx context.Context, t ranks.Transport) error {
	const times = 2000
	message := make([]byte, 8192)
	var spans []time.Duration
	for range times {
		began := time.Now()
		if t.Rank() == 0 {
			if err := t.Send(ctx, 1, message); err != nil {
				return err
			}
		}
		if t.Rank() < 2 {
			if _, err := t.Receive(ctx, 1-t.Rank()); err != nil {
				return err
			}
		}
		if t.Rank() == 1 {
			if err := t.Send(ctx, 0, message); err != nil {
				return err
			}
		}
		spans = append(spans, time.Since(began)/2)
	}
	if t.Rank() == 0 {
		slices.Sort(spans)
		fmt.Printf("8 kB from rank to rank: median %v, 90 %% %v, 99 %% %v\n", spans[times/2], spans[times*9/10], spans[times*99/100])
	}
	return nil
}

// speed measures the bytes that go from rank 0 to rank 1 in a second.
func speed(ctx context.Context, t ranks.Transport) error {
	const times, length = 40, 16 << 20
	message, began := make([]byte, length), time.Now()
	for range times {
		switch t.Rank() {
		case 0:
			if err := t.Send(ctx, 1, message); err != nil {
				return err
			}
		case 1:
			if _, err := t.Receive(ctx, 0); err != nil {
				return err
			}
		}
	}
	if t.Rank() == 1 {
		fmt.Printf("%.2f GB/s from rank to rank\n", times*length/time.Since(began).Seconds()/1e9)
	}
	return nil
}

// used returns the processor time of this process.
func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// idle measures what ranks cost that only wait: rank 0 for no message.
func idle(ctx context.Context, t ranks.Transport) error {
	if err := barrier(ctx, t); err != nil {
		return err
	}
	began, before := time.Now(), used()
	if t.Rank() == 0 {
		time.Sleep(2 * time.Second)
	}
	if err := barrier(ctx, t); err != nil {
		return err
	}
	what := "waiting"
	if t.Rank() == 0 {
		what = "waiting for no message"
	}
	fmt.Printf("%s takes %.1f %% of a processor\n", what, 100*float64(used()-before)/float64(time.Since(began)))
	return nil
}

// barrier returns once all ranks have called it.
func barrier(ctx context.Context, t ranks.Transport) error {
	_, err := ranks.Exchange(ctx, t, make([][]byte, t.Size()))
	return err
}

// exchange exchanges messages until the run ends.
func exchange(ctx context.Context, t ranks.Transport) error {
	fmt.Println("exchanging")
	for i := 0; ; i++ {
		outgoing := make([][]byte, t.Size())
		for to := range outgoing {
			outgoing[to] = []byte(strconv.Itoa(i * to))
		}
		incoming, err := ranks.Exchange(ctx, t, outgoing)
		if err != nil {
			return err
		}
		for from, m := range incoming {
			if string(m) != strconv.Itoa(i*t.Rank()) {
				return fmt.Errorf("round %d: rank %d sent %q", i, from, m)
			}
		}
	}
}

// recovers wants a panic of a nil pointer to be one that a program can recover from, whatever handlers MPI installs.
func recovers(ctx context.Context, t ranks.Transport) (err error) {
	defer func() {
		if recover() == nil {
			err = fmt.Errorf("got no panic")
		}
	}()
	var nothing *int
	*nothing = t.Rank()
	return nil
}

// leave ends the process of the last rank without Close.
func leave(ctx context.Context, t ranks.Transport) error {
	if t.Rank() == t.Size()-1 {
		os.Exit(3)
	}
	_, err := t.Receive(ctx, t.Size()-1)
	return err
}

// compute computes without a pause for several limits of silence.
func compute(ctx context.Context, t ranks.Transport) error {
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
		for i := range 1 << 20 {
			sink += i
		}
	}
	return barrier(ctx, t)
}

var sink int

// launch starts ranks that play a scene, and returns the launcher and what they print so far.
func launch(t *testing.T, size int, scene string) (*exec.Cmd, *output) {
	t.Helper()
	var arguments []string
	launcher := "mpirun"
	if name, _, _ := strings.Cut(ranks.Built(), " "); name == "Open" {
		arguments = append(arguments, "--allow-run-as-root", "--oversubscribe", "--quiet")
		if _, err := exec.LookPath("mpirun.openmpi"); err == nil {
			launcher = "mpirun.openmpi"
		}
	} else if _, err := exec.LookPath("mpirun.mpich"); err == nil {
		launcher = "mpirun.mpich"
	}
	if _, err := exec.LookPath(launcher); err != nil {
		t.Skip("there is no mpirun")
	}
	c := exec.Command(launcher, append(arguments, "-np", strconv.Itoa(size), os.Args[0])...)
	c.Env = append(os.Environ(), sceneVariable+"="+scene)
	out := &output{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, out
}

// output is what a program has printed so far.
type output struct {
	mu   sync.Mutex
	text []byte
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

var isRank = regexp.MustCompile(`(?m)^process (\d+) is rank (\d+)$`)

// processes returns the processes of ranks that have begun.
func (o *output) processes() map[int]int {
	found := map[int]int{}
	for _, m := range isRank.FindAllStringSubmatch(o.String(), -1) {
		process, _ := strconv.Atoi(m[1])
		found[number(m[2])] = process
	}
	return found
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// wantDone plays a scene and wants it to end well.
func wantDone(t *testing.T, size int, scene string) {
	t.Helper()
	c, out := launch(t, size, scene)
	if err := c.Wait(); err != nil || strings.Count(out.String(), "done\n") != size {
		t.Errorf("%d ranks, %s: %v, and printed:\n%s", size, scene, err, out)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.Contains(line, "rank to rank") || strings.Contains(line, "waiting") {
			t.Log(line)
		}
	}
}

// TestConnectedRanksKeepLaws holds what every transport promises for processes.
func TestConnectedRanksKeepLaws(t *testing.T) {
	sizes := []int{1, 2, 3, 8}
	if testing.Short() {
		sizes = []int{1, 3}
	}
	for _, size := range sizes {
		wantDone(t, size, "10m laws")
		wantDone(t, size, "10m close")
	}
	scenes := []string{"10m recover", "10m latency", "10m short pieces, laws"}
	if !testing.Short() {
		scenes = append(scenes, "1s compute", "10m speed", "10m idle")
	}
	for _, scene := range scenes {
		wantDone(t, 2, scene)
	}
}

// lines returns what the command would tell the user.
func lines(out *output) []string {
	return regexp.MustCompile(`(?m)^dither: .*`).FindAllString(out.String(), -1)
}

// TestAbortOfConnectedRanks holds the laws about ranks that abort. At most one line names one rank: a launcher that ends all
// processes may do so before it is printed.
func TestAbortOfConnectedRanks(t *testing.T) {
	for _, scene := range []string{"10m abort", "10m abort together"} {
		c, out := launch(t, 3, scene)
		err := c.Wait()
		if told := lines(out); err == nil || !strings.Contains(out.String(), "kept\n") || len(told) > 1 || len(told) == 1 && !regexp.MustCompile(`^dither: rank (2 of 3 ended the run: a disk is full|(\d) of 3 ended the run: reason \d)$`).MatchString(told[0]) {
			t.Errorf("%s: %v, and printed:\n%s", scene, err, out)
		}
		wantNoneLeft(t, out)
	}
}

// wantNoneLeft wants all processes of ranks to end.
func wantNoneLeft(t *testing.T, out *output) {
	t.Helper()
	for rank, process := range out.processes() {
		for until := time.Now().Add(time.Minute); syscall.Kill(process, 0) == nil; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("the process of rank %d is left, after:\n%s", rank, out)
			}
		}
	}
}

// TestLostRanks kills and stops ranks at random moments. The launcher must fail, no process may be left, and nothing but the
// lost rank may be named. Before all ranks have begun, a launcher that notices first may end all of them before one line is
// printed.
func TestLostRanks(t *testing.T) {
	times := 2
	if !testing.Short() {
		times = 50
	}
	for i := range times {
		loseRank(t, 2+i%3, syscall.SIGKILL, "10m", 0)
		if i%5 == 1 || i%5 == 2 {
			loseRank(t, 2+i%3, syscall.SIGSTOP, "1s", i%5-1)
		}
	}
}

// reserved is what a watcher adds, which knows no more of the budget.
const reserved = "; what the run had reserved stays spent"

// loseRank sends a signal to one of the ranks of a run, once so many have begun to exchange messages.
func loseRank(t *testing.T, size int, signal syscall.Signal, silence string, exchanging int) {
	t.Helper()
	c, out := launch(t, size, silence+" exchange")
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for len(out.processes()) < size || strings.Count(out.String(), "exchanging") < exchanging {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
	rank, begun := rand.IntN(size), strings.Count(out.String(), "exchanging") > 0
	_ = syscall.Kill(out.processes()[rank], signal)
	select {
	case err := <-ended:
		if err == nil {
			t.Errorf("the launcher ended well after %v of rank %d of %d, and:\n%s", signal, rank, size, out)
		}
	case <-time.After(5 * time.Minute):
		_ = c.Process.Kill()
		t.Errorf("the launcher did not end after %v of rank %d of %d, and:\n%s", signal, rank, size, out)
	}
	wantNoneLeft(t, out)
	what := "has ended before the run did"
	if signal == syscall.SIGSTOP {
		what = "has been silent for " + silence
	}
	want, unbegun, fewest := fmt.Sprintf("dither: rank %d of %d %s", rank, size, what), 0, 0
	told := lines(out)
	if signal == syscall.SIGKILL {
		if begun && runtime.GOOS == "linux" {
			fewest = 1 // who watches tells it, when no rank can
		}
		unbegun = strings.Count(out.String(), "stopped before all ranks had begun MPI")
	} else {
		unbegun = strings.Count(out.String(), "not all of them have begun MPI within 4s")
	}
	if len(told) < fewest || len(told) > 1+unbegun || len(told) == 1 && unbegun == 0 && strings.TrimSuffix(told[0], reserved) != want {
		t.Errorf("after %v of rank %d of %d got %q, want %d to %d times the line %q", signal, rank, size, told, fewest, 1+unbegun, want)
	} else {
		t.Logf("%v of rank %d of %d: %q", signal, rank, size, told)
	}
}

// TestBuilt reads what libraries say of themselves.
func TestBuilt(t *testing.T) {
	if !regexp.MustCompile(`^(Open MPI|MPICH) \d+\.\d+`).MatchString(ranks.Built()) {
		t.Errorf("got %q, want a name and a version", ranks.Built())
	}
}
