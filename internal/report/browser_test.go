package report

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/figure"
)

// browsers are the names under which a Chromium may be installed.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell"}

// seen is what a browser did with a page.
type seen struct {
	dom      string   // the page after its script
	console  []string // messages, such as a refused script
	requests []string // hosts other than those that the browser asks for itself
}

// browse opens a page in a headless browser whose only way out is a proxy that refuses and notes every
// request. It skips the test where there is no browser or the machine is too slow for it.
func browse(t *testing.T, page string) seen {
	t.Helper()
	var path string
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skipf("no browser is installed, want one of %s", strings.Join(browsers, ", "))
	}
	var out seen
	var lock sync.Mutex
	proxy := refusing(t, func(method, host string) {
		lock.Lock()
		defer lock.Unlock()
		if !own(host) {
			out.requests = append(out.requests, method+" "+host)
		}
	})
	folder := t.TempDir()
	file := filepath.Join(folder, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	limit, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(limit, path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--v=0", "--user-data-dir="+filepath.Join(folder, "profile"),
		"--proxy-server="+proxy, "--proxy-bypass-list=<-loopback>", "--dump-dom", "file://"+file)
	var dom, log bytes.Buffer
	run.Stdout, run.Stderr = &dom, &log
	run.WaitDelay = 5 * time.Second
	if err := run.Run(); err != nil || limit.Err() != nil {
		t.Skipf("the browser does not run here: %v", errors.Join(err, limit.Err()))
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			out.console = append(out.console, line)
		}
	}
	lock.Lock()
	defer lock.Unlock()
	out.dom = dom.String()
	return seen{out.dom, out.console, slices.Clone(out.requests)}
}

// refusing starts a proxy that refuses every request, after note has been called with its method and host, and returns
// the address. It reads of HTTP the first line, in which a request to a proxy names the host. What it cannot read it
// notes too, so that nothing goes by unseen.
func refusing(t *testing.T, note func(method, host string)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, failed := listener.Accept()
			if failed != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(time.Minute))
				if method, host := readRequest(bufio.NewReader(c)); method != "" {
					note(method, host)
				}
				_, _ = c.Write([]byte("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			}()
		}
	}()
	return listener.Addr().String()
}

// readRequest returns method and host of a request to a proxy, which names the host in its first line, and nothing of a
// connection that says nothing.
func readRequest(r *bufio.Reader) (method, host string) {
	first, err := r.ReadString('\n')
	if first == "" {
		return "", ""
	}
	for line := first; err == nil && strings.TrimSpace(line) != ""; {
		line, err = r.ReadString('\n')
	}
	method, rest, _ := strings.Cut(strings.TrimSpace(first), " ")
	host, _, _ = strings.Cut(rest, " ")
	if _, after, found := strings.Cut(host, "://"); found {
		host, _, _ = strings.Cut(after, "/")
	}
	return method, host
}

// TestRefusingProxy wants requests of all kinds noted and refused.
func TestRefusingProxy(t *testing.T) {
	requests := make(chan string, 10)
	address := refusing(t, func(method, host string) { requests <- method + " " + host })
	for text, want := range map[string]string{
		"GET http://evil.example/a?b=http://c HTTP/1.1\r\nHost: evil.example\r\n\r\n": "GET evil.example",
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n":         "CONNECT evil.example:443",
		"POST http://127.0.0.1:8080/ HTTP/1.0\r\n\r\n":                                "POST 127.0.0.1:8080",
		"\x16\x03\x01\n\n": "\x16\x03\x01 ",
	} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 403 ") {
			t.Errorf("%q: got answer %q and %v, want a refusal", text, answer, err)
		}
		if got := <-requests; got != want {
			t.Errorf("%q: noted %q, want %q", text, got, want)
		}
		_ = c.Close()
	}
}

// own reports whether a host is one that browsers ask for by themselves.
func own(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	for _, end := range []string{"google.com", "googleapis.com", "gstatic.com", "gvt1.com", "googleusercontent.com"} {
		if host == end || strings.HasSuffix(host, "."+end) {
			return true
		}
	}
	return false
}

// calling is a hostile text that, if it ran, would say so on the console and not in a dialog that nobody sees.
func calling(i int) string {
	return strings.ReplaceAll(payloads[i%len(payloads)], "alert(1)", fmt.Sprintf("console.error(%d)", i))
}

