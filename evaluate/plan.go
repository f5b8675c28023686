package evaluate

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/query"
)

// Names of the noise of a private evaluation.
const (
	// noiseLaplace is discrete Laplace noise, with a bound in the L1 norm: pure differential
	// privacy.
	noiseLaplace = "laplace"
	// noiseGaussian is Gaussian noise, with a bound in the L2 norm.
	noiseGaussian = "gaussian"
)

const (
	// maxCells bounds the numbers that one evaluation releases.
	maxCells = 1 << 20
	// maxBins bounds the score bins.
	maxBins = 1 << 12
	// maxRowsPerPerson bounds the rows of one person far above any use.
	maxRowsPerPerson = 1 << 20
)

// Plan contains every public number of a private evaluation. It is fixed before a record is read.
// It determines one noisy release of several numbers. Every reported measure is computed from that
// release.
//
// If the target has levels, the release is a histogram with one cell for each group, true level and
// score. For two levels the score is the bin of the second level's probability. For more levels the
// score is the predicted level with the bin of its probability. A row adds 1 to one cell.
//
// If the target is a number, the release contains sums of functions of (a, t) over the rows. Here a
// is the magnitude of the residual in units of ResidualBound, clipped to at most 1. The target
// between its declared bounds is scaled to t in [-1, 1]. Under Laplace noise the functions are the
// 25 products of two Bernstein polynomials of degree 4, in a and in (1+t)/2. These products are not
// negative and have the sum 1. Under Gaussian noise the functions are ten moments, with an L2 norm
// of at most 1.85.
//
// If a record is a person with several rows, the release also has sums over pairs of different rows
// of one person. These sums have a small public weight and make the bound on one record's
// contribution slightly larger.
type Plan struct {
	// Form is the version of the format of the released numbers. It is 2 if the target is a number
	// or if a person has several rows. Otherwise it is 0.
	Form int `json:"form,omitempty"`
	// Subject states whom the evaluation protects. Its field Records is 0, because an evaluation
	// does not need the number of records.
	certificate.Subject
	// Person states that all rows of a person form one record. If it is nil, a record is a row.
	// Rows with the same text in Person.Column belong to one person. The first Person.MaxRows rows
	// of each person are used.
	Person *query.Person `json:"person,omitempty"`
	// Related has the related rows of a record in words, one text for each related table of the
	// schema. It is nil if a record is a row alone.
	Related []string `json:"related,omitempty"`
	// Noise is "laplace" or "gaussian".
	Noise string `json:"noise"`
	// NoiseMultiplier is the scale of Laplace noise, or the standard deviation of Gaussian noise.
	// It is in units of the bound on the norm of one record's contribution.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Levels are the classes, or nil if the target is a number.
	Levels []string `json:"levels,omitempty"`
	// Edges are the limits of the score bins, ascending, from 0 to 1. A bin includes its upper
	// limit. The first bin also includes 0.
	Edges []float64 `json:"edges,omitempty"`
	// Threshold is the decision threshold if the target has two levels. The second level is
	// predicted if its probability is above Threshold. Threshold is one of Edges.
	Threshold float64 `json:"threshold,omitempty"`
	// Lower is the declared lower bound of a numeric target.
	Lower float64 `json:"lower,omitempty"`
	// Upper is the declared upper bound of a numeric target.
	Upper float64 `json:"upper,omitempty"`
	// ResidualBound is the magnitude at which residuals are clipped, in units of the target.
	ResidualBound float64 `json:"residual-bound,omitempty"`
	// GroupColumn is the column by which the release is split into groups, or "".
	GroupColumn string `json:"group-column,omitempty"`
	// Groups are the declared levels of GroupColumn. All rows without one of these levels form one
	// more group.
	Groups []string `json:"groups,omitempty"`
}

// plainPlan is a plan without methods.
type plainPlan Plan

// MarshalJSON returns the plan as JSON. The fields of Subject are at the top level of the JSON
// object.
func (p Plan) MarshalJSON() ([]byte, error) {
	return strict.Ordered(plainPlan(p), "neighboring", "unit", "rows-per-person", "person", "delta", "records", "max-records")
}

