// Command make writes the embedded files of the RAND Health Insurance Experiment from the table in
// the statsmodels package (datasets/randhie/src/randhie.csv):
//
//	go run ./data/builtin/internal/make -from randhie.csv
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// sourceSHA256 is the hash of the file that the embedded files were made from.
const sourceSHA256 = "fe64f3c8e987779daa6052dd756d9ce277e025330f5549126c7c2f6a3c9c5541"

func main() {
	from := flag.String("from", "randhie.csv", "the package's src/randhie.csv")
	to := flag.String("to", filepath.Join("data", "builtin"), "folder of the embedded files")
	flag.Parse()
	if err := convert(*from, *to); err != nil {
		log.Fatal(err)
	}
}

// column is one column of the result: its name, and its cell for a source record.
type column struct {
	name string
	cell func(get func(string) string) string
}

// plain returns the column of unchanged source cells.
func plain(name, source string) column {
	return column{name, func(get func(string) string) string { return get(source) }}
}

// rounded returns the column of numbers rounded to this many decimals; a missing cell stays empty.
func rounded(name, source string, decimals int) column {
	return column{name, func(get func(string) string) string {
		v, err := strconv.ParseFloat(get(source), 64)
		if err != nil {
			return ""
		}
		scale := math.Pow(10, float64(decimals))
		return strconv.FormatFloat(math.Round(v*scale)/scale, 'f', -1, 64)
	}}
}

// named returns the column of codes turned into words.
func named(name, source string, words map[string]string) column {
	return column{name, func(get func(string) string) string { return words[get(source)] }}
}

// health returns the self-rating, which the source has as three indicators.
func health(get func(string) string) string {
	for _, c := range []struct{ source, level string }{{"hlthg", "good"}, {"hlthf", "fair"}, {"hlthp", "poor"}} {
		if get(c.source) == "1" {
			return c.level
		}
	}
	return "excellent"
}

var yesNo = map[string]string{"0": "no", "1": "yes"}

var columns = []column{
	plain("year", "year"), plain("site", "site"), plain("coinsurance", "coins"), named("deductible-plan", "idp", yesNo),
	rounded("age", "xage", 1), named("female", "female", yesNo), named("child", "child", yesNo), rounded("black", "black", 2),
	rounded("income", "income", 0), rounded("education", "educdec", 1), plain("family-size", "num"), rounded("mental-health", "mhi", 1),
	rounded("general-health", "xghindx", 1), rounded("chronic-diseases", "disea", 1), rounded("physical-limitation", "physlm", 2),
	{"health", health}, rounded("time-eligible", "time", 2), plain("visits", "mdvis"),
}

func convert(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != sourceSHA256 {
		return fmt.Errorf("%s has SHA-256 %s, want %s", from, got, sourceSHA256)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	train, test := split(records)
	if err := write(filepath.Join(to, "randhie-train.csv.gz"), train); err != nil {
		return err
	}
	return write(filepath.Join(to, "randhie-test.csv.gz"), test)
}

// split returns the records of two tables, with persons renumbered in order of appearance. All rows
// of a person go to one table. A person goes to the test table when the SHA-256 of "dither randhie
// " and the number begins with four bytes that are 0 modulo 5. The four bytes are read as a
// big-endian integer.
func split(records [][]string) (train, test [][]string) {
	header := []string{"person"}
	for _, c := range columns {
		header = append(header, c.name)
	}
	train, test = [][]string{header}, [][]string{header}
	index, persons := map[string]int{}, map[string]int{}
	for j, name := range records[0] {
		index[name] = j
	}
	for _, record := range records[1:] {
		get := func(name string) string { return record[index[name]] }
		person, known := persons[get("zper")]
		if !known {
			person = len(persons) + 1
			persons[get("zper")] = person
		}
		row := []string{strconv.Itoa(person)}
		for _, c := range columns {
			row = append(row, c.cell(get))
		}
		sum := sha256.Sum256([]byte("dither randhie " + row[0]))
		if binary.BigEndian.Uint32(sum[:])%5 == 0 {
			test = append(test, row)
		} else {
			train = append(train, row)
		}
	}
	return train, test
}

func write(path string, records [][]string) error {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := csv.NewWriter(z).WriteAll(records); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}
