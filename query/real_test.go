package query

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pick"
)

const womenSchema = `dither-schema: 1
row: one interview of a woman in a year
max-records: 40000
target: {column: union, levels: ["0", "1"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  rownames: ignore
  idcode: ignore
  year: {numeric: [68, 88]}
  birth_yr: ignore
  age: {numeric: [14, 46]}
  race: {levels: ["1", "2", "3"]}
  msp: ignore
  nev_mar: ignore
  grade: ignore
  collgrad: ignore
  not_smsa: ignore
  c_city: ignore
  south: ignore
  ind_code: ignore
  occ_code: ignore
  wks_ue: ignore
  ttl_exp: {numeric: [0, 29]}
  tenure: ignore
  hours: {numeric: [0, 168]}
  wks_work: ignore
  ln_wage: {numeric: [0, 5.3]}
`

// women reads the panel of young women, 28534 interviews of 4711 persons with at most 15 each.
func women(t *testing.T) (*data.Schema, *data.Dataset) {
	t.Helper()
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = "../../shared/data"
	}
	path := filepath.Join(folder, "nlswork", "nlswork.csv.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not there", path)
	}
	s := schemaOf(t, womenSchema)
	d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{WithoutTarget: true, Extra: []string{"idcode"}})
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// TestPersonsOfAPanel asks about the persons of a panel at epsilon 1000 and holds the answers to what the origin of
// the table and plain sums over its rows say, within 40 deviations of the noise and 1e-3,
// beyond which one is with a probability below 1e-20.
func TestPersonsOfAPanel(t *testing.T) {
	s, d := women(t)
	codes, known, err := d.Group("idcode")
	if err != nil {
		t.Fatal(err)
	}
	wage := d.Column(5) // of the features year, age, race, ttl_exp, hours, ln_wage
	for _, most := range []int{1, 3, 15} {
		persons := pick.PersonsOf(codes, len(known), most, nil)
		rows, sum := 0.0, 0.0
		for _, list := range persons {
			for _, i := range list {
				rows, sum = rows+1, sum+float64(wage[i])
			}
		}
		if len(persons) != 4711 || most == 15 && rows != 28534 || most == 1 && rows != 4711 {
			t.Fatalf("%d rows a person: %d persons with %v rows, want 4711, with 28534 rows in all", most, len(persons), rows)
		}
		for _, c := range []struct {
			plan Plan
			want float64
		}{
			{planOf(countStatistic), rows}, {planOf(sumStatistic, "ln_wage"), sum}, {planOf(meanStatistic, "ln_wage"), sum / rows},
		} {
			c.plan.Person, c.plan.NoiseMultiplier = &Person{"idcode", most}, 1e-3
			q, failed := NewQuestion(s, c.plan)
			if failed != nil {
				t.Fatal(failed)
			}
			got, failed := q.Ask(&payments{}, d)
			if failed != nil || !(math.Abs(got[0].Value-c.want) <= 40*got[0].Deviation+1e-3) {
				t.Errorf("%v with %d rows a person: got %v (%v), want %v", c.plan.Statistic, most, got, failed, c.want)
			}
		}
	}
}
