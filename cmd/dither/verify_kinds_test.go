package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forgeSchema is small, with columns of each kind.
const forgeSchema = forgeHead + forgeTarget + columnsText

const (
	forgeHead   = "dither-schema: 1\nname: people\nrow: one person\nmax-records: 5000\n"
	forgeTarget = "target: {column: income, levels: [low, high]}"
	forgeNumber = forgeHead + `target: {column: height, bounds: [50, 220]}
defaults: {missing: drop}
columns:
  age: {numeric: [0, 100], out-of-range: clamp}
  sex: {levels: [f, m], unknown: other}
  weight: ignore
`
)

// forgeFiles are what the folders are made of, beside table.csv.
var forgeFiles = map[string]string{
	"schema.yaml":          forgeSchema,
	"several.yaml":         severalRows(forgeSchema),
	"copied.yaml":          strings.Replace(forgeSchema, "columns:", "from-data: [age, max-records]\ncolumns:", 1),
	"numbers.yaml":         forgeNumber,
	"several-numbers.yaml": severalRows(forgeNumber),
	"numbers.csv":          numbersTable(60),
	"images.csv":           imagesTable(40),
	"classes.yaml":         forgeHead + "target: {column: town, levels: [" + secret + "0, " + secret + "1, " + secret + "2]}" + strings.Replace(columnsText, "town", "income", 1),
	"one.yaml":             forgeHead + forgeTarget + "\ncolumns:\n  age: {numeric: [0, 100], out-of-range: clamp, missing: zero}\n  height: ignore\n  sex: ignore\n  town: ignore\n",
	"texts.yaml": forgeHead + forgeTarget + `
columns:
  town: {text: {buckets: 256, ngrams: 1, stop-words: none, values: presence}, missing: zero}
  age: {numeric: [0, 100], out-of-range: clamp, missing: zero}
  height: ignore
  sex: ignore
`,
	"tokens.yaml": forgeHead + forgeTarget + `
columns:
  town: {text: {positions: 4, buckets: 256}}
  age: ignore
  height: ignore
  sex: ignore
`,
	"learned.yaml": forgeHead + forgeTarget + `
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  age: {bounds: private, range: [-5, 1000]}
  height: {numeric: [0, 1e6], bins: private, max-bins: 6}
  town: {levels: private, max-levels: 5}
  sex: {levels: [f, m]}
`,
	"images.yaml": forgeHead + `target: {column: y, levels: [a, b]}
defaults: {missing: drop, out-of-range: clamp}
columns:
  x[0:64]: {numeric: [0, 1]}
`,
	"related.yaml": forgeHead + forgeTarget + `
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  person: ignore
  age: {numeric: [0, 100]}
related:
  visits:
    key: patient
    people-key: person
    max-rows: 5
    columns:
      cost: {numeric: [0, 10]}
    features:
      visits: {count: true}
      mean-cost: {mean: cost}
`,
	"persons.csv": personsTable(60),
	"visits.csv":  visitsTable(60),
	"images-layers.yaml": `- conv: {channels: 4, kernel: 3, stride: 1, padding: 1, dilation: 1, groups: 1, bias: false}
- group-norm: {groups: 2, eps: 0.001}
- activation: {function: tempered-sigmoid, scale: 1.5, temperature: 2, offset: 0.1}
- max-pool: {kernel: 2, stride: 2, padding: 1}
- average-pool: {kernel: 2, stride: 1, padding: 1}
- residual:
  - dropout: {probability: 0.1}
- channels-last
- flatten
- layer-norm: {eps: 0.001}
- linear: {outputs: 1, bias: false}
`,
	"pooled-layers.yaml": `- conv: {channels: 2, kernel: 3}
- global-average-pool
- linear: {outputs: 1}
`,
	"tokens-layers.yaml": `- embedding: {vocabulary: 256, features: 4}
- position-embedding
- attention: {heads: 2, causal: true}
- rms-norm: {eps: 0.001}
- recurrent: {units: 2, return_sequences: true}
- flatten
- linear: {outputs: 1}
`,
	"bag-layers.yaml": `- embedding-bag: {vocabulary: 256, features: 2, mode: mean}
- linear: {outputs: 1}
`,
}

func severalRows(schema string) string {
	return strings.Replace(schema, "max-records", "rows-per-person: 3\nmax-records", 1)
}

// numbersTable has a number to predict, and a weight for each row.
func numbersTable(rows int) string {
	var b strings.Builder
	b.WriteString("age,height,sex,weight\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%d,%s,%.1f\n", i*37%90, 50+i*79%170, []string{"f", "m"}[i%2], 0.1+float64(i%7)/10)
	}
	return b.String()
}

