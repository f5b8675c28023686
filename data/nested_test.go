package data_test

import (
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestStructsWithoutKeyGiveNoRecord: whether some person has a key changes no other record.
func TestStructsWithoutKeyGiveNoRecord(t *testing.T) {
	s, err := data.ParseSchema("s.yaml", []byte(joinedSchema))
	if err != nil {
		t.Fatal(err)
	}
	type visit struct {
		Day, Ward string
		Cost      float64
	}
	type person struct {
		Person, Ill string
		Age         int
		Visits      []visit
	}
	without := person{"", "no", 30, []visit{{"2024-01-01", "day", 10}}}
	with := person{"a", "yes", 40, nil}
	for _, c := range []struct {
		people []person
		kept   int
	}{{[]person{without, without}, 0}, {[]person{without, with, without}, 1}} {
		d, err := data.FromSlice(s, c.people, data.ReadOptions{KeepDropped: true})
		if err != nil {
			t.Fatal(err)
		}
		dropped := make([]bool, d.Records())
		for i := range dropped {
			dropped[i] = d.Dropped(i)
		}
		kept := slices.DeleteFunc(slices.Clone(dropped), func(drop bool) bool { return drop })
		if d.Records() != len(c.people) || len(kept) != c.kept {
			t.Errorf("got %d rows, dropped %v, want %d rows and %d records", d.Records(), dropped, len(c.people), c.kept)
		}
	}
}
