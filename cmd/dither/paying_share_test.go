//go:build unix

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
)

// TestEpsilonIsAShare asks for a third of the epsilon of a ledger. No filter charges more than a third of the budget, by
// more noise where the plan's own epsilon alone would not keep it.
func TestEpsilonIsAShare(t *testing.T) {
	said := regexp.MustCompile(`charge +([0-9.]+) % of the ledger's budget; the plan's own guarantee has epsilon ([0-9.]+); --epsilon 1 is 33.4 % of the epsilon 3 of the ledger, and --charge takes more`)
	sampled := []string{"train", "--steps", "5", "--model", "mlp", "--hidden", "3", "--epsilon", "1"} // DP-SGD
	pure := []string{"query", "count", "--epsilon", "1", "--noise", "laplace"}
	full := []string{"train", "--interactions", "none", "--steps", "3", "--epsilon", "1"}
	for _, c := range []struct {
		filter string
		args   []string
		more   bool // noise than the plan's own epsilon wants
	}{{"rdp", full, false}, {"rdp", pure, true}, {"zcdp", full, false}, {"zcdp", pure, true}, {"gdp", sampled, true}, {"basic", pure, false}} {
		if !thorough && c.filter == "zcdp" {
			continue
		}
		t.Chdir(t.TempDir())
		mustInvoke(t, "ledger", "create", "health.ledger", "--data", "randhie", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5", "--filter", c.filter)
		_, stderr := mustInvoke(t, append(slices.Clone(c.args), "--data", "builtin:randhie", "--ledger", "health.ledger", "--out", "out")...)
		found := said.FindStringSubmatch(stderr)
		if (found != nil) != c.more {
			t.Errorf("%s, %v: got %q, want the charge named if it needs more noise: %v", c.filter, c.args, stderr, c.more)
		}
		own := 1.0
		if found != nil {
			own = display.Parse(found[2])
		}
		out, err := certificate.Read("out/certificate.json")
		if err != nil {
			t.Fatal(err)
		}
		if last := counted(t, "health.ledger")[0]; !(last.Share <= 1.0/3+1e-6) || c.more && !(last.Share > 0.332) || !(float64(out.Epsilon) <= own) || c.more && !(float64(out.Epsilon) < 0.99) {
			t.Errorf("%s, %v: the share is %v and the own epsilon %v, want at most a third, and at most %v", c.filter, c.args, last.Share, out.Epsilon, own)
		}
		mustInvoke(t, "verify", "out", "--ledger", "health.ledger")
	}
	t.Chdir(t.TempDir())
	mustInvoke(t, "ledger", "create", "health.ledger", "--data", "randhie", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	table := []string{"--data", "builtin:randhie", "--ledger", "health.ledger"}
	_, stderr := mustInvoke(t, append([]string{"query", "count", "--epsilon", "1", "--charge", "left"}, table...)...)
	if own := regexp.MustCompile(`epsilon ([0-9.]+)\n`).FindStringSubmatch(stderr); own == nil || display.Parse(own[1]) != 1 {
		t.Errorf("got %q, want all of epsilon 1 where the charge allows it", stderr)
	}
	if status, _, refusal := invoke(append([]string{"query", "count", "--charge", "7"}, table...)...); status != exitUsage || !strings.Contains(refusal, "--charge is") {
		t.Errorf("got %d and %q, want a share", status, refusal)
	}
	if status, _, refusal := invoke(append([]string{"train", "--steps", "3", "--epsilon", "5"}, table...)...); status != exitRefused || strings.Contains(refusal, "charge ") {
		t.Errorf("got %d and %q, want more than the whole budget refused, and nothing calibrated", status, refusal)
	}
	_, stderr = mustInvoke(t, append([]string{"query", "count", "--charge", "5%"}, table...)...)
	if !strings.Contains(stderr, "charge     5 % of") {
		t.Errorf("got %q, want a charge of 5 %%", stderr)
	}
}

// TestChargesAreSaid asks for shares in ledgers that charge more than the epsilon of a plan, and with noise that is given.
// What a run says of its own epsilon is that of its certificate.
func TestChargesAreSaid(t *testing.T) {
	create := []string{"ledger", "create", "health.ledger", "--data", "randhie", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5"}
	count := []string{"query", "count", "--data", "builtin:randhie", "--ledger", "health.ledger", "--noise", "gaussian", "--out", "out"}
	for _, c := range []struct {
		terms, args []string
		share       float64
		want        string
	}{
		{[]string{"--filter", "basic"}, []string{"--epsilon", "0.1"}, 0.1, "so a smaller --delta takes less"},
		{[]string{"--filter", "basic"}, []string{"--epsilon", "0.5"}, 0.5 / 3, ""},
		{[]string{"--filter", "basic", "--unit", "person"}, []string{"--epsilon", "0.5"}, 0.5 / 3, "and --charge takes more"},
		{[]string{"--filter", "rdp"}, []string{"--epsilon", "1", "--noise-multiplier", "20", "--charge", "30%"}, 0.0056, "has epsilon 0.189"},
	} {
		t.Chdir(t.TempDir())
		mustInvoke(t, append(slices.Clone(create), c.terms...)...)
		_, stderr := mustInvoke(t, append(slices.Clone(count), c.args...)...)
		if !strings.Contains(stderr, c.want) || strings.Contains(stderr, "charge ") != (c.want != "") {
			t.Errorf("%v, %v: got %q, want %q", c.terms, c.args, stderr, c.want)
		}
		if last := counted(t, "health.ledger")[0]; !(last.Share <= c.share*(1+1e-6)) {
			t.Errorf("%v, %v: the share is %v, want at most %v", c.terms, c.args, last.Share, c.share)
		}
	}
	t.Chdir(t.TempDir())
	mustInvoke(t, create...)
	mustInvoke(t, "train", "--data", "builtin:randhie", "--steps", "3", "--out", "model")
	_, stderr := mustInvoke(t, "evaluate", "model", "builtin:randhie", "--private", "--charge", "5%", "--ledger", "health.ledger")
	if !strings.Contains(stderr, "charge     5 % of") && !strings.Contains(stderr, "charge     4.9") {
		t.Errorf("got %q, want an evaluation for 5 %% of the budget", stderr)
	}
}