// personsTable has a row for each person, and visitsTable up to three rows.
func personsTable(persons int) string {
	var b strings.Builder
	b.WriteString("person,age,income\n")
	for i := range persons {
		fmt.Fprintf(&b, "p%d,%d,%s\n", i, i*37%90, []string{"low", "high"}[i%2])
	}
	return b.String()
}

func visitsTable(persons int) string {
	var b strings.Builder
	b.WriteString("patient,cost\n")
	for i := range persons {
		for j := range i % 4 {
			fmt.Fprintf(&b, "p%d,%d\n", i, (i+j)%10)
		}
	}
	return b.String()
}

// imagesTable has images of 8 by 8 numbers.
func imagesTable(rows int) string {
	var b strings.Builder
	for j := range 64 {
		fmt.Fprintf(&b, "x%d,", j)
	}
	b.WriteString("y\n")
	for i := range rows {
		for j := range 64 {
			fmt.Fprintf(&b, "%.1f,", float64(i*j%11)/10)
		}
		b.WriteString([]string{"a", "b"}[i%2] + "\n")
	}
	return b.String()
}

// A forgeFolder is a folder that edits are tried on, with the arguments that make it. Some are made of others that stand
// before them.
type forgeFolder struct {
	name, args string
	// schema is the name of the schema, "" for schema; table that of the table, "" for table.
	schema, table string
	// often says that the folder is among those of the ordinary share.
	often bool
	// ledger is the durable ledger that pays for the run, "" for none: the folder is verified with it.
	ledger string
	// signed says that the certificate is signed: the folder is verified with the public key.
	signed bool
}

// oneNetwork is a network that is cheap to train and to price.
const oneNetwork = "train --model mlp --hidden 3,2 --sampling full --steps 2"

