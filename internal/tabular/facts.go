package tabular

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
)

// Facts are bounds and levels of columns as people write them.
type Facts struct {
	// Numeric are bounds, such as "age=17:90", "age=17:90:integer", "pay=private" or "pay=private:0:1e6".
	Numeric []string
	// Levels are levels, such as "sex=f,m", "digit=0..9" or "town=private:20". A level with a comma
	// stands in quotes.
	Levels []string
}

// Declare adds the facts to a draft. Its error begins with "numeric" or "levels".
func (f Facts) Declare(d *data.Draft) error {
	d.Numeric, d.PrivateBounds = map[string][2]float64{}, map[string][2]float64{}
	d.Levels, d.PrivateLevels = map[string][]string{}, map[string]int{}
	declared := map[string]bool{}
	once := func(kind, name string) error {
		if declared[name] {
			return fmt.Errorf("%s names %q, which is declared twice or in two ways, want each column once", kind, name)
		}
		declared[name] = true
		return nil
	}
	for _, fact := range f.Numeric {
		number, integer := strings.CutSuffix(fact, ":integer")
		name, bounds, private, err := parseNumeric(number)
		if integer && private && err == nil {
			err = fmt.Errorf("numeric of %q is private and integer, want COLUMN=LOWER:UPPER:integer for integers", name)
		}
		if err == nil {
			err = once("numeric", name)
		}
		switch {
		case err != nil:
			return err
		case private:
			d.PrivateBounds[name] = bounds
		default:
			d.Numeric[name] = bounds
			if integer {
				d.Integer = append(d.Integer, name)
			}
		}
	}
	for _, fact := range f.Levels {
		name, levels, most, err := parseLevels(fact)
		if err == nil {
			err = once("levels", name)
		}
		switch {
		case err != nil:
			return err
		case levels == nil:
			d.PrivateLevels[name] = most
		default:
			d.Levels[name] = levels
		}
	}
	return nil
}

// privateWord asks for bounds or levels to be learned.
const privateWord = "private"

// parseNumeric reads name=lower:upper, name=private or name=private:lower:upper. The name may hold
// an equals sign.
func parseNumeric(fact string) (name string, bounds [2]float64, private bool, err error) {
	at := strings.LastIndexByte(fact, '=')
	value := fact[at+1:]
	if at >= 1 && value == privateWord {
		return fact[:at], [2]float64{-data.DefaultRange, data.DefaultRange}, true, nil
	}
	value, private = strings.CutPrefix(value, privateWord+":")
	lower, upper, ok := strings.Cut(value, ":")
	if at < 1 || !ok {
		return "", bounds, private, fmt.Errorf("numeric is %q, want COLUMN=LOWER:UPPER, or COLUMN=private", fact)
	}
	for i, text := range []string{lower, upper} {
		if bounds[i], err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			return "", bounds, private, fmt.Errorf("numeric is %q, want numbers in COLUMN=LOWER:UPPER", fact)
		}
	}
	if !(bounds[0] < bounds[1]) {
		return "", bounds, private, fmt.Errorf("numeric is %q, want the lower bound below the upper one", fact)
	}
	return fact[:at], bounds, private, nil
}

// parseLevels reads name=level,level,… where a level may stand in quotes, or name=private:most, for
// which levels is nil. The name ends at the first equals sign, because levels may hold one.
func parseLevels(fact string) (name string, levels []string, most int, err error) {
	name, list, ok := strings.Cut(fact, "=")
	if !ok || name == "" || list == "" {
		return "", nil, 0, fmt.Errorf("levels is %q, want COLUMN=LEVEL,LEVEL", fact)
	}
	if text, private := strings.CutPrefix(list, privateWord+":"); private {
		if most, err = strconv.Atoi(text); err != nil || most < 1 {
			return "", nil, 0, fmt.Errorf("levels is %q, want a number of levels in COLUMN=private:MOST, such as 20", fact)
		}
		return name, nil, most, nil
	}
	if levels, err = wholeLevels(fact, list); levels != nil || err != nil {
		return name, levels, 0, err
	}
	r := csv.NewReader(strings.NewReader(list))
	levels, err = r.Read()
	if _, more := r.Read(); err != nil || more != io.EOF {
		return "", nil, 0, fmt.Errorf("levels is %q, want COLUMN=LEVEL,LEVEL in one line, with each quote closed", fact)
	}
	for i := range levels {
		levels[i] = strings.TrimSpace(levels[i])
	}
	if len(levels) == 1 && strings.Contains(levels[0], "|") && list[0] != '"' { // as levels stand in a dictionary
		return "", nil, 0, fmt.Errorf("levels is %q, want commas between levels, as in %s=%s; a single level with | stands in quotes", fact, name, strings.ReplaceAll(levels[0], "|", ","))
	}
	return name, levels, 0, nil
}

// mostWholeLevels bounds a range of levels.
const mostWholeLevels = 10_000

// wholeLevels reads FIRST..LAST, integers as levels, or nil where it is something else.
func wholeLevels(fact, list string) ([]string, error) {
	low, high, is := strings.Cut(list, "..")
	first, failed := strconv.Atoi(low)
	last, err := strconv.Atoi(high)
	if !is || failed != nil || err != nil {
		return nil, nil
	}
	if first >= last || last-first >= mostWholeLevels {
		return nil, fmt.Errorf("levels is %q, want the first below the last, and at most %d levels", fact, mostWholeLevels)
	}
	var levels []string
	for v := first; v <= last; v++ {
		levels = append(levels, strconv.Itoa(v))
	}
	return levels, nil
}
