package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/experiment"
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
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		if host := r.Host; !own(host) {
			out.requests = append(out.requests, r.Method+" "+host)
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer proxy.Close()
	folder := t.TempDir()
	file := filepath.Join(folder, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	limit, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(limit, path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--v=0", "--user-data-dir="+filepath.Join(folder, "profile"),
		"--proxy-server="+strings.TrimPrefix(proxy.URL, "http://"), "--proxy-bypass-list=<-loopback>", "--dump-dom", "file://"+file)
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

// TestBrowser opens a document that holds every hostile text in every place, and a page of a model with
// them: nothing of them may run, be refused or be asked for, and the one script of the page must run under
// the policy.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	d := exampleDocument()
	for i, payload := range payloads {
		// What would run says so on the console, and would not end with a dialog that nobody sees.
		payload = strings.ReplaceAll(payload, "alert(1)", fmt.Sprintf("console.error(%d)", i))
		hostile := exampleDocument()
		hostile.Sections[0].Figures = []experiment.Figure{smallFigure()}
		d.Sections = append(d.Sections, filledWith(hostile, payload).Sections...)
	}
	s := browse(t, documented(t, d))
	if len(s.console) > 0 || len(s.requests) > 0 {
		t.Errorf("got messages %q and requests %q, want none", s.console[:min(3, len(s.console))], s.requests)
	}
	drawn := strings.Count(s.dom, `<figure class="drawn`)
	if live := strings.Count(s.dom, `<figure class="drawn broad live"`) + strings.Count(s.dom, `<figure class="drawn live"`); live != drawn || drawn != len(payloads)+len(exampleFigures()) {
		t.Errorf("got %d figures, of which %d answer, want all of %d", drawn, live, len(payloads)+len(exampleFigures()))
	}
}
