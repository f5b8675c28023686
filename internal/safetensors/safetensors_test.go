package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tensorFile writes a safetensors file: arrays in order with their bytes, and a header with them.
type tensorFile struct {
	header []string
	data   []byte
}

func (f *tensorFile) add(name, kind string, shape []int, raw []byte) {
	lengths, _ := json.Marshal(shape)
	f.header = append(f.header, fmt.Sprintf(`%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, name, kind, lengths, len(f.data), len(f.data)+len(raw)))
	f.data = append(f.data, raw...)
}

func (f *tensorFile) bytes() []byte { return withHeader("{"+strings.Join(f.header, ",")+"}  ", f.data) }

func withHeader(header string, data []byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}

// packed returns numbers as F32 or F64.
func packed(kind string, x []float64) []byte {
	var raw []byte
	for _, v := range x {
		if kind == "F64" {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		}
	}
	return raw
}

// TestHalf compares 16-bit numbers with their definition, by the bits of a wider type where they are
// normal: the exponent moves by 112, the fraction by 13 places.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		h := uint16(bits)
		got := half(h)
		var want float64
		switch exponent := h >> 10 & 31; exponent {
		case 0:
			want = float64(h&1023) / (1 << 24)
		case 31:
			want = math.Inf(1)
			if h&1023 != 0 {
				want = math.NaN()
			}
		default:
			want = float64(math.Float32frombits((uint32(exponent)+112)<<23 | uint32(h&1023)<<13))
		}
		if h>>15 == 1 {
			want = -want
		}
		if got != want && !(got != got && want != want) {
			t.Fatalf("bits %04x: got %v, want %v", h, got, want)
		}
	}
}

// TestTypes reads one number in each type, from files that say something of themselves.
func TestTypes(t *testing.T) {
	for kind, raw := range map[string][]byte{"F64": packed("F64", []float64{-1.5}), "F32": packed("F32", []float64{-1.5}), "BF16": {0xc0, 0xbf}, "F16": {0x00, 0xbe}} {
		f := tensorFile{header: []string{`"__metadata__":{"format":"pt"}`}}
		f.add("x", kind, []int{1}, raw)
		tensors, err := Parse(f.bytes())
		if err != nil {
			t.Fatal(err)
		}
		if x, floatsErr := tensors["x"].Floats("x"); floatsErr != nil || x[0] != -1.5 {
			t.Errorf("%s: got %v, error %v, want -1.5", kind, x, floatsErr)
		}
	}
}

// TestParseRefuses damages files.
func TestParseRefuses(t *testing.T) {
	entry := `"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for name, c := range map[string]struct {
		file  []byte
		words string
	}{
		"empty":              {nil, "0 bytes"},
		"long header":        {binary.LittleEndian.AppendUint64(nil, 1<<40), "beyond the file"},
		"no object":          {withHeader(`[]`, nil), "no JSON object"},
		"no end":             {withHeader(`{`+entry, make([]byte, 8)), "does not end"},
		"text after":         {withHeader(`{`+entry+`}x`, make([]byte, 8)), "text follows the header"},
		"twice":              {withHeader(`{`+entry+`,`+entry+`}`, make([]byte, 8)), "twice"},
		"unknown type":       {withHeader(`{"x":{"dtype":"F3","shape":[2],"data_offsets":[0,8]}}`, make([]byte, 8)), "type \"F3\""},
		"negative length":    {withHeader(`{"x":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, make([]byte, 8)), "impossible shape"},
		"lengths wrap":       {withHeader(`{"x":{"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,0]}}`, nil), "impossible shape"},
		"wrong size":         {withHeader(`{"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, make([]byte, 8)), "not the bytes"},
		"beyond the end":     {withHeader(`{`+entry+`}`, make([]byte, 7)), "not the bytes"},
		"one offset":         {withHeader(`{"x":{"dtype":"F32","shape":[0],"data_offsets":[0]}}`, nil), "not the bytes"},
		"gap":                {withHeader(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, make([]byte, 8)), "gap"},
		"overlap":            {withHeader(`{`+entry+`,"y":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, make([]byte, 8)), "overlap"},
		"bytes after":        {withHeader(`{`+entry+`}`, make([]byte, 9)), "bytes follow"},
		"metadata of others": {withHeader(`{"__metadata__":{"a":1},`+entry+`}`, make([]byte, 8)), "broken"},
	} {
		if _, err := Parse(c.file); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got error %v, want %q", name, err, c.words)
		}
	}
}

// FuzzParse wants no panic, and of what is read no array beyond its bytes.
func FuzzParse(f *testing.F) {
	var good tensorFile
	good.add("w", "F32", []int{1, 2}, make([]byte, 8))
	good.add("b", "BF16", []int{1}, make([]byte, 2))
	f.Add(good.bytes())
	f.Add(withHeader(`{"__metadata__":{"a":"b"}}`, nil))
	f.Fuzz(func(t *testing.T, file []byte) {
		tensors, err := Parse(file)
		if err != nil {
			return
		}
		total := 0
		for name, a := range tensors {
			total += len(a.Raw)
			entries := 1
			for _, n := range a.Shape {
				entries *= n
			}
			if x, floatsErr := a.Floats(name); floatsErr == nil && len(x) != entries {
				t.Fatalf("%q: got %d numbers of shape %v", name, len(x), a.Shape)
			}
		}
		if total > len(file) {
			t.Fatalf("got %d bytes of arrays from %d", total, len(file))
		}
	})
}

// TestEncode reads back what was written, and wants the bytes of a file whose header stands here in full.
func TestEncode(t *testing.T) {
	want := withHeader(`{"a.scale":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"z":{"dtype":"I64","shape":[],"data_offsets":[4,12]}}       `,
		append(packed("F32", []float64{0.5}), 1, 2, 3, 4, 5, 6, 7, 8))
	got, err := Encode(map[string]Tensor{"z": {Type: "I64", Raw: []byte{1, 2, 3, 4, 5, 6, 7, 8}}, "a.scale": NewFloat32([]float32{0.5}, 1)})
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("got %q, error %v, want %q", got, err, want)
	}
	r := rand.New(rand.NewPCG(5, 7))
	tensors := map[string]Tensor{}
	for _, shape := range [][]int{{}, {0}, {3}, {2, 3}, {4, 1, 5}} {
		n := 1
		for _, length := range shape {
			n *= length
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		tensors[fmt.Sprint(shape)] = NewFloat32(x, shape...)
	}
	file, err := Encode(tensors)
	if err != nil {
		t.Fatal(err)
	}
	if length := binary.LittleEndian.Uint64(file); length%alignment != 0 {
		t.Errorf("the header has %d bytes, want a multiple of %d", length, alignment)
	}
	back, err := Parse(file)
	if err != nil || len(back) != len(tensors) {
		t.Fatalf("got %d arrays, error %v, want %d", len(back), err, len(tensors))
	}
	for name, a := range tensors {
		if b := back[name]; b.Type != a.Type || !slices.Equal(b.Shape, a.Shape) || !bytes.Equal(b.Raw, a.Raw) {
			t.Errorf("%s: got %v, want %v", name, b, a)
		}
	}
}

// TestEncodeRefuses wants no file of arrays that do not fit.
func TestEncodeRefuses(t *testing.T) {
	for name, a := range map[string]Tensor{"x": {Type: "F32", Shape: []int{2}, Raw: make([]byte, 7)}, "y": {Type: "F3", Raw: make([]byte, 4)}, metadataName: NewFloat32([]float32{1}, 1)} {
		if _, err := Encode(map[string]Tensor{name: a}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v, want one that names it", name, err)
		}
	}
}
