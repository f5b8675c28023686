package data

import (
	"reflect"
	"slices"
	"testing"
)

// TestSameDeclaration wants every field of a column but its name to make another declaration.
func TestSameDeclaration(t *testing.T) {
	kind := reflect.TypeFor[Column]()
	for i := range kind.NumField() {
		var a, b Column
		field := reflect.ValueOf(&b).Elem().Field(i)
		switch name := kind.Field(i).Name; {
		case name == "open": // reflection sets no field that is not exported, as the next ones
			b.open = "x"
		case name == "absent":
			b.absent = []float64{1}
		case name == "absentAt":
			b.absentAt = []int64{1}
		case name == "countsDates":
			b.countsDates = true
		case field.CanInt():
			field.SetInt(1)
		case field.CanUint():
			field.SetUint(1)
		case field.CanFloat():
			field.SetFloat(1)
		case field.Kind() == reflect.String:
			field.SetString("x")
		case field.Kind() == reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case field.Kind() == reflect.Bool:
			field.SetBool(true)
		case field.Kind() == reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		default:
			t.Fatalf("field %s is of a kind that this test does not know", name)
		}
		if name := kind.Field(i).Name; sameDeclaration(&a, &b) != (name == "Name") {
			t.Errorf("field %s: got the same declaration %v, want %v", name, name != "Name", name == "Name")
		}
	}
}

// TestFeatureRanges wants ranges of three columns or more, without what is ignored.
func TestFeatureRanges(t *testing.T) {
	column := func(name string, upper float64) Column { return Column{Name: name, Kind: Numeric, Upper: upper} }
	s := &Schema{Columns: []Column{column("age", 9), column("w7", 1), column("w8", 1), {Name: "x", Kind: Ignored}, column("w9", 1), column("w10", 2), column("w11", 2)}}
	if got, want := s.FeatureRanges(), []string{"age", "w[7:10]", "w10", "w11"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
