package main

import (
	"strings"
	"testing"
)

// TestQueryStatesRates asks at epsilon 100, where the counts of two levels stand out and two other cells are empty.
//
// At epsilon 20 about one run in 2000 failed. Tails of the noise are exponential in epsilon, so at epsilon 100
// a run fails with a probability far below 1e-6.
func TestQueryStatesRates(t *testing.T) {
	queryFiles(t)
	for _, c := range []struct {
		args   []string
		rates  string
		method string
	}{
		{[]string{"count"}, "at least 95 %", "at least 95 % over the noise alone, for these rows: exact for whole steps of the noise"},
		{[]string{"count", "--noise", "gaussian", "--confidence", "0.9"}, "90 %", "90 % over the noise alone, for these rows: exact"},
		{[]string{"mean", "age", "--by", "sex"}, "95 %, 95 %, at least 95 %, at least 95 %", "the noise of the count is in it; at least 95 % for (other), (missing)"},
		{[]string{"quantiles", "age"}, "", "with at least 95 % confidence each"},
	} {
		a := answered(t, append([]string{"--epsilon", "100"}, c.args...)...)
		var rates []string
		for _, r := range a.Rows {
			rates = append(rates, r.Rate)
		}
		if got := strings.Join(rates, ", "); got != c.rates || !strings.Contains(a.Method, c.method) {
			t.Errorf("%v: the rates are %q and the interval %q, want %q and %q", c.args, got, a.Method, c.rates, c.method)
		}
	}
}
