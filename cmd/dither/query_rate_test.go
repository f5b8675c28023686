package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestQueryStatesRates asks at epsilon 100, where the counts of two levels stand out and two other cells are empty.
//
// Noise makes the count of an empty cell stand out in less than 0.1 % of the questions, at any epsilon. Then its rate is
// exact. So each question is asked six times, and two answers may differ. An honest run fails with a probability below
// 20·0.002³ = 1.6e-7.
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
		var different []string
		for range 6 {
			a := answered(t, append([]string{"--epsilon", "100"}, c.args...)...)
			var rates []string
			for _, r := range a.Rows {
				rates = append(rates, r.Rate)
			}
			if got := strings.Join(rates, ", "); got != c.rates || !strings.Contains(a.Method, c.method) {
				different = append(different, fmt.Sprintf("the rates %q and the interval %q", got, a.Method))
			}
		}
		if len(different) > 2 {
			t.Errorf("%v: got %s, want %q and %q in at least 4 of 6 answers", c.args, strings.Join(different, "; "), c.rates, c.method)
		}
	}
}
