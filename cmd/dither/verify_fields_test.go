package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/query"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// withoutFolder are the fields that need not occur in a folder of the walk, with the reason.
var withoutFolder = map[string]string{
	"query.Plan.records":     "no question needs a declared number of records, and Validate refuses one",
	"evaluate.Plan.records":  "no evaluation needs a declared number of records, and Validate refuses one",
	"query.File.certificate": "query --json prints it, and verify refuses it in answer.json",
	"evaluate.Estimate.gap":  "it depends on the noise; measures are recomputed as a whole from the released numbers",
	"evaluate.Area.gap":      "as that of other estimates",
}

// layerTypes are the types of all layers, by kind.
var layerTypes = func() map[string]reflect.Type {
	all := []network.Layer{network.Linear{}, network.SparseLinear{}, network.Activation{}, network.Frozen{}, network.Residual{}, network.Conv{}, network.MaxPool{}, network.AveragePool{},
		network.GlobalAveragePool{}, network.Flatten{}, network.ChannelsLast{}, network.Dropout{}, network.GroupNorm{}, network.LayerNorm{}, network.Embedding{}, network.EmbeddingBag{},
		network.PositionEmbedding{}, network.Recurrent{}, network.Attention{}, network.RMSNorm{}}
	types := map[string]reflect.Type{}
	for _, l := range all {
		types[network.Kind(l)] = reflect.TypeOf(l)
	}
	return types
}()

// planType is the type of the plan of a method.
func planType(method string) reflect.Type {
	switch {
	case artefact.IsDescent(method):
		return reflect.TypeFor[train.Plan]()
	case artefact.IsOther(method):
		return reflect.TypeFor[erm.Plan]()
	case artefact.IsNetwork(method):
		return reflect.TypeFor[neural.Plan]()
	case method == option.MethodEvaluation:
		return reflect.TypeFor[evaluate.Plan]()
	case method == option.MethodQuery:
		return reflect.TypeFor[query.Plan]()
	}
	return reflect.TypeFor[sweep.Selection]()
}

// modelSource are the fields of the types of model.json that other packages do not see, by type.
// They are read from the source.
func modelSource(t *testing.T, root string) map[string][]string {
	t.Helper()
	tag := regexp.MustCompile("json:\"([^\",]+)")
	fields := map[string][]string{}
	for name, file := range map[string]string{"file": "model/file.go", "mapFile": "model/file.go", "networkFile": "model/network_file.go", "crossesParameters": "feature/crosses.go",
		"frozenParameters": "feature/frozen.go", "frozenLayerNames": "feature/frozen.go", "groupNormParameters": "feature/groupnorm.go", "interactionsParameters": "feature/interactions.go", "randomFourierParameters": "feature/randomfourier.go",
		"shapeParameters": "feature/scattering.go", "standardParameters": "feature/standardize.go"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		_, body, found := strings.Cut(string(text), "type "+name+" struct {")
		if !found {
			t.Fatalf("%s has no type %s", file, name)
		}
		body, _, _ = strings.Cut(body, "\n}")
		for _, match := range tag.FindAllStringSubmatch(body, -1) {
			fields[name] = append(fields[name], match[1])
		}
		if len(fields[name]) == 0 {
			t.Fatalf("type %s of %s has no fields", name, file)
		}
	}
	return fields
}

// leaf reports whether values of a type are written as one value of their own form.
func leaf(typ reflect.Type) bool {
	if typ == reflect.TypeFor[query.Plan]() || typ == reflect.TypeFor[evaluate.Plan]() {
		return false // they order their own fields
	}
	return typ.Kind() != reflect.Struct || typ.Implements(reflect.TypeFor[json.Marshaler]()) || typ == reflect.TypeFor[network.Dropout]()
}

// jsonFields calls a function with each field of a struct that JSON has.
func jsonFields(typ reflect.Type, each func(name string, of reflect.Type)) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			jsonFields(f.Type, each)
		case f.IsExported() && name != "-" && name != "":
			each(name, f.Type)
		}
	}
}

// element is the type of the values in pointers and lists of them.
func element(typ reflect.Type) reflect.Type {
	for (typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice) && typ != reflect.TypeFor[network.Layers]() {
		typ = typ.Elem()
	}
	return typ
}

// everyField collects the names of all fields of a type and of what it holds.
func everyField(typ reflect.Type, all map[string]bool) {
	if typ = element(typ); leaf(typ) {
		return
	}
	jsonFields(typ, func(name string, of reflect.Type) {
		if key := typ.String() + "." + name; !all[key] {
			all[key] = true
			everyField(of, all)
		}
	})
}

// A fieldWalk marks the fields that occur in files.
type fieldWalk struct {
	source map[string][]string
	seen   map[string]bool
}

