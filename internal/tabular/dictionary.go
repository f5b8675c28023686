package tabular

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
)

// mostDictionary bounds a data dictionary, in bytes.
const mostDictionary = 16 << 20

// described is a column as a data dictionary describes it.
type described struct {
	place                     string // "line 3", or "entry 3"
	name, kind, levels, bound string
	list                      []string // levels of a JSON list
}

// ReadDictionary adds what a data dictionary says to a draft. What the draft declares already stays.
// The file is CSV with a header or a JSON list of objects, with the keys name, type, levels and
// range; other keys are ignored. No error quotes the file, which may be a table by mistake. The path
// "" stands for no file.
func ReadDictionary(path string, d *data.Draft) error {
	if path == "" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("data dictionary %s cannot be read: %w; name a CSV or JSON file", path, display.Pathless(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostDictionary+1))
	if err != nil || len(text) > mostDictionary {
		return fmt.Errorf("data dictionary %s cannot be read to its end, want at most 16 MiB of CSV or JSON; name another file", path)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	read := csvEntries
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		read = jsonEntries
	}
	entries, problem := read(text)
	for i := 0; problem == "" && i < len(entries); i++ {
		e := &entries[i]
		if slices.ContainsFunc(entries[:i], func(other described) bool { return other.name == e.name }) {
			problem = e.place + " describes a column for the second time, want each column once"
		} else if problem = e.declare(d); problem != "" {
			problem = e.place + " " + problem
		}
	}
	if problem != "" {
		return fmt.Errorf("data dictionary %s: %s; mend the file, or use flags", path, problem)
	}
	return nil
}

func csvEntries(text []byte) (entries []described, problem string) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	header, err := r.Read()
	at := map[string]int{}
	for i, name := range header {
		at[strings.ToLower(strings.TrimSpace(name))] = i
	}
	if _, ok := at["name"]; err != nil || !ok {
		return nil, "its header has no column name, want name, type, levels and range"
	}
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return entries, ""
		}
		line, _ := r.FieldPos(0)
		if err != nil || len(cells) != len(header) {
			return nil, fmt.Sprintf("line %d is no row of CSV with %d cells", line, len(header))
		}
		cell := func(key string) string {
			if i, ok := at[key]; ok {
				return strings.TrimSpace(cells[i])
			}
			return ""
		}
		entries = append(entries, described{place: fmt.Sprint("line ", line), name: cell("name"), kind: cell("type"), levels: cell("levels"), bound: cell("range")})
	}
}

func jsonEntries(text []byte) (entries []described, problem string) {
	var list []struct {
		Name   string          `json:"name"`
		Type   string          `json:"type"`
		Levels json.RawMessage `json:"levels"`
		Range  json.RawMessage `json:"range"`
	}
	if json.Unmarshal(text, &list) != nil {
		return nil, "it is no JSON list of objects with the keys name, type, levels and range"
	}
	for i, e := range list {
		d := described{place: fmt.Sprint("entry ", i+1), name: e.Name, kind: e.Type}
		var numbers []json.Number
		var texts []string
		var levels []any
		decoder := json.NewDecoder(bytes.NewReader(e.Levels))
		decoder.UseNumber()
		switch {
		case len(e.Levels) == 0 || json.Unmarshal(e.Levels, &d.levels) == nil:
		case decoder.Decode(&levels) == nil:
			for _, level := range levels {
				d.list = append(d.list, fmt.Sprint(level))
			}
		default:
			return nil, d.place + " has levels that are neither a text nor a list"
		}
		switch {
		case len(e.Range) == 0 || json.Unmarshal(e.Range, &d.bound) == nil:
		case json.Unmarshal(e.Range, &texts) == nil && len(texts) == 2:
			d.bound = texts[0] + ".." + texts[1]
		case json.Unmarshal(e.Range, &numbers) == nil && len(numbers) == 2:
			d.bound = numbers[0].String() + ":" + numbers[1].String()
		default:
			return nil, d.place + " has a range that is neither a text nor two numbers"
		}
		entries = append(entries, d)
	}
	return entries, ""
}

