package export

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/feature"
)

// forms are the numbers by which a statement computes scores from sums over groups. Let x be the features of a
// row, c the center, W the whitening and w_k the weights of score k. Then:
//
//	|f·x - c|²         = f²|x|² - 2f⟨c, x⟩ + |c|²
//	|W(f·x - c)|²      = f²|Wx|² - 2f⟨Wc, Wx⟩ + |Wc|²
//	⟨w_k, W(f·x - c)⟩  = f⟨Ww_k, x⟩ - ⟨w_k, Wc⟩
//
// Each inner product with x is a sum over groups of a number of the state. |Wx|² is a sum over pairs of groups.
type forms struct {
	o *outline
	// Each table has a number for each place: of a group of one column its states, of a pair its classes and,
	// last for each column, no class.
	squares, centers, shifts [][]float64
	scores                   [][][]float64 // by score
	moved                    []float64     // ⟨w_k, Wc⟩ by score
	center2, shift2          float64
	places                   []int // the number of places, or for a product the width of its table
	vectors                  [][][]float64
}

// newForms returns the forms of an outline. It refuses a whitening with too many numbers.
func newForms(o *outline) (*forms, error) {
	m := o.mapped
	f := &forms{o: o}
	center := m.Center
	if center == nil {
		center = make([]float64, o.dim)
	}
	for _, v := range center {
		f.center2 += v * v
	}
	shift := f.whitened(center)
	for _, v := range shift {
		f.shift2 += v * v
	}
	back := f.turned(shift) // ⟨cW, xW⟩ is ⟨(cW)Wᵀ, x⟩
	for n := range o.groups {
		rows := f.rows(&o.groups[n])
		f.places = append(f.places, len(rows))
		f.squares = append(f.squares, tabled(rows, func(e entry) float64 { return e.value * e.value }))
		f.centers = append(f.centers, tabled(rows, func(e entry) float64 { return center[e.index] * e.value }))
		f.shifts = append(f.shifts, tabled(rows, func(e entry) float64 { return back[e.index] * e.value }))
	}
	for k := range o.model.Outputs() {
		w, _ := o.weights(k)
		own, moved := f.turned(w), 0.0
		for j, v := range w {
			moved += v * shift[j]
		}
		f.moved = append(f.moved, moved)
		var tables [][]float64
		for n := range o.groups {
			tables = append(tables, tabled(f.rows(&o.groups[n]), func(e entry) float64 { return own[e.index] * e.value }))
		}
		f.scores = append(f.scores, tables)
	}
	return f, f.prepare()
}

// prepare makes the whitened features of each place.
func (f *forms) prepare() error {
	if f.o.mapped.Whitening == nil {
		return nil
	}
	total := 0
	for _, p := range f.places {
		total += p
	}
	if total*total/2 > mostSQLNumbers {
		return fmt.Errorf("the whitening of %d states has more than %d numbers, which is too much for a statement; export --to go or onnx, or train with %s", total, mostSQLNumbers, remedies(f.o.model.Features()))
	}
	for n := range f.o.groups {
		var vectors [][]float64
		for _, entries := range f.rows(&f.o.groups[n]) {
			x := make([]float64, f.o.dim)
			for _, e := range entries {
				x[e.index] = e.value
			}
			vectors = append(vectors, f.whitened(x))
		}
		f.vectors = append(f.vectors, vectors)
	}
	return nil
}

// remedies returns settings of a training that shorten a statement. It leaves out those that the model was
// trained with.
func remedies(m *feature.Map) string {
	var out []string
	if m.Whitening != nil {
		out = append(out, "--whiten no")
	}
	for _, s := range m.Specs() {
		if s.Name == "interactions" {
			out = append(out, "--interactions none")
		}
	}
	return strings.Join(append(out, "fewer bins or levels"), ", ")
}

// rows returns the features of each place of a group.
func (f *forms) rows(g *group) [][]entry {
	if g.b < 0 {
		return g.entries
	}
	var rows [][]entry
	for n := range len(g.entries) / max(1, g.classes) {
		rows = append(rows, g.entries[n*g.classes:(n+1)*g.classes]...)
		rows = append(rows, nil)
	}
	return append(rows, make([][]entry, g.classes+1)...)
}

// tabled returns a sum over the features of each place.
func tabled(rows [][]entry, of func(e entry) float64) []float64 {
	out := make([]float64, len(rows))
	for i, entries := range rows {
		for _, e := range entries {
			out[i] += of(e)
		}
	}
	return out
}

// turned returns the product of x with the transposed whitening, or x without one.
func (f *forms) turned(x []float64) []float64 {
	w := f.o.mapped.Whitening
	if w == nil || w.Matrix == nil { // factors of features are their own transposition
		return f.whitened(x)
	}
	y := make([]float64, len(x))
	for j := range y {
		for i, v := range w.Matrix[j*len(x) : (j+1)*len(x)] {
			y[j] += v * x[i]
		}
	}
	return y
}

// whitened returns the product of x with the whitening, or x without one.
func (f *forms) whitened(x []float64) []float64 {
	w := f.o.mapped.Whitening
	if w == nil {
		return x
	}
	y := make([]float64, len(x))
	w.Multiply(y, x)
	return y
}

// product returns inner products of whitened features: of each place of group a with each place of group b.
// With own, a and b are one group, and the result has only the product of each place with itself.
func (f *forms) product(a, b int, own bool) []float64 {
	var out []float64
	for i, v := range f.vectors[a] {
		others := f.vectors[b]
		if own {
			others = others[i : i+1]
		}
		for ; len(others) >= 4; others = others[4:] { // four sums at a time, since an addition waits for the one before
			w, x, y, z := others[0][:len(v)], others[1][:len(v)], others[2][:len(v)], others[3][:len(v)]
			var toW, toX, toY, toZ float64
			for n, at := range v {
				toW += at * w[n]
				toX += at * x[n]
				toY += at * y[n]
				toZ += at * z[n]
			}
			out = append(out, toW, toX, toY, toZ)
		}
		for _, w := range others {
			sum := 0.0
			for n := range v {
				sum += v[n] * w[n]
			}
			out = append(out, sum)
		}
	}
	return out
}
