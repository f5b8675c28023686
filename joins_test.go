package dither_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/privacy"
)

// joinsSchema returns the schema of the page about joins.
func joinsSchema() (*data.Schema, error) {
	page, err := os.ReadFile("docs/joins.md")
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ := strings.Cut(rest, "```")
	return data.ParseSchema("clinic", []byte(text))
}

// Persons have their visits in a field, which is the related table of the schema.
func ExampleTrain_related() {
	type visit struct {
		Day  string
		Cost float64
		Ward string
	}
	type person struct {
		Age    int
		Ill    string
		Visits []visit
	}
	people := make([]person, 2000)
	for i := range people {
		p := person{Age: i % 100, Ill: "no"}
		for k := range i % 10 {
			p.Visits = append(p.Visits, visit{Day: fmt.Sprintf("2024-01-%02d", 1+k), Cost: float64(100 * k), Ward: "day"})
		}
		if i%10 > 5 {
			p.Ill = "yes"
		}
		people[i] = p
	}
	schema, err := joinsSchema()
	if err != nil {
		log.Fatal(err)
	}
	budget, err := dither.NewBudget(2, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		log.Fatal(err)
	}
	run, err := dither.Train(context.Background(), budget, schema, people)
	if err != nil {
		log.Fatal(err)
	}
	chances, err := dither.Predict(context.Background(), run.Model, []person{{Age: 50}, people[9]})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run)
	fmt.Println("more probable with many visits:", chances[1][0] > chances[0][0])
	// Output:
	// model of "ill": epsilon 2 at delta 1e-06 for adding or removing one record (one person; accountant gdp)
	// more probable with many visits: true
}

// TestJoinedFiles trains and asks from a source with a related table. Persons as the unit are refused.
func TestJoinedFiles(t *testing.T) {
	schema, err := joinsSchema()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	people, visits := "person,age,ill\n", "patient,day,cost,ward\n"
	for i := range 500 {
		people += fmt.Sprintf("%d,%d,%s\n", i, i%90, []string{"no", "yes"}[i%2])
		visits += strings.Repeat(fmt.Sprintf("%d,2024-01-01,5,night\n", i), i%2)
	}
	for name, text := range map[string]string{"people.csv": people, "visits.csv": visits} {
		if err = os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source := data.Source{Path: filepath.Join(folder, "people.csv"), Related: map[string]data.Source{"visits": {Path: filepath.Join(folder, "visits.csv")}}}
	budget, err := dither.NewBudget(10, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = dither.Train(t.Context(), budget, schema, source, dither.PerPerson("person", 2)); err == nil || !strings.Contains(err.Error(), "a record is one person already") {
		t.Errorf("got %v, want persons refused", err)
	}
	run, err := dither.Train(t.Context(), budget, schema, source, dither.WithEpsilon(5))
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(run.Certificate.Assumptions, "\n"); !strings.Contains(text, `the rows with the same key in "visits", which has at most 100000000 rows, at most 20 of which are used`) {
		t.Errorf("got the assumptions\n%s\nwant the join", text)
	}
	answer, err := dither.Query(t.Context(), budget, schema, source, "mean visits")
	if err != nil || answer.Rows[0].Value < 0.2 || answer.Rows[0].Value > 0.8 {
		t.Errorf("got %v (%v), want a mean of about 0.5", answer, err)
	}
	source.Related = nil
	if _, err = dither.Predict(t.Context(), run.Model, source); err == nil || !strings.Contains(err.Error(), `related table "visits" is not given`) {
		t.Errorf("got %v, want the related table asked for", err)
	}
}
