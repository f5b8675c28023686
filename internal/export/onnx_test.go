package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/decimal"
	"github.com/ditherml/dither/internal/moment"
	"github.com/ditherml/dither/model"
)

// fields are the fields of a message by number, in order: integers or bytes.
type fields map[int][]any

// decoded reads a message.
func decoded(t *testing.T, m []byte) fields {
	t.Helper()
	out := fields{}
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		v, k := binary.Uvarint(m[max(n, 0):])
		if n <= 0 || k <= 0 {
			t.Fatal("got a message that ends inside a field")
		}
		m = m[n+k:]
		if tag&7 == 0 {
			out[int(tag>>3)] = append(out[int(tag>>3)], int64(v))
			continue
		}
		if tag&7 != 2 || v > uint64(len(m)) {
			t.Fatal("got a field of another kind, or beyond its message")
		}
		out[int(tag>>3)], m = append(out[int(tag>>3)], m[:v]), m[v:]
	}
	return out
}

func (f fields) text(n int) string {
	if len(f[n]) == 0 {
		return ""
	}
	return string(f[n][0].([]byte))
}

func (f fields) texts(n int) (out []string) {
	for _, v := range f[n] {
		out = append(out, string(v.([]byte)))
	}
	return out
}

// array is a tensor: numbers, as every type but texts, or texts. The numbers are perhaps integers.
type array struct {
	integers bool
	dims     []int
	numbers  []float64
	texts    []string
}