// Validate returns an error if a number of the plan is invalid.
func (p Plan) Validate() error {
	if err := related.Check("evaluate", p.Related); err != nil {
		return err
	}
	switch {
	case !p.Neighboring.Valid():
		return fmt.Errorf("evaluate: neighboring is %v, want a named relation", p.Neighboring)
	case p.Unit == "":
		return fmt.Errorf("evaluate: the unit is empty, want what one record is; the schema's row says it")
	case !(p.Delta >= 0 && p.Delta < 1):
		return fmt.Errorf("evaluate: delta is %v, want at least 0 and less than 1", p.Delta)
	case p.Delta == 0 && p.Noise == noiseGaussian:
		return fmt.Errorf("evaluate: delta is 0 with gaussian noise, which has no epsilon there, want laplace noise or a delta of more than 0")
	case p.MaxRecords < 1 || p.RowsPerPerson < 0:
		return fmt.Errorf("evaluate: max records is %d and rows per person %d, want a declared bound of at least 1 and no negative number", p.MaxRecords, p.RowsPerPerson)
	case p.Records != 0:
		return fmt.Errorf("evaluate: records is %d, want 0: the number of records is not declared for an evaluation", p.Records)
	case p.Person != nil && (p.Person.Column == "" || p.Person.MaxRows < 1 || p.Person.MaxRows > maxRowsPerPerson):
		return fmt.Errorf("evaluate: person is column %q with at most %d rows, want a column and 1 to %d rows", p.Person.Column, p.Person.MaxRows, maxRowsPerPerson)
	case p.Noise != noiseLaplace && p.Noise != noiseGaussian:
		return fmt.Errorf("evaluate: noise is %q, want %s or %s", p.Noise, noiseLaplace, noiseGaussian)
	case p.GroupColumn == "" && len(p.Groups) > 0:
		return fmt.Errorf("evaluate: there are %d groups of no column, want the column's name", len(p.Groups))
	}
	if err := p.validateTarget(); err != nil {
		return err
	}
	if p.Form != p.form() {
		return fmt.Errorf("evaluate: the form of the release is %d, want %d; older programs released other numbers, verify their files with them or measure again", p.Form, p.form())
	}
	if p.Numbers() > maxCells {
		return fmt.Errorf("evaluate: the release has %d numbers, want at most %d; use fewer bins or no groups", p.Numbers(), maxCells)
	}
	return mechanism.CheckEvent(p.Event())
}

// validateTarget checks the fields that belong to the kind of target.
func (p Plan) validateTarget() error {
	if p.regression() {
		width := p.Upper - p.Lower
		if !(width > 0) || math.IsInf(width, 1) || !(p.ResidualBound > 0) || p.ResidualBound > width {
			return fmt.Errorf("evaluate: the target is from %v to %v and residuals are cut at %v, want declared bounds in order and a cut of more than 0, at most their distance", p.Lower, p.Upper, p.ResidualBound)
		}
		if p.Edges != nil || p.Threshold != 0 {
			return fmt.Errorf("evaluate: there are score bins or a threshold for a target without levels, want none")
		}
		return nil
	}
	if len(p.Levels) < 2 || len(p.Levels) > 1<<10 || p.Lower != 0 || p.Upper != 0 || p.ResidualBound != 0 {
		return fmt.Errorf("evaluate: there are %d levels, target bounds %v to %v and residual bound %v, want 2 to 1024 levels alone", len(p.Levels), p.Lower, p.Upper, p.ResidualBound)
	}
	if err := checkEdges(p.Edges); err != nil {
		return err
	}
	if two := len(p.Levels) == 2; two && !contains(p.Edges, p.Threshold) || !two && p.Threshold != 0 {
		return fmt.Errorf("evaluate: the threshold is %v with %d levels, want an inner end of the score bins of two levels, and none for more", p.Threshold, len(p.Levels))
	}
	return nil
}

// checkEdges refuses ends of bins that are not ascending from 0 to 1.
func checkEdges(edges []float64) error {
	n := len(edges)
	if n < 2 || n > maxBins+2 || edges[0] != 0 || edges[n-1] != 1 {
		return fmt.Errorf("evaluate: there are %d ends of score bins, want 2 to %d, from 0 to 1", n, maxBins+2)
	}
	for i := 1; i < n; i++ {
		if !(edges[i] > edges[i-1]) {
			return fmt.Errorf("evaluate: end %d of the score bins is %v after %v, want ascending ends", i, edges[i], edges[i-1])
		}
	}
	return nil
}

// contains reports whether v is an inner end of the bins.
func contains(edges []float64, v float64) bool {
	for _, e := range edges[1 : len(edges)-1] {
		if e == v {
			return true
		}
	}
	return false
}
