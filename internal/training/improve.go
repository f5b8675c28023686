package training

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// These constants are the rules by which Improve decides. They were chosen on parts of training sets.
const (
	// leastSignal is the least signal of a table for which functions of columns are fitted. The signal
	// is the declared number of records times the μ of the budget.
	leastSignal = 600
	// leastBins is the least default number of bins of a number for which its function is fitted. With
	// fewer bins a slope describes more.
	leastBins = 8
	// leastFine is the least signal for which the descent is longer and numbers in pairs have fineBins
	// bins, if the target is a number. leastFineLevels and fineLevelBins are the same for two levels.
	leastFine, leastFineLevels = 7000, 12500
	fineBins, fineLevelBins    = 16, 4
	// leastFinest is the least signal for which a number has finestBins bins in place of its default of
	// usualFinest, if the target is a number.
	leastFinest             = 15000
	finestBins, usualFinest = 128, 64
	// leastFinePoints is the least signal for which coordinates have finePointBins bins.
	leastFinePoints, finePointBins = 4500, 128
	// leastWide is the least width of a declared range whose bins are half-logarithmic. Its lower end is at most
	// mostLowEnd of the upper one.
	leastWide, mostLowEnd = 10000, 0.001
	// manyBuckets is more than the default number of buckets. Pairs that are hashed have more features with it.
	manyBuckets = 1 << 17
	// mostEntries bounds the cells of all rows for which functions are fitted. Each cell takes six bytes
	// of memory.
	mostEntries = 1 << 26
	// leastCalibrated is the least signal for which probabilities are corrected, and leastCalibratedNumbers
	// that for numbers.
	leastCalibrated, leastCalibratedNumbers = 500, 3000
)

// Improve adds to a request for gradient descent what is expected to help: functions of columns and
// pairs, if the words of the flag interactions are AutoInteractions, and a correction of
// predictions, if correct is true. It may also ask for clipped rows. It reads public numbers only: the request and the schema.
func Improve(r *train.Request, o train.Options, s *data.Schema, interactions string, correct bool) error {
	if !plain(*r, o) {
		return nil
	}
	r.Calibrate = r.Calibrate || correct && calibrates(*r, s)
	if clipsRows(*r, s) {
		r.Normalization = feature.NormClip
	}
	if interactions != AutoInteractions || !interacts(*r, s) {
		return nil
	}
	finer := finerCells(*r, s)
	if finer.pairBins > 0 {
		r.Steps = option.FineSteps
	}
	spec, err := interactionsSpec(AutoInteractions, withHalfLogarithms(s, withCoordinates(*r, s, finer)))
	r.Transforms = append(r.Transforms, spec)
	return err
}

// finerCells returns the bins of a number if they are finer in pairs than the default of the transform, and
// the descent is longer. Else it returns defaults.
func finerCells(r train.Request, s *data.Schema) resolution {
	least, finer := float64(leastFineLevels), resolution{pairBins: fineLevelBins}
	if s.Target.Regression() {
		least, finer = leastFine, resolution{pairBins: fineBins}
	}
	if signal(r, s) < least || !fits(finer, s) {
		return resolution{}
	}
	finest := resolution{bins: finestBins, pairBins: finer.pairBins}
	if bins, _ := cellsOf(s); s.Target.Regression() && bins == usualFinest && signal(r, s) >= leastFinest && fits(finest, s) {
		return finest
	}
	return finer
}

// fits reports whether cells of a resolution fit into memory, and no two cells of pairs share a feature. Finer
// cells would share more.
func fits(r resolution, s *data.Schema) bool {
	features, cells, err := pairFeatures(s, r)
	if err != nil || !fitsMemory(cells, s) {
		return false
	}
	r.buckets = manyBuckets
	all, _, err := pairFeatures(s, r)
	return err == nil && features >= all
}

// pairFeatures returns the number of features of the transform interactions at a resolution, and the most
// cells of a row.
func pairFeatures(s *data.Schema, r resolution) (features, cells int, err error) {
	spec, err := interactionsSpec(AutoInteractions, r)
	if err != nil {
		return 0, 0, err
	}
	chain, err := feature.NewPipeline(feature.ReadFile, s, spec)
	if err != nil {
		return 0, 0, err
	}
	_, cells = chain.Entries()
	return chain.Dim(), cells, nil
}

// fitsMemory reports whether a table of rows of at most this number of cells fits into memory.
func fitsMemory(cells int, s *data.Schema) bool {
	return float64(cells)*float64(cmp.Or(s.Records, s.MaxRecords)) <= mostEntries
}

// plain reports whether a request is for private descent on all rows whose other settings are the
// defaults that the rules were measured with.
func plain(r train.Request, o train.Options) bool {
	return !math.IsInf(r.Epsilon, 1) && !r.PerStep && r.SamplingProbability == 0 && r.BatchSize == 0 && r.Parts == 0 && r.Steps == 0 &&
		(r.Accounting == "" || r.Accounting == option.AccountingComposition) && (r.ClippingMode == "" || r.ClippingMode == option.ClipGradient) &&
		(o.Optimizer == "" || o.Optimizer == option.OptimizerMomentum) && o.Temperature == 0 && o.Output != option.OutputAllIterates
}

