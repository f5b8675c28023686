package tabular

import (
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

func TestParseFacts(t *testing.T) {
	for fact, want := range map[string]struct {
		name   string
		bounds [2]float64
		ok     bool
	}{
		"age=17:90": {"age", [2]float64{17, 90}, true}, "a=b=-1.5:2e3": {"a=b", [2]float64{-1.5, 2000}, true}, "x= 0 : 1 ": {"x", [2]float64{0, 1}, true},
		"age": {}, "age=": {}, "age=1": {}, "=1:2": {}, "age=a:2": {}, "age=2:1": {}, "age=1:1": {}, "age=NaN:1": {}, "age=1:2:3": {},
	} {
		name, bounds, _, err := parseNumeric(fact)
		if (err == nil) != want.ok || want.ok && (name != want.name || bounds != want.bounds) {
			t.Errorf("parseNumeric(%q): got %q, %v, %v; want %+v", fact, name, bounds, err, want)
		}
	}
	for fact, words := range map[string]string{
		"pay=private:integer": "is private and integer, want COLUMN=LOWER:UPPER:integer", "pay=private:0:9:integer": "is private and integer",
		"pay=integer": "want COLUMN=LOWER:UPPER", "pay=0:integer": "want COLUMN=LOWER:UPPER", "pay=0:9:whole": "want numbers",
	} {
		if err := (Facts{Numeric: []string{fact}}).Declare(&data.Draft{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got %v, want %q", fact, err, words)
		}
	}
	for fact, want := range map[string]struct {
		name   string
		levels []string
	}{
		"sex=f,m": {"sex", []string{"f", "m"}}, "income=<=50K, >50K": {"income", []string{"<=50K", ">50K"}}, `x="a, b",c`: {"x", []string{"a, b", "c"}},
		"d=0..3": {"d", []string{"0", "1", "2", "3"}}, "d=-1..1": {"d", []string{"-1", "0", "1"}}, "d=a..b": {"d", []string{"a..b"}}, "d=0..1,5": {"d", []string{"0..1", "5"}}, "d=3..3": {}, "d=3..1": {}, "d=0..10000": {},
		`x="a|b"`: {"x", []string{"a|b"}}, "x=a|b,c": {"x", []string{"a|b", "c"}}, "x=no|yes": {},
		"sex": {}, "sex=": {}, "=a,b": {}, `x="a`: {}, "": {}, "x=a\nb": {},
	} {
		name, levels, _, err := parseLevels(fact)
		if (err == nil) != (want.levels != nil) || err == nil && (name != want.name || !slices.Equal(levels, want.levels)) {
			t.Errorf("parseLevels(%q): got %q, %q, %v; want %+v", fact, name, levels, err, want)
		}
	}
}