func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// constantOf reads a TensorProto.
func constantOf(t *testing.T, m []byte) (string, array) {
	f := decoded(t, m)
	var a array
	for _, d := range f[1] {
		a.dims = append(a.dims, int(d.(int64)))
	}
	a.texts = f.texts(6)
	a.integers = f[2][0].(int64) == onnxInt64
	if kind := f[2][0].(int64); kind != onnxString {
		raw := f[9][0].([]byte)
		for ; kind == onnxFloat && len(raw) > 0; raw = raw[4:] {
			a.numbers = append(a.numbers, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		}
		for ; len(raw) > 0; raw = raw[8:] {
			word := binary.LittleEndian.Uint64(raw)
			if v := math.Float64frombits(word); kind == onnxDouble {
				a.numbers = append(a.numbers, v)
			} else {
				a.numbers = append(a.numbers, float64(int64(word)))
			}
		}
	}
	if n := size(a.dims); n != len(a.numbers)+len(a.texts) {
		t.Fatalf("got a constant of shape %v with %d entries", a.dims, len(a.numbers)+len(a.texts))
	}
	return f.text(8), a
}

// broadcast applies a function to arrays entry by entry, with the rule of NumPy.
func broadcast(of func(x []float64) float64, in ...array) array {
	var out array
	for _, a := range in {
		for len(out.dims) < len(a.dims) {
			out.dims = append([]int{1}, out.dims...)
		}
	}
	for _, a := range in {
		for i, d := range a.dims {
			at := len(out.dims) - len(a.dims) + i
			if out.dims[at] != d && d != 1 && out.dims[at] != 1 {
				panic(fmt.Sprintf("shapes %v and %v do not fit", out.dims, a.dims))
			}
			if d != 1 {
				out.dims[at] = d
			}
		}
	}
	x := make([]float64, len(in))
	for n := range size(out.dims) {
		for k, a := range in {
			at, rest, stride := 0, n, 1
			for i := len(out.dims) - 1; i >= 0; i-- {
				place := rest % out.dims[i]
				rest /= out.dims[i]
				if j := i - len(out.dims) + len(a.dims); j >= 0 && a.dims[j] > 1 {
					at += place * stride
				}
				if j := i - len(out.dims) + len(a.dims); j >= 0 {
					stride *= a.dims[j]
				}
			}
			x[k] = a.numbers[at]
		}
		out.numbers = append(out.numbers, of(x))
	}
	return out
}

// pointwise are the operators that work entry by entry.
var pointwise = map[string]func(x []float64) float64{
	"Abs": func(x []float64) float64 { return math.Abs(x[0]) }, "Exp": func(x []float64) float64 { return math.Exp(x[0]) }, "Log": func(x []float64) float64 { return math.Log(x[0]) },
	"Relu": func(x []float64) float64 { return max(0, x[0]) }, "Tanh": func(x []float64) float64 { return math.Tanh(x[0]) }, "Erf": func(x []float64) float64 { return math.Erf(x[0]) },
	"Neg": func(x []float64) float64 { return -x[0] }, "Sqrt": func(x []float64) float64 { return math.Sqrt(x[0]) }, "Identity": func(x []float64) float64 { return x[0] },
	"Not": func(x []float64) float64 { return 1 - x[0] }, "Sigmoid": func(x []float64) float64 { return 1 / (1 + math.Exp(-x[0])) },
	"Add": func(x []float64) float64 { return x[0] + x[1] }, "Sub": func(x []float64) float64 { return x[0] - x[1] }, "Mul": func(x []float64) float64 { return x[0] * x[1] },
	"Div": func(x []float64) float64 { return x[0] / x[1] }, "Max": func(x []float64) float64 { return max(x[0], x[1]) }, "Min": func(x []float64) float64 { return min(x[0], x[1]) },
	"And": func(x []float64) float64 { return x[0] * x[1] }, "Equal": func(x []float64) float64 { return float64(b2i(x[0] == x[1])) },
	"Greater": func(x []float64) float64 { return float64(b2i(x[0] > x[1])) }, "GreaterOrEqual": func(x []float64) float64 { return float64(b2i(x[0] >= x[1])) },
	"LessOrEqual": func(x []float64) float64 { return float64(b2i(x[0] <= x[1])) },
	"Floor":       func(x []float64) float64 { return math.Floor(x[0]) }, "Mod": func(x []float64) float64 { return x[0] - x[1]*math.Floor(x[0]/x[1]) },
	"Where": func(x []float64) float64 {
		if x[0] != 0 {
			return x[1]
		}
		return x[2]
	},
}

// along reduces an array along an axis: of takes the entries of a line and writes as many or one.
func along(a array, axis int, keep bool, of func(line []float64) []float64) array {
	inner, n := size(a.dims[axis+1:]), a.dims[axis]
	out := array{dims: slices.Clone(a.dims)}
	var lines [][]float64
	for at := range len(a.numbers) / n {
		line := make([]float64, n)
		for j := range line {
			line[j] = a.numbers[(at/inner*n+j)*inner+at%inner]
		}
		lines = append(lines, of(line))
	}
	width := len(lines[0])
	out.dims[axis] = width
	out.numbers = make([]float64, len(lines)*width)
	for at, line := range lines {
		for j, v := range line {
			out.numbers[(at/inner*width+j)*inner+at%inner] = v
		}
	}
	if !keep {
		out.dims = slices.Delete(out.dims, axis, axis+1)
	}
	return out
}

// gathered is the operator Gather.
func gathered(a, at array, axis int) array {
	outer, inner, n := size(a.dims[:axis]), size(a.dims[axis+1:]), a.dims[axis]
	out := array{dims: slices.Concat(a.dims[:axis], at.dims, a.dims[axis+1:])}
	for i := range outer {
		for _, v := range at.numbers {
			from := (i*n + int(v)) * inner
			if a.texts != nil {
				out.texts = append(out.texts, a.texts[from:from+inner]...)
			} else {
				out.numbers = append(out.numbers, a.numbers[from:from+inner]...)
			}
		}
	}
	return out
}

// interpreted computes the value of a node.
func interpreted(t *testing.T, node fields, in []array) array {
	t.Helper()
	attributes, axis := map[string]fields{}, 0
	for _, a := range node[5] {
		f := decoded(t, a.([]byte))
		attributes[f.text(1)] = f
	}
	if a := attributes["axis"]; a != nil {
		axis = int(a[3][0].(int64))
	}
	if a := attributes["axes"]; a != nil {
		axis = int(a[8][0].(int64))
	}
	keep := attributes["keepdims"] != nil && attributes["keepdims"][3][0].(int64) == 1
	operator := node.text(4)
	if of := pointwise[operator]; of != nil {
		whole := !slices.ContainsFunc(in[b2i(operator == "Where"):], func(a array) bool { return !a.integers })
		if operator == "Div" && whole {
			of = func(x []float64) float64 { return math.Trunc(x[0] / x[1]) }
		}
		out := broadcast(of, in...)
		out.integers = whole
		return out
	}
	switch operator {
	case "Cast":
		to := attributes["to"][3][0].(int64)
		out := broadcast(func(x []float64) float64 {
			switch {
			case to == onnxFloat:
				return float64(float32(x[0]))
			case to == onnxInt64:
				return math.Trunc(x[0])
			}
			return x[0]
		}, in[0])
		out.integers = to == onnxInt64
		return out
	case "ReduceSum":
		return along(in[0], int(in[1].numbers[0]), keep, func(line []float64) []float64 {
			sum := 0.0
			for _, v := range line {
				sum += v
			}
			return []float64{sum}
		})
	case "ReduceMin":
		return along(in[0], axis, keep, func(line []float64) []float64 { return []float64{slices.Min(line)} })
	case "ReduceMax":
		return along(in[0], axis, keep, func(line []float64) []float64 { return []float64{slices.Max(line)} })
	case "ArgMax":
		return along(in[0], axis, keep, func(line []float64) []float64 { return []float64{float64(slices.Index(line, slices.Max(line)))} })
	case "Softmax":
		return along(in[0], axis, true, func(line []float64) []float64 {
			out := slices.Clone(line)
			model.Softmax.Predict(out)
			return out
		})
	case "Gather":
		return gathered(in[0], in[1], axis)
	case "Reshape":
		out := array{numbers: in[0].numbers, texts: in[0].texts}
		rest := len(out.numbers)
		for _, d := range in[1].numbers[1:] {
			rest /= int(d)
		}
		for _, d := range in[1].numbers {
			out.dims = append(out.dims, int(d))
		}
		out.dims[0] = rest
		return out
	case "Concat":
		out := array{dims: slices.Clone(in[0].dims)}
		out.dims[axis] = 0
		for _, a := range in {
			out.dims[axis] += a.dims[axis]
		}
		for i := range size(out.dims[:axis]) {
			for _, a := range in {
				n := size(a.dims[axis:])
				out.numbers = append(out.numbers, a.numbers[i*n:(i+1)*n]...)
			}
		}
		return out
	case "MatMul":
		rows, inner, columns := in[0].dims[0], in[0].dims[1], in[1].dims[1]
		out := array{dims: []int{rows, columns}, numbers: make([]float64, rows*columns)}
		for i := range rows {
			for j := range inner {
				for k := range columns {
					out.numbers[i*columns+k] += in[0].numbers[i*inner+j] * in[1].numbers[j*columns+k]
				}
			}
		}
		return out
	case "ReduceMean":
		return along(in[0], axis, keep, func(line []float64) []float64 {
			sum := 0.0
			for _, v := range line {
				sum += v / float64(len(line))
			}
			return []float64{sum}
		})
	case "Transpose":
		return transposedBy(in[0], attributes["perm"][8])
	case "Conv", "MaxPool", "AveragePool":
		return windowed(operator, attributes, in)
	case "LabelEncoder":
		if node.text(7) != learningDomain {
			t.Error("got LabelEncoder of another domain")
		}
		out := array{dims: in[0].dims}
		keys := attributes["keys_strings"].texts(9)
		for _, text := range in[0].texts {
			v := attributes["default_int64"][3][0]
			if k := slices.Index(keys, text); k >= 0 {
				v = attributes["values_int64s"][8][k]
			}
			out.numbers = append(out.numbers, float64(v.(int64)))
		}
		return out
	}
	t.Fatalf("got the operator %q, which this test does not know", operator)
	return array{}
}

// TestONNXPredicts interprets the graphs of all models, and compares predictions, levels and metadata.
func TestONNXPredicts(t *testing.T) {
	for _, c := range testCases {
		t.Run(c.name, func(t *testing.T) {
			m := c.make(t)
			rows := c.cells(t, m, 400)
			if c.sparse {
				defer func(most int) { mostDense = most }(mostDense)
				mostDense = 0
			}
			file, err := writeONNX(m, testStatement, Request{})
			if err != nil {
				t.Fatal(err)
			}
			f := decoded(t, file)
			said := map[string]string{}
			for _, p := range f[14] {
				entry := decoded(t, p.([]byte))
				said[entry.text(1)] = entry.text(2)
			}
			if said["dither.certificate-sha256"] != "c0ffee" || said["dither.epsilon"] != "0.98" || !strings.Contains(f.text(6), "costs no privacy") {
				t.Errorf("got metadata %v, want the numbers of the certificate", said)
			}
			values := run(t, decoded(t, f[7][0].([]byte)), m, rows)
			got, levels := make([][]float64, len(rows)), m.Schema().Target.Levels
			p, k := values["prediction"], 1
			if len(levels) > 0 {
				p, k = values["probabilities"], len(levels)
			}
			for i := range got {
				if own := p.numbers[i*k : (i+1)*k]; !math.IsNaN(own[0]) {
					got[i] = own
				}
			}
			wanted := want(t, m, rows)
			largest, err := compare(m, got, wanted)
			if t.Logf("difference at most %.2g, %d bytes", largest, len(file)); err != nil || largest > goTolerance {
				t.Errorf("got a difference of %g and %v, want at most %g", largest, err, goTolerance)
			}
			for i := 0; i < len(rows) && len(levels) == 2; i++ {
				level := ""
				if wanted[i] != nil {
					level = levels[b2i(wanted[i][1] > m.Threshold())]
				}
				if values["label"].texts[i] != level {
					t.Errorf("row %d has the level %q, want %q", i, values["label"].texts[i], level)
				}
			}
		})
	}
}

// run computes all values of a graph for rows.
func run(t *testing.T, graph fields, m *model.Model, rows [][]string) map[string]array {
	t.Helper()
	o, _ := newOutline(m)
	values := map[string]array{}
	for i := 0; i < len(o.columns); i += o.run(i) {
		n := o.run(i)
		in, name := array{dims: []int{len(rows), n}}, o.columns[i].source
		for _, texts := range rows {
			for _, cell := range texts[i : i+n] {
				cell = strings.TrimSpace(cell)
				if o.columns[i].date != nil {
					seconds := math.NaN()
					if micros, ok := moment.Micros(cell); ok {
						seconds = float64(micros) / 1e6
					}
					in.numbers = append(in.numbers, seconds)
					continue
				}
				if !o.columns[i].number {
					in.texts = append(in.texts, cell)
					continue
				}
				v, ok := decimal.Parse(cell)
				if !ok {
					v = math.NaN()
				}
				in.numbers = append(in.numbers, v)
			}
		}
		if prefix, start, _ := numbered(name); n > 1 {
			name = fmt.Sprintf("%s[%d:%d]", prefix, start, start+n)
		}
		values[name] = in
	}
	for _, v := range graph[11] {
		if name := decoded(t, v.([]byte)).text(1); values[name].dims == nil {
			t.Fatalf("the graph has the input %q, want columns of the schema", name)
		}
	}
	for _, c := range graph[5] {
		name, a := constantOf(t, c.([]byte))
		values[name] = a
	}
	for _, n := range graph[1] {
		node := decoded(t, n.([]byte))
		var in []array
		for _, name := range node.texts(1) {
			a, known := values[name]
			if !known {
				t.Fatalf("a node takes %q, which no node before it makes", name)
			}
			in = append(in, a)
		}
		values[node.text(2)] = interpreted(t, node, in)
	}
	for _, v := range graph[12] {
		if name := decoded(t, v.([]byte)).text(1); values[name].numbers == nil && values[name].texts == nil {
			t.Errorf("the graph has no value of its output %q", name)
		}
	}
	return values
}