// TestBrowser opens a document that holds every hostile text in every place, and the page of a model with all of
// them in its places in turn: nothing of them may run, be refused or be asked for, and the one script of the page
// must run under the policy.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	d := exampleDocument()
	for i := range payloads {
		hostile := exampleDocument()
		hostile.Sections[0].Figures = []figure.Figure{smallFigure()}
		d.Sections = append(d.Sections, filledWith(hostile, calling(i)).Sections...)
	}
	used := 0
	page := figuredPage()
	page.Banner = "set"
	page = filledFrom(page, func() string { used++; return calling(used - 1) })
	if used < len(payloads) {
		t.Fatalf("got %d texts in a page, want one for each of the %d attacks", used, len(payloads))
	}
	for name, text := range map[string]struct {
		page    string
		figures int
	}{"document": {documented(t, d), len(payloads) + len(exampleFigures())}, "model": {written(t, page, 0), 4}} {
		s := browse(t, text.page)
		if len(s.console) > 0 || len(s.requests) > 0 {
			t.Errorf("%s: got messages %q and requests %q, want none", name, s.console[:min(3, len(s.console))], s.requests)
		}
		drawn := strings.Count(s.dom, `<figure class="drawn`)
		live := strings.Count(s.dom, `<figure class="drawn broad live"`) + strings.Count(s.dom, `<figure class="drawn live"`)
		if live != drawn || drawn != text.figures {
			t.Errorf("%s: got %d figures, of which %d answer, want all of %d", name, drawn, live, text.figures)
		}
	}
}

// probe drives the script of a page: it hides the first curve of the legend, points at the first point of the
// second, and goes on with the arrow keys; what it finds it writes into the document.
const probe = `
const figure = document.querySelector("figure.drawn");
const svg = figure.querySelector("svg.chart");
const bubble = figure.querySelector(".bubble");
const said = [];
const say = () => said.push(bubble.hidden ? "nothing" : bubble.textContent);
const box = figure.querySelector("input[data-entry='0']");
const curve = (i) => figure.querySelectorAll("g[data-at]")[i];
const pointAt = (i) => {
  const at = curve(i).dataset.at.split(" ").map(Number);
  const place = svg.getBoundingClientRect();
  svg.dispatchEvent(new PointerEvent("pointermove", {clientX: place.left + at[0] / 400 * place.width, clientY: place.top + at[1] / 280 * place.height}));
  say();
};
const press = (key) => { svg.dispatchEvent(new KeyboardEvent("keydown", {key: key})); say(); };
say();
pointAt(0);
box.checked = false;
box.dispatchEvent(new Event("change"));
said.push(curve(0).getBoundingClientRect().width === 0 ? "hidden" : "shown");
pointAt(1);
press("ArrowRight");
press("ArrowRight");
press("ArrowLeft");
press("ArrowDown");
const marks = () => said.push([...svg.querySelectorAll("text.marked")].map((t) => t.textContent).join(" and ") || "no mark");
marks();
svg.dispatchEvent(new MouseEvent("click"));
press("ArrowLeft");
press("Enter");
marks();
press("Enter");
marks();
press("Escape");
svg.dispatchEvent(new MouseEvent("click"));
marks();
svg.dispatchEvent(new PointerEvent("pointermove", {clientX: -1000, clientY: -1000}));
say();
const out = document.createElement("pre");
out.id = "said";
out.textContent = said.join("\n");
document.body.append(out);
`

// TestChartScript wants the script to tell the values that were drawn, in the order of the points, and to hide
// what is unticked. The page has no policy here, so that the probe may run.
func TestChartScript(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	f := figure.Figure{Title: "Two curves", Panels: []figure.Panel{{X: figure.Axis{Label: "x"}, Y: figure.Axis{Label: "y"}, Series: []figure.Series{
		{Name: "<b>first</b>", Points: []figure.Point{figure.Value(0, 1), figure.Value(1, 1.5)}},
		{Name: "second", Points: []figure.Point{{X: 0, Y: 9, Low: 8, High: 10}, figure.Value(1, 9.5)}},
		{Name: "third", Points: []figure.Point{figure.Value(0, 5), figure.Value(1, -5)}},
	}}}}
	page := documented(t, Document{Title: "x", Sections: []Section{{Figures: []figure.Figure{f}}}})
	page = strings.Replace(page, "Content-Security-Policy", "none", 1)
	page = strings.Replace(page, "</body>", "<script>"+probe+"</script></body>", 1)
	s := browse(t, page)
	_, rest, found := strings.Cut(s.dom, `<pre id="said">`)
	said, _, _ := strings.Cut(rest, "</pre>")
	want := []string{"nothing", "&lt;b&gt;first&lt;/b&gt;, 0: 1", "hidden", "second, 0: 9 (8 to 10)", "second, 1: 9.5", "third, 0: 5", "second, 1: 9.5", "third, 1: −5", "no mark", "third, 0: 5", "third, 0: 5", "1: −5 and 0: 5", "third, 0: 5", "1: −5", "nothing", "1: −5", "nothing"}
	if got := strings.Split(said, "\n"); !found || !slices.Equal(got, want) {
		t.Errorf("got %q and messages %q, want %q", got, s.console, want)
	}
}
