package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// page runs the ten commands of the page about databases in a shell.
func (p *databaseTest) page(t *testing.T) {
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("no psql here: install the system's package postgresql-client")
	}
	page := p.pageText
	_, page, _ = strings.Cut(page, "## From an empty table to a scored column")
	_, page, _ = strings.Cut(page, "```bash\n")
	commands, _, found := strings.Cut(page, "```")
	if lines := strings.Count(commands, "\n"); !found || lines != 10 {
		t.Fatalf("got %d commands, want 10", lines)
	}
	t.Chdir(t.TempDir())
	script := "#!/bin/sh\n" + processVariable + "=\"$(printf '%s\\n' \"$@\")\" exec '" + p.program + "' -test.run='^TestProcess$'\n"
	if err = os.WriteFile("dither", []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-e", "-c", commands+`psql -Atc "SELECT count(*), count(score), avg((score > 0.5 AND ill = 'yes' OR score < 0.5 AND ill = 'no')::int) > 0.8 FROM visits"`)
	folder, _ := os.Getwd()
	c.Env = append(os.Environ(), "PATH="+folder+":"+filepath.Dir(psql)+":"+os.Getenv("PATH"), "PGHOST="+p.server.Folder(), "PGUSER=dither", "PGDATABASE=postgres", "PGPASSWORD="+planted)
	out, err := c.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "\n4000|4000|t\n") || strings.Contains(string(out), planted) {
		t.Errorf("got %v and %s", err, out)
	}
	draft := readFile(t, "visits.yaml")
	for _, want := range []string{"id: ignore", "age: {numeric: [0, 120]", "sex: {levels: [f, m]", "smoker: {levels: [\"false\", \"true\"]", "cost: {numeric: [0, 10000]", "levels: [no, yes]"} {
		if !strings.Contains(draft, want) {
			t.Errorf("got\n%s\nwant %q", draft, want)
		}
	}
	unseen(t)
}
