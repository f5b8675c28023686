package attack

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestMain computes a part of an audit where the process was started for one.
func TestMain(m *testing.M) {
	if os.Getenv(partVariable) != "" && len(os.Args) == 2 {
		if err := WritePart(context.Background(), os.Stdout, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// ran are the audits of one row of docs/audits.tsv.
type ran struct {
	commit, level   string
	effort          float64
	audits, refuted int
}

// readAudits returns the rows of docs/audits.tsv.
func readAudits() ([]ran, error) {
	text, err := os.ReadFile("../../docs/audits.tsv")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if lines[0] != "commit\tlevel\teffort\taudits\trefuted" {
		return nil, fmt.Errorf("the first line is %q, want the names of the columns", lines[0])
	}
	var rows []ran
	for i, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != 5 {
			return nil, fmt.Errorf("row %d has %d fields, want 5", i+1, len(fields))
		}
		r := ran{commit: fields[0], level: fields[1]}
		var errs [3]error
		r.effort, errs[0] = strconv.ParseFloat(fields[2], 64)
		r.audits, errs[1] = strconv.Atoi(fields[3])
		r.refuted, errs[2] = strconv.Atoi(fields[4])
		if errs != [3]error{} || len(r.commit) != 8 || !(r.effort > 0) || r.audits < 1 || r.refuted < 0 || r.refuted > r.audits ||
			!slices.Contains([]string{"portable", "avx2", "avx512", "avx512-vnni"}, r.level) {
			return nil, fmt.Errorf("row %d is %q, want a commit, a level, an effort, audits and refuted ones", i+1, line)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// TestRecordedAuditsPassed adds up docs/audits.tsv. No audit of the correct program may have refuted it, and
// the page has the sums by effort.
func TestRecordedAuditsPassed(t *testing.T) {
	rows, err := readAudits()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	all, byEffort := ran{}, map[float64]ran{}
	for _, r := range rows {
		sum := byEffort[r.effort]
		sum.audits, sum.refuted = sum.audits+r.audits, sum.refuted+r.refuted
		byEffort[r.effort] = sum
		all.audits, all.refuted = all.audits+r.audits, all.refuted+r.refuted
	}
	t.Logf("%d audits of the correct program, %d refuted", all.audits, all.refuted)
	if all.refuted > 0 {
		t.Errorf("%d of %d audits refuted the correct program: each does with probability at most 1e-6", all.refuted, all.audits)
	}
	for effort, sum := range byEffort {
		if row := fmt.Sprintf("| %d | %v | %d |", sum.audits, effort, sum.refuted); !strings.Contains(string(page), row) {
			t.Errorf("docs/audit.md has no row %q, want the sum of docs/audits.tsv", row)
		}
	}
}