// kindWords are the types of a data dictionary: n for numbers, w for integers, l for levels, b for bools, t for
// texts, d for dates and m for moments. Columns with i are no features.
var kindWords = map[string]byte{
	"": ' ', "number": 'n', "numeric": 'n', "integer": 'w', "int": 'w', "count": 'w', "float": 'n', "double": 'n', "decimal": 'n', "real": 'n',
	"category": 'l', "categorical": 'l', "enum": 'l', "string": 'l', "factor": 'l', "boolean": 'b', "bool": 'b', "text": 't', "ignore": 'i', "id": 'i', "time": 'i', "date": 'd', "datetime": 'm', "timestamp": 'm',
}

// span returns the first and the last moment of a range of days, two zero times without a range. The
// last moment is the end of its day if the column has moments.
func (e *described) span(moments bool) (span [2]time.Time, ok bool) {
	bound := strings.Trim(e.bound, "[]")
	if bound == "" {
		return span, true
	}
	first, last, _ := strings.Cut(strings.NewReplacer("..", "/", ",", "/", ":", "/").Replace(bound), "/")
	for i, text := range []string{first, last} {
		day, err := time.Parse(time.DateOnly, strings.TrimSpace(text))
		if err != nil {
			return span, false
		}
		span[i] = day
	}
	if moments {
		span[1] = span[1].AddDate(0, 0, 1)
	}
	return span, span[1].After(span[0])
}

// declare adds the column to a draft. It returns what is wrong, or "".
func (e *described) declare(d *data.Draft) string {
	kind, known := kindWords[strings.ToLower(e.kind)]
	hasLevels, integer := e.levels != "" || e.list != nil, kind == 'w'
	if integer {
		kind = 'n'
	}
	switch {
	case e.name == "":
		return "has no name"
	case !known:
		return "has a type that is not known, want number, category, boolean, date, text or ignore"
	case kind == 'n' && hasLevels, (kind == 'd' || kind == 'm') && hasLevels, (kind == 'l' || kind == 'b') && e.bound != "", hasLevels && e.bound != "", (kind == 't' || kind == 'i') && (hasLevels || e.bound != ""):
		return "has levels or a range that do not go with its type, want levels for categories and a range for numbers and dates"
	}
	_, numeric := d.Numeric[e.name]
	_, private := d.PrivateBounds[e.name]
	_, levels := d.Levels[e.name]
	_, learned := d.PrivateLevels[e.name]
	_, dated := d.Dates[e.name]
	if dated || numeric || private || levels || learned || slices.Contains(d.Text, e.name) || slices.Contains(d.Ignore, e.name) {
		return ""
	}
	switch {
	case kind == 't':
		d.Text = append(d.Text, e.name)
	case kind == 'i':
		if e.name != d.Target {
			d.Ignore = append(d.Ignore, e.name)
		}
	case kind == 'd' || kind == 'm':
		span, ok := e.span(kind == 'm')
		switch {
		case !ok:
			return "has a range that cannot be read, want FIRST..LAST, such as 2020-01-01..2024-12-31"
		case e.name == d.Target: // which is no date
			return ""
		case d.Dates == nil:
			d.Dates = map[string][2]time.Time{}
		}
		d.Dates[e.name] = span
	case e.bound != "":
		bound := strings.Trim(e.bound, "[]")
		for _, between := range []string{"..", ","} {
			bound = strings.Replace(bound, between, ":", 1)
		}
		_, bounds, isPrivate, err := parseNumeric("x=" + bound)
		switch {
		case err != nil:
			return "has a range that cannot be read, want LOWER:UPPER, such as 17:90"
		case isPrivate:
			d.PrivateBounds[e.name] = bounds
		default:
			d.Numeric[e.name] = bounds
			if integer {
				d.Integer = append(d.Integer, e.name)
			}
		}
	case hasLevels:
		list, most, err := e.list, 0, error(nil)
		if list == nil && strings.Contains(e.levels, "|") {
			for level := range strings.SplitSeq(e.levels, "|") {
				list = append(list, strings.TrimSpace(level))
			}
		} else if list == nil {
			_, list, most, err = parseLevels("x=" + e.levels)
		}
		switch {
		case err != nil:
			return "has levels that cannot be read, want a|b, or a,b"
		case list == nil:
			d.PrivateLevels[e.name] = most
		default:
			d.Levels[e.name] = list
		}
	case kind == 'b':
		d.Levels[e.name] = []string{"false", "true"}
	}
	return ""
}
