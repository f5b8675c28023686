package export

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/moment"
	"github.com/ditherml/dither/model"
)

// goTolerance bounds differences of predictions in 64-bit numbers, in units of the target's range.
const goTolerance = 1e-9

// TestGoFilePredicts compiles the Go files of all models, and compares their predictions with those of the models.
func TestGoFilePredicts(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command here")
	}
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		if failed := os.MkdirAll(filepath.Dir(path), 0o755); failed != nil {
			t.Fatal(failed)
		}
		if failed := os.WriteFile(path, []byte(text), 0o644); failed != nil {
			t.Fatal(failed)
		}
	}
	write("go.mod", "module scored\n\ngo 1.21\n")
	var imports, calls strings.Builder
	var cases []testCase
	for i, c := range testCases {
		if thorough || c.loss == nil || c.hostile || i%3 == 0 { // the compiler takes most of the time
			cases = append(cases, c)
		}
	}
	models, rows := make([]*model.Model, len(cases)), make([][][]string, len(cases))
	for i, c := range cases {
		models[i] = c.make(t)
		count := 250
		if thorough {
			count = 1000
		}
		rows[i] = c.cells(t, models[i], count*(1+2*b2i(c.hostile)))
		file, failed := writeGo(models[i], testStatement, Request{})
		if failed != nil {
			t.Fatalf("%s: %v", c.name, failed)
		}
		if !strings.Contains(string(file), "costs no privacy") || !strings.Contains(string(file), "dither.certificate-sha256: c0ffee") {
			t.Errorf("%s: got a file without the statement", c.name)
		}
		wantPlainGo(t, c.name, file)
		write(fmt.Sprintf("m%d/predict.go", i), string(file))
		fmt.Fprintf(&imports, "m%d \"scored/m%d\"\n", i, i)
		calls.WriteString(goCalls(i, models[i], !c.hostile))
		write(fmt.Sprintf("rows%d", i), goRows(models[i], rows[i], !c.hostile))
	}
	write("main.go", "package main\n\nimport (\n\"fmt\"\n\"math\"\n\"os\"\n\"strconv\"\n\"strings\"\n\"time\"\n"+imports.String()+")\n"+goReaders+"\nfunc main() {\n"+calls.String()+"}\n")
	run := func(arguments ...string) []byte {
		command := exec.Command(tool, arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, failed := command.CombinedOutput()
		if failed != nil {
			t.Fatalf("go %s: %v\n%s", arguments[0], failed, out[:min(len(out), 4000)])
		}
		return out
	}
	out := run("run", ".")
	vetted := "./..."
	if !thorough {
		vetted = fmt.Sprintf("./m%d", len(cases)-2) // the one with hostile texts, which has most functions
	}
	run("vet", vetted)
	lines := strings.Split(string(out), "\n")
	for i, m := range models {
		got := make([][]float64, len(rows[i]))
		for n := range got {
			for _, word := range strings.Fields(lines[n]) {
				v, failed := strconv.ParseFloat(word, 64)
				if failed != nil {
					t.Fatal(failed)
				}
				got[n] = append(got[n], v)
			}
		}
		lines = lines[len(rows[i]):]
		largest, failed := compare(m, got, want(t, m, rows[i]))
		if t.Logf("%s: difference at most %.2g", cases[i].name, largest); failed != nil || largest > goTolerance {
			t.Errorf("%s: got a difference of %g and %v, want at most %g", cases[i].name, largest, failed, goTolerance)
		}
	}
}

// wantPlainGo wants a file without imports that gofmt does not change. It has a comment for each exported name, and no
// function that nothing calls.
func wantPlainGo(t *testing.T, name string, source []byte) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(file.Imports) != 0 || strings.Contains(string(source), "import (") {
		t.Errorf("%s: got %d imports, want none", name, len(file.Imports))
	}
	if plain, failed := format.Source(source); failed != nil || !bytes.Equal(plain, source) {
		t.Errorf("%s: gofmt changes the file: %v", name, failed)
	}
	names := map[string]int{}
	for _, d := range file.Decls {
		for _, other := range used(d) {
			names[other]++
		}
	}
	for _, d := range file.Decls {
		_, function := d.(*ast.FuncDecl)
		for _, own := range declared(d) {
			if ast.IsExported(own) && commentOf(d) == nil {
				t.Errorf("%s: %s has no comment", name, own)
			}
			if function && !ast.IsExported(own) && names[own] < 2 { // its declaration is one
				t.Errorf("%s: nothing calls %s", name, own)
			}
		}
	}
}

// goCalls returns statements that print the predictions of the rows of a file: a line for each, empty for a dropped row.
// Numbers and moments are values if typed is true, and otherwise read by functions of the exported file.
func goCalls(i int, m *model.Model, typed bool) string {
	o, _ := newOutline(m)
	fields := fieldNames(o.columns)
	var b strings.Builder
	fmt.Fprintf(&b, "for _, c := range rows(\"rows%d\") {\nr := m%d.Row{\n", i, i)
	for j, c := range o.columns {
		reader := ""
		switch {
		case o.follows(j):
			continue
		case c.date != nil && typed:
			reader = "moment"
		case c.date != nil:
			reader = fmt.Sprintf("m%d.Moment", i)
		case c.number && typed:
			reader = "number"
		case c.number:
			reader = fmt.Sprintf("m%d.Number", i)
		}
		fmt.Fprintf(&b, "%s: %s(c[%d]),\n", fields[j], reader, j)
	}
	return b.String() + "}\n" + goPrint(i, m)
}

// goReaders are functions of the program. A value is the text of a number, or microseconds; one that is none is missing.
const goReaders = `
func rows(name string) (out [][]string) {
	text, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var cells []string
		for _, quoted := range strings.Split(line, "\t") {
			cell, err := strconv.Unquote(quoted)
			if err != nil {
				panic(err)
			}
			cells = append(cells, cell)
		}
		out = append(out, cells)
	}
	return out
}

func number(text string) float64 {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	return math.NaN()
}

func moment(text string) (none time.Time) {
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.UnixMicro(v)
	}
	return none
}
`

// goRows returns the rows of a file, a line each, since the compiler takes longer for rows in a program.
func goRows(m *model.Model, rows [][]string, typed bool) string {
	o, _ := newOutline(m)
	var b strings.Builder
	for _, texts := range rows {
		for j, cell := range texts {
			if plain := strings.TrimSpace(cell); typed && o.columns[j].date != nil {
				cell = ""
				if micros, ok := moment.Micros(plain); ok {
					cell = strconv.FormatInt(micros, 10)
				}
			} else if typed && o.columns[j].number {
				cell = plain
			}
			if j > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(strconv.Quote(cell))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// goPrint returns the statements for a row r, and the end of the loop.
func goPrint(i int, m *model.Model) string {
	begin := fmt.Sprintf("p, ok := m%d.Predict(r)\nif !ok {\nfmt.Println()\ncontinue\n}\n", i)
	if m.Schema().Target.Regression() {
		return begin + "fmt.Println(p)\n}\n"
	}
	return begin + "for _, v := range p {\nfmt.Print(v, \" \")\n}\nfmt.Println()\n}\n"
}
