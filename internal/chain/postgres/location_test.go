package postgres

import "testing"

// TestSame compares addresses: whoever connects, one ledger is one ledger.
func TestSame(t *testing.T) {
	t.Setenv("PGHOST", "")
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"a.ledger", "./a.ledger", true},
		{"a.ledger", "b/../a.ledger", true},
		{"a.ledger", "b/a.ledger", false},
		{"a.ledger", "postgres://db.example/ledgers?ledger=visits", false},
		{"postgres://db.example/ledgers?ledger=visits", "postgres://anna@db.example:5432/ledgers?ledger=visits&connect_timeout=5", true},
		{"postgres://db.example/ledgers", "postgresql://db.example/ledgers?ledger=dither", true},
		{"postgres://db.example/ledgers?ledger=visits", "postgres://db.example/ledgers?ledger=stays", false},
		{"postgres://db.example/ledgers?ledger=visits", "postgres://db.example:5433/ledgers?ledger=visits", false},
		{"postgres://db.example/ledgers?ledger=visits", "postgres://other.example/ledgers?ledger=visits", false},
		{"postgres://db.example/ledgers?ledger=visits", "postgres://db.example/copies?ledger=visits", false},
	} {
		if Same(c.a, c.b) != c.same || Same(c.b, c.a) != c.same {
			t.Errorf("%s and %s: got %v, want %v", c.a, c.b, !c.same, c.same)
		}
	}
}