// forgeFolders holds a folder of every kind: each field that is ever written occurs in one of them, as
// checkFields holds.
var forgeFolders = []forgeFolder{
	{name: "descent", args: "train --steps 4", schema: "several", often: true},
	{name: "paid", args: "train --steps 4", ledger: "paid.ledger", often: true},
	{name: "paid-twice", args: "train --model mlp --hidden 3 --sampling full --steps 6 --checkpoint paid-state --checkpoint-every 3", ledger: "paid-twice.ledger"},
	{name: "signed", args: "train --steps 2", signed: true, often: true},
	{name: "declared", args: "train --steps 2 --owner clinic --purpose study --data people.db --table people", often: true},
	{name: "answer-signed", args: "query count", signed: true},
	{name: "baseline", args: "train --non-private --steps 4", schema: "several", often: true},
	{name: "samples", args: "train --sampling-probability 0.2 --steps 3 --center no --whiten no --threshold 0.3"},
	{name: "held-out", args: "train --steps 3 --holdout private:0.3 --holdout-bins 2 --threshold best --class-weights balanced", often: true},
	{name: "calibrated", args: "train --steps 3 --calibrate", often: true},
	{name: "calibrated-numbers", args: "train --steps 3 --calibrate", schema: "numbers", table: "numbers"},
	{name: "iterates", args: "train --steps 2 --output-rule all-iterates --clipping example --class-weights 1,0.5", schema: "several", often: true},
	{name: "last-iterate", args: "train --steps 40 --accounting last-iterate --ridge 0.01 --records 60"},
	{name: "last-huber", args: "train --steps 40 --accounting last-iterate --ridge 0.01 --records 60 --loss huber --loss-width 0.3", schema: "numbers", table: "numbers"},
	{name: "batches", args: "train --non-private --steps 2 --neighboring replace-one --records 60 --batch-size 10", schema: "one"},
	{name: "parts", args: "train --steps 2 --parts 3 --epsilon-per-step 0.5"},
	{name: "ball", args: "train --steps 2 --loss squared --clipping data-and-parameter --parameter-radius 2", schema: "numbers", table: "numbers"},
	{name: "varying", args: "train --steps 3 --noise-contraction 0.9 --row-normalization clip --row-radius private --neighboring zero-out --records 60"},
	{name: "classes", args: "train --steps 2 --whiten diagonal --loss one-vs-rest", schema: "classes"},
	{name: "person", args: "train --steps 2 --unit person:town --max-records-per-person 3 --holdout private:0.3 --holdout-bins 2", often: true},
	{name: "held-out-groups", args: "train --steps 2 --holdout private:0.3 --holdout-bins 1 --group sex", schema: "several"},
	{name: "held-out-numbers", args: "train --steps 2 --holdout private:0.3 --group sex --holdout-residual-bound 50", schema: "numbers", table: "numbers"},
	{name: "row-weights", args: "train --steps 2 --sample-weights weight:0.1:1", schema: "numbers", table: "numbers"},
	{name: "quantile", args: "train --steps 2 --quantile 0.3 --loss-width 0.1", schema: "numbers", table: "numbers"},
	{name: "poisson", args: "train --steps 2 --loss poisson", schema: "numbers", table: "numbers"},
	{name: "learned", args: "train --steps 2 --epsilon 40", schema: "learned", often: true},
	{name: "texts", args: "train --steps 2 --whiten no", schema: "texts"},
	{name: "copied", args: "train --steps 2 --assume-public --test table.csv --test-public", schema: "copied"},
	{name: "transforms", args: "train --steps 2 --transform groupnorm:groups=2 --transform standardize:mean=0.1,deviation=2 --transform crosses:columns=age*sex --transform fourier:features=4,bandwidth=1,seed=3"},
	{name: "interactions", args: "train --steps 2 --interactions age*sex,sex*height"},
	{name: "scattered", args: "train --steps 2 --transform deskew:shape=8x8 --transform scattering:shape=8x8 --whiten kronecker", schema: "images", table: "images"},
	{name: "output-perturbation", args: "train --method output-perturbation"},
	{name: "pure", args: "train --method output-perturbation --delta 0"},
	{name: "solver", args: "train --method output-perturbation --solver gradient-descent --center yes --records 60"},
	{name: "permuted", args: "train --method output-perturbation --solver permuted-descent --neighboring replace-one --records 60 --solver-rate 0.1 --solver-batch 10 --solver-passes 2", schema: "one"},
	{name: "objective-perturbation", args: "train --method objective-perturbation"},
	{name: "sums", args: "train --method least-squares", schema: "several"},
	{name: "linear", args: "train --method sufficient-statistics --sum-ridge 1 --delta 0", schema: "numbers", table: "numbers"},
	{name: "linear-declared", args: "train --method sufficient-statistics --records 60", schema: "numbers", table: "numbers"},
	{name: "adaptive-ridge", args: "train --method adassp", schema: "several-numbers", table: "numbers", often: true},
	{name: "newton", args: "train --method newton"},
	{name: "newton-numbers", args: "train --method newton --sum-ridge 1", schema: "numbers", table: "numbers"},
	{name: "reference", args: "train --method l-bfgs --non-private"},
	{name: "exponential", args: "train --method exponential --no-intercept", schema: "one"},
	{name: "zeroth-order", args: "train --method zeroth-order --steps 2 --delta 0"},
	{name: "sparse", args: "train --method frank-wolfe --steps 1"},
	{name: "network", args: oneNetwork, schema: "several", often: true},
	{name: "network-baseline", args: "train --model mlp --hidden 3 --non-private --steps 2 --records 60 --neighboring replace-one --batch-size 5"},
	{name: "network-samples", args: "train --model mlp --hidden 3 --steps 2 --sampling-probability 0.1 --non-private"},
	{name: "network-truncated", args: "train --model mlp --hidden 3 --steps 2 --sampling truncated-poisson --batch-size 8 --sampling-probability 0.1 --non-private"},
	{name: "network-parts", args: "train --model mlp --hidden 3 --steps 3 --parts 3 --sampling shuffle"},
	{name: "network-banded", args: "train --model mlp --hidden 3 --steps 6 --parts 3 --correlated-noise banded --noise-bands 2"},
	{name: "network-groups", args: oneNetwork + " --clipping-rule auto-s --clipping-groups per-layer --noise-allocation dimension"},
	{name: "network-damped", args: oneNetwork + " --clipping-rule psac --loss hinge --loss-width 0.3"},
	{name: "network-adaptive", args: oneNetwork + " --clipping-rule global-adaptive"},
	{name: "network-projected", args: oneNetwork + " --clipping-rule projected --projections 5"},
	{name: "network-means", args: oneNetwork + " --microbatch 4"},
	{name: "network-person", args: oneNetwork + " --unit person:town --max-records-per-person 3"},
	{name: "network-classes", args: oneNetwork, schema: "classes"},
	{name: "network-numbers", args: oneNetwork, schema: "numbers", table: "numbers"},
	{name: "network-resumed", args: "train --model mlp --hidden 3 --sampling full --steps 6 --checkpoint state --checkpoint-every 3", often: true},
	{name: "network-images", args: "train --model images-layers.yaml --input-shape 8x8 --sampling full --steps 2", schema: "images", table: "images"},
	{name: "network-pooled", args: "train --model pooled-layers.yaml --input-shape 8x8 --sampling full --steps 2", schema: "images", table: "images"},
	{name: "network-tokens", args: "train --model tokens-layers.yaml --sampling full --steps 2", schema: "tokens"},
	{name: "network-bag", args: "train --model bag-layers.yaml --sampling full --steps 2", schema: "tokens"},
	{name: "network-texts", args: "train --model text --embedding 2 --sampling full --steps 2", schema: "texts"},
	{name: "frozen", args: "train --frozen-from network --sampling full --steps 2", often: true, schema: "several"},
	{name: "frozen-begins", args: "train --frozen-from network --train-layers 2 --sampling full --steps 2", schema: "several"},
	{name: "frozen-twice", args: "train --frozen-from frozen --sampling full --steps 2", schema: "several"},
	{name: "frozen-public", args: "train --frozen-from network-groups --frozen-public elsewhere --sampling full --steps 2"},
	{name: "encoded", args: "train --steps 2 --transform encoder:layers=0:tanh,file=network/network.safetensors,norm=none"},
	{name: "choice", args: "sweep --select geometric:2 --epsilon 4 --learning-rate 1,2 --steps 2 --test table.csv --test-public", often: true},
	{name: "choice-shape", args: "sweep --select negative-binomial:2:3 --epsilon 4 --learning-rate 1,2 --steps 2 --test table.csv --test-public", schema: "several"},
	{name: "answer", args: "query mean age --by sex", often: true},
	{name: "quantiles", args: "query quantiles age", often: true},
	{name: "answer-where", args: "query count --where age>30 --noise discrete", schema: "several"},
	{name: "answer-cells", args: "query histogram age --edges 30,50"},
	{name: "answer-person", args: "query sum age --unit person:town --max-records-per-person 2"},
	{name: "answer-texts", args: "query categories town --epsilon 20"},
	{name: "answer-blocks", args: "query aggregate age --of median --blocks 10"},
	{name: "answer-pairs", args: "query covariance age height"},
	{name: "evaluation", args: "evaluate held-out table.csv --private --bins 2", often: true},
	{name: "answer-declared", args: "query count --data people.db --table people", often: true},
	{name: "evaluation-declared", args: "evaluate descent people.db --table people --private --bins 2", often: true},
	{name: "choice-declared", args: "sweep --select geometric:2 --epsilon 4 --learning-rate 1,2 --steps 2 --data people.db --table people --test table.csv --test-public"},
	{name: "related", args: "train --steps 2 --related visits=visits.csv", schema: "related", table: "persons"},
	{name: "answer-related", args: "query mean visits --related visits=visits.csv", schema: "related", table: "persons"},
	{name: "evaluation-related", args: "evaluate related persons.csv --related visits=visits.csv --private --bins 2"},
	{name: "evaluation-rows", args: "evaluate descent table.csv --private --bins 2"},
	{name: "evaluation-person", args: "evaluate held-out table.csv --private --bins 2 --unit person:town --max-records-per-person 2 --threshold 0.3"},
	{name: "evaluation-numbers", args: "evaluate held-out-numbers numbers.csv --private --group sex --noise gaussian"},
	{name: "evaluation-classes", args: "evaluate classes table.csv --private --group sex"},
}

