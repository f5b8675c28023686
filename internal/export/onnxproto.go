package export

import (
	"encoding/binary"
	"math"
	"strconv"
)

// message is the encoding of a message of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/).
type message []byte

// number appends a field with an integer.
func (m *message) number(field int, v int64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, uint64(v))
}

// bytes appends a field with a text, bytes or a message.
func (m *message) bytes(field int, v []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(v)))
	*m = append(*m, v...)
}

func (m *message) text(field int, v string) { m.bytes(field, []byte(v)) }

// These are the types of elements in onnx.proto.
const (
	onnxFloat  = 1
	onnxInt64  = 7
	onnxString = 8
	onnxDouble = 11
)

// These are versions that onnxruntime 1.6 of 2020 and every later one accept.
const (
	onnxVersion, onnxOperators, onnxLearning = 7, 13, 2
	learningDomain                           = "ai.onnx.ml"
)

// internalName begins the names inside a graph. Names of columns are unlikely to begin so.
const internalName = "/dither/"

// graph is an ONNX graph that is being written. Its operators have names of their outputs.
type graph struct {
	nodes, initializers, inputs, outputs message
	count                                int
	constants                            map[string]string
}

// node appends an operator and returns the name of its output.
func (g *graph) node(operator string, inputs []string, attributes ...message) string {
	g.count++
	out := internalName + operator + "_" + strconv.Itoa(g.count)
	g.named(operator, out, inputs, attributes...)
	return out
}

// named appends an operator whose output has this name.
func (g *graph) named(operator, out string, inputs []string, attributes ...message) {
	var n message
	for _, in := range inputs {
		n.text(1, in)
	}
	n.text(2, out)
	n.text(3, internalName+"make_"+strconv.Itoa(g.count)+"_"+out)
	n.text(4, operator)
	for _, a := range attributes {
		n.bytes(5, a)
	}
	if operator == "LabelEncoder" {
		n.text(7, learningDomain)
	}
	g.nodes.bytes(1, n)
}

// of appends an operator with these inputs.
func (g *graph) of(operator string, inputs ...string) string { return g.node(operator, inputs) }

// integerAttribute, integersAttribute and textsAttribute return attributes of operators.
func integerAttribute(name string, v int64) message {
	var a message
	a.text(1, name)
	a.number(3, v)
	a.number(20, 2)
	return a
}

func integersAttribute(name string, v []int64) message {
	var a message
	a.text(1, name)
	for _, n := range v {
		a.number(8, n)
	}
	a.number(20, 7)
	return a
}

func textsAttribute(name string, v []string) message {
	var a message
	a.text(1, name)
	for _, s := range v {
		a.text(9, s)
	}
	a.number(20, 8)
	return a
}

// tensor appends a constant with these bytes and returns its name. Equal constants have one name.
func (g *graph) tensor(kind int64, raw []byte, texts []string, dims ...int) string {
	var t message
	for _, d := range dims {
		t.number(1, int64(d))
	}
	t.number(2, kind)
	for _, s := range texts {
		t.text(6, s)
	}
	if texts == nil {
		t.bytes(9, raw)
	}
	if name, known := g.constants[string(t)]; known {
		return name
	}
	if g.constants == nil {
		g.constants = map[string]string{}
	}
	g.count++
	name := internalName + "constant_" + strconv.Itoa(g.count)
	g.constants[string(t)] = name
	t.text(8, name)
	g.initializers.bytes(5, t)
	return name
}

// doubles, integers and texts return constants.
func (g *graph) doubles(x []float64, dims ...int) string {
	raw := make([]byte, 0, 8*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return g.tensor(onnxDouble, raw, nil, dims...)
}

func (g *graph) integers(x []int64, dims ...int) string {
	raw := make([]byte, 0, 8*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.tensor(onnxInt64, raw, nil, dims...)
}

func (g *graph) texts(x []string) string { return g.tensor(onnxString, nil, x, len(x)) }

// list returns a constant of a list of integers.
func (g *graph) list(x ...int) string {
	var wide []int64
	for _, v := range x {
		wide = append(wide, int64(v))
	}
	return g.integers(wide, len(wide))
}

// double and integer return single numbers.
func (g *graph) double(v float64) string { return g.doubles([]float64{v}) }

func (g *graph) integer(v int) string { return g.integers([]int64{int64(v)}) }

// cast appends a conversion to a type.
func (g *graph) cast(x string, kind int64) string {
	return g.node("Cast", []string{x}, integerAttribute("to", kind))
}

// value describes an input or output. A dimension of 0 is the number of rows.
func value(name string, kind int64, dims ...int) message {
	var shape, tensor, kinds, v message
	for _, d := range dims {
		var dim message
		if d == 0 {
			dim.text(2, "rows")
		} else {
			dim.number(1, int64(d))
		}
		shape.bytes(1, dim)
	}
	tensor.number(1, kind)
	tensor.bytes(2, shape)
	kinds.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, kinds)
	return v
}

func (g *graph) input(name string, kind int64, dims ...int) {
	g.inputs.bytes(11, value(name, kind, dims...))
}

func (g *graph) output(name string, kind int64, dims ...int) {
	g.outputs.bytes(12, value(name, kind, dims...))
}

// file returns the file of the graph.
func (g *graph) file(s statement) []byte {
	var body, m message
	body = append(body, g.nodes...)
	body.text(2, "dither")
	body = append(body, g.initializers...)
	body = append(body, g.inputs...)
	body = append(body, g.outputs...)
	m.number(1, onnxVersion)
	m.text(2, "dither")
	m.text(3, s.program)
	m.text(6, s.pairs()[len(s.pairs())-1].value)
	m.bytes(7, body)
	for _, set := range []struct {
		domain  string
		version int64
	}{{"", onnxOperators}, {learningDomain, onnxLearning}} {
		var v message
		v.text(1, set.domain)
		v.number(2, set.version)
		m.bytes(8, v)
	}
	for _, p := range s.pairs() {
		var v message
		v.text(1, p.key)
		v.text(2, p.value)
		m.bytes(14, v)
	}
	return m
}
