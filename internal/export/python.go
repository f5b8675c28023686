package export

import (
	_ "embed" // for the program
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
)

// pythonProgram is what every Python file has besides its model.
//
//go:embed pipeline.py
var pythonProgram string

// pythonModel is the model in a Python file, as JSON.
type pythonModel struct {
	Certificate   map[string]string     `json:"certificate"`
	Table         pythonTable           `json:"table"`
	Columns       []pythonColumn        `json:"columns"`
	Groups        []pythonGroup         `json:"groups"`
	Features      int                   `json:"features"`
	Normalization feature.Normalization `json:"normalization"`
	Radius        float64               `json:"radius"`
	Center        []float64             `json:"center"`
	Scales        []float64             `json:"scales"`
	Whitening     string                `json:"whitening"`
	Intercept     float64               `json:"intercept"`
	Weights       [][]float64           `json:"weights"`
	Loss          model.LossSpec        `json:"loss"`
	Levels        []string              `json:"levels"`
	Threshold     float64               `json:"threshold"`
	Lower         float64               `json:"lower"`
	Upper         float64               `json:"upper"`
}

// pythonTable is the form of CSV files. An empty delimiter is detected. Header may name the target, and a table may lack it.
type pythonTable struct {
	Delimiter string   `json:"delimiter"`
	Header    []string `json:"header"`
	Target    string   `json:"target"`
	Quotes    bool     `json:"quotes"`
}

type pythonColumn struct {
	Name        string    `json:"name"`
	Number      bool      `json:"number"`
	Marks       []string  `json:"marks"`
	MarkNumbers []float64 `json:"mark-numbers"`
	MarkMoments []int64   `json:"mark-moments"`
	Bools       [2]string `json:"bools"`
	Levels      []string  `json:"levels"`
	Of          []int     `json:"states"`
	Unknown     int       `json:"unknown"`
	Missing     int       `json:"missing"`
	Outside     int       `json:"outside"`
	Lower       float64   `json:"lower"`
	Upper       float64   `json:"upper"`
	Least       float64   `json:"least"`
	Most        float64   `json:"most"`
	Cuts        []float64 `json:"cuts"`
	Scaled      bool      `json:"scaled"`
	Log         bool      `json:"log"`
	Date        any       `json:"date"`
	Low         float64   `json:"low"`
	Scale       float64   `json:"scale"`
}

// pythonDate is the declaration of a date. First is the first level of a part, such as a year, and
// Count the number of levels.
type pythonDate struct {
	Part    string  `json:"part"`
	Since   int64   `json:"since"`
	Bounded bool    `json:"bounded"`
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	First   int     `json:"first"`
	Count   int     `json:"count"`
}

type pythonGroup struct {
	Columns []int          `json:"columns"`
	Classes [][]int        `json:"classes,omitempty"`
	Width   int            `json:"width,omitempty"`
	First   int            `json:"first"`
	Count   int            `json:"count"`
	Entries [][][2]float64 `json:"entries"`
}

// writePython writes a Python file that makes a pipeline of scikit-learn from a model in JSON.
func writePython(m *model.Model, s statement, _ Request) ([]byte, error) {
	o, err := newLinearOutline(m)
	if err != nil {
		return nil, err
	}
	f := o.mapped
	p := pythonModel{Certificate: map[string]string{}, Features: o.dim, Normalization: f.Norm, Radius: f.Radius, Center: f.Center, Intercept: f.Intercept,
		Loss: o.loss, Levels: o.target.Levels, Threshold: m.Threshold(), Lower: o.target.Lower, Upper: o.target.Upper}
	schema := m.Schema()
	p.Table = pythonTable{Header: orNone(schema.Header), Target: schema.Target.Column, Quotes: !schema.NoQuotes}
	if schema.Delimiter != 0 {
		p.Table.Delimiter = string(schema.Delimiter)
	}
	for _, pair := range s.pairs() {
		p.Certificate[pair.key] = pair.value
	}
	for _, c := range o.columns {
		var date any
		if d := c.date; d != nil && c.number {
			date = pythonDate{Part: "days", Since: d.Since}
		} else if d != nil {
			date = pythonDate{d.Part, d.Since, d.Bounded, d.Lower, d.Upper, d.First(), len(d.Levels())}
		}
		p.Columns = append(p.Columns, pythonColumn{c.source, c.number, c.marks, orNone(c.markNumbers), orNone(c.markMoments), c.bools, orNone(c.levels), orNone(c.of), c.unknown, c.missing, c.outside,
			c.lower, c.upper, c.least, c.most, orNone(c.cuts), c.scaled, c.log, date, c.low, c.scale})
	}
	for n := range o.groups {
		p.Groups = append(p.Groups, pythonGroupOf(&o.groups[n]))
	}
	if w := f.Whitening; w != nil {
		p.Scales = w.Scales
		var raw []byte
		for _, v := range w.Matrix {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
		p.Whitening = base64.StdEncoding.EncodeToString(raw)
	}
	for k := range m.Outputs() {
		w, last := o.weights(k)
		if w = slices.Clone(w); f.Intercept > 0 {
			w = append(w, last)
		}
		p.Weights = append(p.Weights, w)
	}
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return nil, err
	}
	title := "# A model of " + oneLine(o.target.Column) + " as a pipeline of scikit-learn, written by " + s.program + ".\n#\n"
	return []byte(title + s.comment("# ") + "\n" + strings.Replace(pythonProgram, "@MODEL@", string(text), 1)), nil
}

func pythonGroupOf(g *group) pythonGroup {
	out := pythonGroup{Columns: []int{g.a}, First: g.first, Count: g.count, Entries: [][][2]float64{}}
	if g.b >= 0 {
		out.Columns, out.Classes, out.Width = append(out.Columns, g.b), [][]int{g.classA, g.classB}, g.classes
	}
	for _, entries := range g.entries {
		row := [][2]float64{}
		for _, e := range entries {
			row = append(row, [2]float64{float64(e.index), e.value})
		}
		out.Entries = append(out.Entries, row)
	}
	return out
}

// orNone returns an empty list for nil.
func orNone[T any](x []T) []T {
	if x == nil {
		return []T{}
	}
	return x
}
