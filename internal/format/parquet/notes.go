package parquet

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/format/arrow"
)

// arrowKey holds the schema in the Arrow format, which libraries of Arrow write. Spark, Iceberg and
// Avro write it as JSON under jsonKeys.
const arrowKey = "ARROW:schema"

var jsonKeys = []string{"org.apache.spark.sql.parquet.row.metadata", "iceberg.schema", "parquet.avro.schema", "avro.schema"}

// maxNote bounds a description. That of ten thousand columns has about 1 MB.
const maxNote = 4 << 20

// note reads a KeyValue. It keeps the value of a key that describes the table, unless the value is too long or
// the key is there already.
func (d *decoder) note(t wireType, notes map[string]string) {
	if !d.expect(t, wireStruct) {
		return
	}
	key := ""
	d.structure(func(id int, t wireType) {
		switch {
		case id == 1 && d.expect(t, wireBinary):
			key = d.text()
			if columnar.IsComment(key) {
				key = strings.ToLower(key)
			}
		case id == 2 && t == wireBinary && isNote(key) && notes[key] == "":
			if n := d.length(); n > maxNote {
				d.discard(n)
			} else {
				notes[key] = d.bytes(n)
			}
		default:
			d.skip(t)
		}
	})
}

// isNote reports whether the value of a key describes the table.
func isNote(key string) bool {
	return key == arrowKey || columnar.IsComment(key) || slices.Contains(jsonKeys, key)
}

// jsonSchema is a schema that Spark, Iceberg or Avro wrote as JSON.
type jsonSchema struct {
	Doc    string `json:"doc"`
	Fields []struct {
		Name     string `json:"name"`
		Doc      string `json:"doc"`
		Metadata struct {
			Comment     string `json:"comment"`
			Description string `json:"description"`
		} `json:"metadata"`
	} `json:"fields"`
}

// describe returns what the key-value metadata says of the columns by name, and of the table. A part that cannot be
// read says nothing.
func (f *footer) describe() (columns map[string]columnar.Column, comment string) {
	columns = map[string]columnar.Column{}
	if message, err := base64.StdEncoding.DecodeString(f.notes[arrowKey]); err == nil {
		var said []columnar.Column
		said, comment = arrow.Described(message)
		for _, c := range said {
			columns[c.Name] = c
		}
	}
	for _, key := range jsonKeys {
		var s jsonSchema
		_ = json.Unmarshal([]byte(f.notes[key]), &s) // fields of another type stay empty
		comment = cmp.Or(comment, s.Doc)
		for _, field := range s.Fields {
			c := columns[field.Name]
			c.Comment = cmp.Or(c.Comment, field.Doc, field.Metadata.Comment, field.Metadata.Description)
			columns[field.Name] = c
		}
	}
	return columns, cmp.Or(f.notes["comment"], f.notes["description"], comment)
}
