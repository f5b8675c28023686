package certificate

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/privacy"
)

// TestSubjectCheck changes one thing at a time.
func TestSubjectCheck(t *testing.T) {
	good := Subject{Neighboring: privacy.ReplaceOne, Unit: "one person", Delta: 1e-6, Records: 10, MaxRecords: 20, RowsPerPerson: 1}
	if err := CheckSubject("train", good, false); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(s *Subject){
		"train: neighboring is ":                                                    func(s *Subject) { s.Neighboring = 0 },
		"train: row is missing in the schema":                                       func(s *Subject) { s.Unit = "" },
		"train: delta is 0, want more than 0 and less than 1":                       func(s *Subject) { s.Delta = 0 },
		"train: delta is 1, want 0 or more and less than 1":                         func(s *Subject) { s.Delta = 1 },
		"train: records is 21, max records 20, rows per person 1, want 0 ≤ records": func(s *Subject) { s.Records = 21 },
		"train: records is 10, max records 20, rows per person -1, want 0":          func(s *Subject) { s.RowsPerPerson = -1 },
		"train: records is 0, max records 0, rows per person 1, want 0":             func(s *Subject) { s.Records, s.MaxRecords = 0, 0 },
		"train: under replace-one the number of records is public":                  func(s *Subject) { s.Records = 0 },
	} {
		s := good
		change(&s)
		if err := CheckSubject("train", s, s.Delta == 1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	pure, private := good, good
	pure.Delta, private.Neighboring, private.Records = 0, privacy.AddOrRemoveOne, 0
	for _, s := range []Subject{pure, private} {
		if err := CheckSubject("train", s, s.Delta == 0); err != nil {
			t.Error(err)
		}
	}
}
