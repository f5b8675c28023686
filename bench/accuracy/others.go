package main

import (
	"context"
	"path/filepath"

	"github.com/ditherml/dither/data"
)

// others are tables on which no default and no rule was chosen.
func others() []set {
	return []set{
		{name: "credit-default", epsilons: ruleBudgets, schema: creditSchema, read: everyFifth("credit-default-taiwan/UCI_Credit_Card.csv.gz")},
		{name: "acs-decile", epsilons: ruleBudgets, schema: acsSchema, read: labelled(pair("acs-nist/national2018.csv.gz", "acs-nist/national2019.csv.gz")), regression: true},
		{name: "nlswork-rows", epsilons: ruleBudgets, schema: nlsworkSchema, read: readNlswork, regression: true},
		{name: "wine-quality", epsilons: ruleBudgets, schema: wineSchema, read: everyFifth("small-classics/winequality.csv.gz"), regression: true},
	}
}

var ruleBudgets = []float64{0.1, 0.5, 1, 3}

// everyFifth reads a table whose every fifth row is for testing.
func everyFifth(file string) func(context.Context, *data.Schema, string) (training, test *data.Dataset, err error) {
	return func(ctx context.Context, s *data.Schema, in string) (training, test *data.Dataset, err error) {
		all, err := data.Read(ctx, s, data.Source{Path: filepath.Join(in, file)}, data.ReadOptions{})
		if err != nil {
			return nil, nil, err
		}
		var rows [2][]int
		for i := range all.Records() {
			rows[min(1, i%5)] = append(rows[min(1, i%5)], i)
		}
		return all.Take(rows[1]), all.Take(rows[0]), nil
	}
}

// labelled keeps the records that have a target.
func labelled(read func(context.Context, *data.Schema, string) (a, b *data.Dataset, err error)) func(context.Context, *data.Schema, string) (a, b *data.Dataset, err error) {
	with := func(d *data.Dataset) *data.Dataset {
		var rows []int
		for i, v := range d.Target() {
			if v == v {
				rows = append(rows, i)
			}
		}
		return d.Take(rows)
	}
	return func(ctx context.Context, s *data.Schema, in string) (a, b *data.Dataset, err error) {
		if a, b, err = read(ctx, s, in); err != nil {
			return nil, nil, err
		}
		return with(a), with(b), nil
	}
}

// creditSchema declares the clients of a bank in Taiwan (Yeh & Lien 2009), with round bounds on
// amounts in its dollars.
func creditSchema() (*data.Schema, error) {
	return data.ParseSchema("credit-default", []byte(`dither-schema: 1
row: one client
max-records: 30000
target: {column: default.payment.next.month, levels: ["0", "1"]}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
  ID: ignore
  LIMIT_BAL: {numeric: [0, 1000000]}
  SEX: {levels: ["1", "2"]}
  EDUCATION: {levels: ["1", "2", "3", "4"]}
  MARRIAGE: {levels: ["1", "2", "3"]}
  AGE: {numeric: [18, 80]}
  PAY_0: {numeric: [-2, 8]}
  PAY_2: {numeric: [-2, 8]}
  PAY_3: {numeric: [-2, 8]}
  PAY_4: {numeric: [-2, 8]}
  PAY_5: {numeric: [-2, 8]}
  PAY_6: {numeric: [-2, 8]}
  BILL_AMT1: {numeric: [0, 500000]}
  BILL_AMT2: {numeric: [0, 500000]}
  BILL_AMT3: {numeric: [0, 500000]}
  BILL_AMT4: {numeric: [0, 500000]}
  BILL_AMT5: {numeric: [0, 500000]}
  BILL_AMT6: {numeric: [0, 500000]}
  PAY_AMT1: {numeric: [0, 1000000], transform: log1p}
  PAY_AMT2: {numeric: [0, 1000000], transform: log1p}
  PAY_AMT3: {numeric: [0, 1000000], transform: log1p}
  PAY_AMT4: {numeric: [0, 1000000], transform: log1p}
  PAY_AMT5: {numeric: [0, 1000000], transform: log1p}
  PAY_AMT6: {numeric: [0, 1000000], transform: log1p}
`))
}

// acsSchema declares the decile of income of persons in NIST's excerpts of the American Community
// Survey, with the levels of its data dictionary.
func acsSchema() (*data.Schema, error) {
	return data.ParseSchema("acs-decile", []byte(`dither-schema: 1
row: one person
max-records: 30000
target: {column: PINCP_DECILE, bounds: [0, 9]}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
  PUMA: ignore
  AGEP: {numeric: [0, 99]}
  SEX: {levels: ["1", "2"]}
  MSP: {levels: ["1", "2", "3", "4", "5", "6"]}
  HISP: {levels: ["0", "1", "2", "3", "4"]}
  RAC1P: {levels: ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}
  NOC: {levels: ["0", "1", "2", "3"]}
  NPF: {levels: ["2", "3", "4", "5", "6"]}
  HOUSING_TYPE: {levels: ["1", "2", "3"]}
  OWN_RENT: {levels: ["0", "1", "2"]}
  DENSITY: {numeric: [0, 60000], transform: log1p}
  INDP: ignore
  INDP_CAT: {levels: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18"]}
  EDU: {levels: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]}
  PINCP: ignore
  POVPIP: ignore
  DVET: {levels: ["1", "2", "3", "4", "5", "6"]}
  DREM: {levels: ["1", "2"]}
  DPHY: {levels: ["1", "2"]}
  DEYE: {levels: ["1", "2"]}
  DEAR: {levels: ["1", "2"]}
  PWGTP: ignore
  WGTP: ignore
`))
}

// wineSchema declares grades of wines (Cortez and others 2009), with bounds that chemistry and the
// scale of grades give.
func wineSchema() (*data.Schema, error) {
	return data.ParseSchema("wine-quality", []byte(`dither-schema: 1
row: one wine
max-records: 7000
target: {column: quality, bounds: [0, 10]}
defaults: {missing: zero, out-of-range: clamp, unknown: zero}
columns:
  colour: {levels: [red, white]}
  fixed_acidity: {numeric: [3, 16]}
  volatile_acidity: {numeric: [0, 1.6]}
  citric_acid: {numeric: [0, 1.6]}
  residual_sugar: {numeric: [0, 60], transform: log1p}
  chlorides: {numeric: [0, 0.6]}
  free_sulfur_dioxide: {numeric: [0, 300], transform: log1p}
  total_sulfur_dioxide: {numeric: [0, 450]}
  density: {numeric: [0.98, 1.04]}
  pH: {numeric: [2.7, 4.1]}
  sulphates: {numeric: [0.2, 2]}
  alcohol: {numeric: [8, 15]}
`))
}
