package training

import (
	"cmp"
	"fmt"
)

// mostDeltaShare is the largest product of delta and records without a warning.
const mostDeltaShare = 0.1

// DeltaDoubt returns a warning about a delta that is not far below 1/records, or "". At delta a
// mechanism may publish each record with that probability. It then publishes delta·records records
// on average (C. Dwork and A. Roth, "The Algorithmic Foundations of Differential Privacy", 2014,
// section 2.3).
func DeltaDoubt(delta float64, records, maxRecords int) string {
	declared := cmp.Or(records, maxRecords)
	if declared == 0 || !(delta < 1) || delta*float64(declared) <= mostDeltaShare { // a delta of 1 is refused
		return ""
	}
	return fmt.Sprintf("delta %g is %.3g times 1/records (%d declared), want at most %g of it: a method with this delta may publish each record with probability %g; take a delta of %.0e",
		delta, delta*float64(declared), declared, mostDeltaShare, delta, mostDeltaShare*mostDeltaShare/float64(declared))
}

// baselineWarning is the warning of every run without privacy.
const baselineWarning = "This is a baseline without privacy: anything about a record may show in it. Do not release it if the records are private."

// warnings returns warnings that follow from public numbers.
func (r *Run) warnings() []string {
	out := r.method.warnings()
	if doubt := DeltaDoubt(r.Draft.Delta, r.Tables.Schema.Records, r.Tables.Schema.MaxRecords); r.Draft.Private && doubt != "" {
		out = append([]string{doubt}, out...)
	}
	return out
}