// interacts reports whether functions of columns and pairs are fitted under AutoInteractions.
func interacts(r train.Request, s *data.Schema) bool {
	usual := r.Transforms == nil && (r.Normalization == "" || r.Normalization == feature.NormUnit) && !r.PrivateRadius && r.Center == train.Auto &&
		r.Whiten == train.Auto && r.Structure == "" && r.Loss == nil && r.Person == nil && len(s.Target.Levels) <= 2 && !s.HasText()
	if !usual || signal(r, s) < leastSignal {
		return false
	}
	bins, entries := cellsOf(s)
	return bins >= leastBins && fitsMemory(entries, s)
}

// clipsRows reports whether rows are clipped to norm 1, and not scaled to it. A scaled row bends a linear function,
// and a number takes more harm from it than levels. Rows of single records are scaled all the same, because states
// without evidence are treated on scaled rows alone. So are rows without an indicator: numbers near their
// lower bounds make short rows, and clipping would leave these far below the noise.
func clipsRows(r train.Request, s *data.Schema) bool {
	usual := r.Transforms == nil && r.Normalization == "" && r.Radius == 0 && !r.PrivateRadius && r.Center == train.Auto &&
		r.Whiten == train.Auto && r.Structure == "" && r.Loss == nil
	return usual && r.Person != nil && s.Target.Regression() && !s.HasText() && slices.ContainsFunc(s.Features(), func(c data.Column) bool { return c.Slots() > 0 })
}

// withoutInteractions returns a warning if a setting of the rows alone keeps AutoInteractions from fitting
// functions of columns and pairs, or "".
func withoutInteractions(r train.Request, o train.Options, s *data.Schema) string {
	var given []string
	for _, flag := range []struct {
		name string
		set  *train.Tristate
	}{{"whiten", &r.Whiten}, {"center", &r.Center}} {
		if *flag.set != train.Auto {
			given, *flag.set = append(given, "--"+flag.name), train.Auto
		}
	}
	r.Structure = ""
	if len(given) == 0 || !plain(r, o) || !interacts(r, s) {
		return ""
	}
	return fmt.Sprintf("Because of %s this run fits no functions of columns and pairs, which --interactions %s otherwise fits here. Usually this costs accuracy. --interactions all fits them; --interactions %s leaves this warning out.",
		strings.Join(given, " and "), AutoInteractions, NoInteractions)
}

// cellsOf returns the finest bins that the transform interactions gives the numbers of a schema, and
// the most cells of a row. They are 0 if no column is a number, or if there is no such transform.
func cellsOf(s *data.Schema) (bins, entries int) {
	numbers := slices.ContainsFunc(s.Features(), func(c data.Column) bool { return c.Ordered || c.Kind == data.Numeric && c.Slots() == 0 })
	spec, err := interactionsSpec(AutoInteractions, resolution{})
	if err != nil || !numbers {
		return 0, 0
	}
	chain, err := feature.NewPipeline(feature.ReadFile, s, spec)
	if err != nil {
		return 0, 0
	}
	var parameters struct{ Bins int }
	if json.Unmarshal(chain.Specs()[0].Parameters, &parameters) != nil {
		return 0, 0
	}
	_, entries = chain.Entries()
	return parameters.Bins, entries
}

// signal returns the largest declared number of records times the μ of the budget. The noise of a mean
// over all records is about 1 divided by it.
func signal(r train.Request, s *data.Schema) float64 {
	target, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, privacy.Unit{})
	if err != nil {
		return 0 // the plan will say so
	}
	scale := 1.0
	if r.Person != nil {
		scale = float64(r.Person.MaxRows)
	}
	return account.MuOf(target) * float64(cmp.Or(s.Records, s.MaxRecords)) / r.Neighboring.Movement() / scale
}

// calibrates reports whether clipped gradients bias the predictions of a request, and a correction
// costs little. A number is corrected with the default loss alone. Who names the Huber loss may want a fit that
// outliers hardly move. The default clipping norm of the squared loss is above the limit of the residuals of a
// correction, which would bias it. With several rows of a person the noise cost more than the bias.
func calibrates(r train.Request, s *data.Schema) bool {
	least, usual := float64(leastCalibrated), r.Loss == nil
	if s.Target.Regression() {
		least, usual = leastCalibratedNumbers, usual && r.Person == nil
	} else {
		usual = usual || r.Loss.Name() == model.Logistic.Name()
	}
	return usual && len(s.Target.Levels) <= 2 && r.Intercept >= 0 && r.ClassWeights == nil && !r.Balance && r.SampleWeights == nil && signal(r, s) >= least
}