// makeForgeFolders makes folders of the kinds that are wanted, and of those that they are made of.
func makeForgeFolders(t *testing.T, wanted func(forgeFolder) bool) string {
	t.Helper()
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "table.csv"), tableText(60, "low", "high"))
	for name, text := range forgeFiles {
		writeText(t, filepath.Join(dir, name), text)
	}
	t.Chdir(dir)
	for _, f := range forgeFolders {
		if wanted(f) {
			f.make(t)
		}
	}
	return dir
}

// make makes the folder in the present one.
func (f forgeFolder) make(t *testing.T) {
	t.Helper()
	or := func(name, other string) string {
		if name == "" {
			return other
		}
		return name
	}
	args := append(strings.Fields(f.args), "--out", f.name)
	if _, err := os.Stat("people.db"); err != nil && slices.Contains(args, "people.db") {
		sqliteTable(t, "people.db", "people", "table.csv", "")
	}
	if args[0] == "evaluate" {
		mustInvoke(t, append(args, "--epsilon", "2")...)
		return
	}
	if args = append(args, "--schema", or(f.schema, "schema")+".yaml"); !slices.Contains(args, "--table") {
		args = append(args, "--data", or(f.table, "table")+".csv")
	}
	if f.ledger != "" {
		mustInvoke(t, "ledger", "create", f.ledger, "--data", "people", "--epsilon", "3", "--delta", "1e-5", "--row", "one person")
		args = append(args, "--ledger", f.ledger)
	}
	if i := slices.Index(args, "--checkpoint"); i >= 0 { // the run stops in the middle, and goes on
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out := &stopper{at: "step 4 of 6", stop: cancel}
		if status := run(ctx, args, out, out); status != exitFailed {
			t.Fatalf("a run that is stopped ends with status %d and %s, want %d", status, out.text.String(), exitFailed)
		}
		args[i] = "--resume"
	}
	if args[0] != "query" {
		args = append(args, "--quiet")
	}
	if f.signed {
		newKeys(t, ".", f.name)
		args = append(args, "--sign", f.name+".pem")
	}
	mustInvoke(t, args...)
}