// value marks the fields of a value of a Go type.
func (w fieldWalk) value(n *node, typ reflect.Type) {
	if typ = element(typ); n.list && typ != reflect.TypeFor[network.Layers]() {
		for _, v := range n.values {
			w.value(v, typ)
		}
		return
	}
	switch typ {
	case reflect.TypeFor[network.Layers]():
		for _, v := range n.values {
			if len(v.names) == 0 { // a layer without fields
				continue
			}
			kind := v.names[0]
			w.seen["layer "+kind] = true
			if fields := v.values[0]; fields.list {
				w.value(fields, reflect.TypeFor[network.Layers]())
			} else if fields.field("layers") != nil {
				w.value(fields.field("layers"), reflect.TypeFor[network.Layers]())
			} else {
				w.value(fields, layerTypes[kind])
			}
		}
		return
	}
	if leaf(typ) {
		return
	}
	jsonFields(typ, func(name string, of reflect.Type) {
		v := n.field(name)
		if v == nil && name == "no_bias" { // descriptions of layers have it with the other sign
			v = n.field("bias")
		}
		if v == nil {
			return
		}
		w.seen[typ.String()+"."+name] = true
		switch {
		case typ == reflect.TypeFor[certificate.Certificate]() && name == "plan":
			of = planType(word(n.field("method")))
		case typ == reflect.TypeFor[sweep.Selection]() && name == "run":
			of = planType(word(n.field("run-method")))
		}
		w.value(v, of)
	})
}

// named marks the fields of a value of a type that the source names.
func (w fieldWalk) named(n *node, typ string) {
	if n == nil {
		return
	}
	if n.list {
		for _, v := range n.values {
			w.named(v, typ)
		}
	}
	for _, name := range n.names {
		if slices.Contains(w.source[typ], name) {
			w.seen[typ+"."+name] = true
		}
	}
}

// word is the text of a value.
func word(n *node) (text string) {
	if n != nil {
		_ = json.Unmarshal([]byte(n.raw), &text)
	}
	return text
}

// model marks the fields of model.json.
func (w fieldWalk) model(n *node) {
	w.named(n, "file")
	w.value(n.field("provenance"), reflect.TypeFor[model.Provenance]())
	w.value(n.field("loss"), reflect.TypeFor[model.LossSpec]())
	w.named(n.field("feature-map"), "mapFile")
	if specs := n.field("feature-map").field("transforms"); specs != nil {
		w.value(specs, reflect.TypeFor[feature.Spec]())
		for _, s := range specs.values {
			p := s.field("parameters")
			w.named(p, map[string]string{"crosses": "crossesParameters", "encoder": "frozenParameters", "fourier": "randomFourierParameters", "groupnorm": "groupNormParameters", "interactions": "interactionsParameters",
				"scattering": "shapeParameters", "deskew": "shapeParameters", "standardize": "standardParameters"}[word(s.field("name"))])
			if p != nil {
				w.named(p.field("layers"), "frozenLayerNames")
			}
		}
	}
	if net := n.field("network"); net != nil {
		w.named(net, "networkFile")
		w.value(net.field("layers"), reflect.TypeFor[network.Layers]())
	}
}

// checkFields reads folders, and the source beneath root. Every field that the types of the files have occurs in a
// folder, or is named in withoutFolder. So does every kind of layer.
func checkFields(t *testing.T, root, dir string) {
	w := fieldWalk{modelSource(t, root), map[string]bool{}}
	want := map[string]bool{}
	for name, fields := range w.source {
		for _, f := range fields {
			want[name+"."+f] = true
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[certificate.Certificate](), reflect.TypeFor[train.Plan](), reflect.TypeFor[erm.Plan](), reflect.TypeFor[neural.Plan](), reflect.TypeFor[query.Plan](),
		reflect.TypeFor[evaluate.Plan](), reflect.TypeFor[sweep.Selection](), reflect.TypeFor[model.Provenance](), reflect.TypeFor[model.LossSpec](), reflect.TypeFor[feature.Spec](),
		reflect.TypeFor[artefact.Evaluation](), reflect.TypeFor[query.File](), reflect.TypeFor[signature.File]()} {
		everyField(typ, want)
	}
	for kind, typ := range layerTypes {
		want["layer "+kind] = true
		everyField(typ, want)
	}
	kinds, err := os.ReadFile(filepath.Join(root, "network/description.go"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(kinds), "{}.kind():"); n != len(layerTypes) {
		t.Errorf("package network has %d kinds of layers, want the %d that are walked", n, len(layerTypes))
	}
	for _, kind := range forgeFolders {
		for name, tree := range newForgery(t, filepath.Join(dir, kind.name)).trees {
			switch name {
			case certificate.FileName:
				w.value(tree, reflect.TypeFor[certificate.Certificate]())
			case model.FileName:
				w.model(tree)
			case artefact.EvaluationName:
				w.value(tree, reflect.TypeFor[artefact.Evaluation]())
			case artefact.SignatureName:
				w.value(tree, reflect.TypeFor[signature.File]())
			case answerName:
				w.value(tree, reflect.TypeFor[query.File]())
			}
		}
	}
	for field := range want {
		if _, excused := withoutFolder[field]; !w.seen[field] && !excused {
			t.Errorf("%s occurs in no folder of the walk, want one that has it, or a reason", field)
		}
	}
	for field := range withoutFolder {
		if !want[field] {
			t.Errorf("%s is named as a field and is none", field)
		}
	}
}
