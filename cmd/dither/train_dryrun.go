package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/artefact"
)

// mostEpsilon is the largest budget that commands take. Far below it a promise is empty: at epsilon 20 a
// record may be as good as certain.
const mostEpsilon = 1e6

// checkEpsilon refuses a budget that no accountant answers.
func checkEpsilon(epsilon float64, instead string) error {
	if epsilon > mostEpsilon {
		return fmt.Errorf("--epsilon is %g, want at most %g; so large a budget protects nobody: %s", epsilon, mostEpsilon, instead)
	}
	return nil
}

// mostDeltaShare is how much of 1/records delta may be without a warning.
const mostDeltaShare = 0.1

// deltaDoubt is a warning about a delta that is not far below 1/records, or "". At delta a mechanism may
// publish each record with that probability, so that delta·records records are expected to be published
// (C. Dwork and A. Roth, "The Algorithmic Foundations of Differential Privacy", 2014, section 2.3).
func deltaDoubt(delta float64, records, maxRecords int) string {
	declared := cmp.Or(records, maxRecords)
	if declared == 0 || !(delta < 1) || delta*float64(declared) <= mostDeltaShare { // a delta of 1 is refused
		return ""
	}
	return fmt.Sprintf("delta %g is %.3g times 1/records (%d declared), want at most %g of it: a method with this delta may publish each record with probability %g; take --delta %.0e",
		delta, delta*float64(declared), declared, mostDeltaShare, delta, mostDeltaShare*mostDeltaShare/float64(declared))
}

// warnDelta says before anything is spent that delta is too large.
func (t *trainCommand) warnDelta(s *data.Schema) {
	if t.nonPrivate {
		return
	}
	if doubt := deltaDoubt(t.plan.delta, s.Records, s.MaxRecords); doubt != "" {
		fmt.Fprintln(t.stderr, "WARNING: "+doubt)
	}
}

// checkTables holds what a run would open to what the plan needs, for a dry run: headers, shapes and columns of
// the tables, and the folder to be written. It looks at no record. A table that is not there is told of and no error.
func (t *trainCommand) checkTables(ctx context.Context, source tables) error {
	switch err := source.check(ctx); {
	case errors.Is(err, fs.ErrNotExist): // a plan may be made before the records are at hand
		fmt.Fprintf(t.stderr, "not checked: %v\n", err)
	case err != nil:
		return err
	}
	return artefact.CheckClaim(t.out, t.replace)
}
