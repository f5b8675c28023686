package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// These constants describe the statistic that corrects predictions.
const (
	// calibrationRounds is the number of corrections of probabilities. The second one removes what is left of
	// the first.
	calibrationRounds = 2
	// maxResidual bounds the residual of a number, in units of half the declared range.
	maxResidual = 0.5
	// numberSpread multiplies the second derivatives of a number, which are needed less exactly than the first.
	numberSpread = 0.125
	// weightReach is the distance from a center at which the weight of an error ends, for two levels. Most log-odds of
	// a table are near each other. So weights with a shorter reach than positions tell more about the slope under the
	// same noise.
	weightReach = 2
	// centerNoises is the number of standard deviations of noise at which a center is halfway between 0 and its estimate.
	centerNoises = 3
	// earlierNumbers is the number of released numbers for two levels in plans of earlier programs, which weighed
	// errors by positions. Their bound is the same.
	earlierNumbers = 5
	// maxCalibrationNumbers bounds the released numbers, which grow with the square of the number of levels. It
	// allows 508 levels.
	maxCalibrationNumbers = 1 << 17
)

// correctionScale describes the scale of the scores that are corrected.
type correctionScale struct {
	// reach is the distance from 0 at which the position of a row or score ends.
	reach float64
	// most bounds a step of Newton's method.
	most float64
	// expected is about the length of a step that biased gradients call for.
	expected float64
	// spread multiplies the second derivatives that are released.
	spread float64
}

// scaleOf returns the scale of log-odds, or that of numbers. A number is in [-1, 1], the scaled target. Clipping
// usually moves its predictions by 0.01 to 0.05. A step of at most 0.25 leaves three quarters of each weight.
func scaleOf(l model.Linear) correctionScale {
	if ofNumber(l.Loss) {
		return correctionScale{reach: 1, most: 0.25, expected: 0.03, spread: numberSpread}
	}
	if l.Columns > 1 {
		return correctionScale{reach: 4, most: 1, expected: 0.3, spread: 1}
	}
	return correctionScale{reach: 4, most: 1, expected: 0.45, spread: 1}
}

// ofNumber reports whether the predictions of a loss are numbers that are corrected. They are then fitted to the mean.
func ofNumber(l model.Loss) bool {
	return l.Name() == model.Squared.Name() || l.Name() == model.Huber(0).Name()
}

// calibrationKind returns the statistic of a model.
func calibrationKind(l model.Linear) string {
	if ofNumber(l.Loss) {
		return option.NumberCalibrationStatistic
	}
	return option.CalibrationStatistic
}

// rounds returns how often the statistic of a calibration is released. The first correction of a number leaves nothing
// to a second one, because its second derivatives do not depend on it.
func (statistic PreparationStep) rounds() int {
	if statistic.Kind == option.NumberCalibrationStatistic {
		return 1
	}
	return calibrationRounds
}

// calibrationNumbers returns the number of numbers of one release for a model. It is 0 for a loss that is not
// corrected.
func calibrationNumbers(l model.Linear) int {
	switch {
	case l.Loss.Name() == model.Logistic.Name() && l.Columns == 1:
		return earlierNumbers + 1
	case l.Loss.Name() == model.Softmax.Name(), ofNumber(l.Loss):
		n := l.Columns + 1
		return n + n*(n+1)/2
	}
	return 0
}

// calibrationBound returns a bound on the norm of the numbers of one row.
//
// Two levels have a residual |r| ≤ 1, a position |u| ≤ 1, a weight |v| ≤ 1 and a spread h ≤ 1/4. The square of the
// norm of (r, r·v, h, h·u, h·u·v, h·v) is at most 2 + 4/16 = 1.5².
//
// For more levels, let e be the indicator of the level and p the probabilities. Residuals are r = e - p. Positions are
// -1/2 ≤ u ≤ 0. These parts of the square of the norm add up to less than 1.61²:
//
//   - 2 for r
//   - 1/4 for r·u, because r·u = r·(u + 1/4), where the magnitudes of r add up to at most 2
//   - 1/4 for the upper triangle of the covariance of e
//   - 1/16 for the covariances of e with u
//   - 1/256 for the variance of u
//
// A number has a residual |r| ≤ 1/2, a position |u| ≤ 1 and the constant a = 1/8. The square of the norm of
// (r, r·u, a, a·u, a·u²) is at most 2/4 + 3/64 = 35/64 < 0.74².
func calibrationBound(l model.Linear) float64 {
	switch {
	case ofNumber(l.Loss):
		return 0.74
	case l.Columns == 1:
		return 1.5
	}
	return 1.61
}

// validateCalibration refuses a statistic of another kind, or one in a plan that has no proof for it.
func (p Plan) validateCalibration() error {
	c := p.Calibration
	switch {
	case c == nil:
		return nil
	case c.Kind != option.CalibrationStatistic && c.Kind != option.NumberCalibrationStatistic || c.Column != "" || c.Lower != 0 || c.Upper != 0 || c.ThresholdDelta != 0:
		return fmt.Errorf("train: calibration is statistic %q, want %q or %q without a column, range or threshold", c.Kind, option.CalibrationStatistic, option.NumberCalibrationStatistic)
	case !positive(c.Bound) || !positive(c.NoiseMultiplier) || c.Numbers < 1 || c.Numbers > maxCalibrationNumbers:
		return fmt.Errorf("train: calibration has bound %v, noise multiplier %v and %d numbers, want positive ones and at most %d numbers", c.Bound, c.NoiseMultiplier, c.Numbers, maxCalibrationNumbers)
	case p.NonPrivate:
		return fmt.Errorf("train: calibration is in a plan without privacy, want none")
	case p.ClassWeights != nil || p.SampleWeights != nil || p.alike(option.LabelsStatistic) > 0 || ofRows(p.Clipping.Mode):
		return fmt.Errorf("train: calibration is in a plan with weights or with clipping %s, want no weights and clipping %s", p.Clipping.Mode, option.ClipGradient)
	}
	return nil
}

// checkCalibration compares the statistic of the calibration with the model. A plan of an earlier program may have
// fewer numbers.
func (p Plan) checkCalibration(m *model.Model) error {
	l := m.Linear()
	if c := p.Calibration; c != nil && l.Loss.Name() == model.Logistic.Name() && l.Columns == 1 && c.Numbers == earlierNumbers {
		now := *c
		now.Numbers = calibrationNumbers(l)
		p.Calibration = &now
	}
	return p.calibrationOf(l)
}

// calibrationOf compares the statistic of the calibration with the form of a model.
func (p Plan) calibrationOf(l model.Linear) error {
	if p.Calibration == nil {
		return nil
	}
	return errors.Join(agree("statistic of the calibration", p.Calibration.Kind, calibrationKind(l)),
		agree("number of sums for the calibration", p.Calibration.Numbers, calibrationNumbers(l)),
		alike("bound of the statistic "+p.Calibration.Kind, p.Calibration.Bound, calibrationBound(l)*p.Person.scale()))
}

// checkCalibrated refuses a calibration that the setup or the options make impossible, before anything is spent.
func (s Setup) checkCalibrated(o Options) error {
	c := s.Plan.Calibration
	switch {
	case c == nil:
		return nil
	case o.Output == option.OutputAllIterates:
		return fmt.Errorf("train: output rule is %s with predictions that are corrected, want another rule; the iterates would not end in the weights of the model", o.Output)
	case o.Temperature > 0:
		return fmt.Errorf("train: a temperature is given with predictions that are corrected, want one of them; a corrected sample of weights is no sample")
	case c.Kind == option.CalibrationStatistic && s.Model.Columns == 1 && c.Numbers == earlierNumbers:
		return fmt.Errorf("train: calibration has %d numbers, as in plans of earlier programs, want %d; such a plan can be verified, but not followed: plan anew", c.Numbers, calibrationNumbers(s.Model))
	case s.Features.Intercept == 0:
		return fmt.Errorf("train: calibration is in a plan for rows without a constant feature, want one, which it moves")
	}
	return s.Plan.calibrationOf(s.Model)
}

// checkCalibration refuses a request to correct predictions that cannot be.
func (r Request) checkCalibration(l model.Linear, m *feature.Map) error {
	switch {
	case calibrationNumbers(l) == 0:
		return fmt.Errorf("train: calibration is asked for with loss %s, want logistic or softmax, whose probabilities it corrects, or huber or squared, whose predictions it moves to the mean", l.Loss.Name())
	case calibrationNumbers(l) > maxCalibrationNumbers:
		return fmt.Errorf("train: calibration is asked for with %d levels, whose covariances are %d numbers, want at most %d numbers", l.Columns, calibrationNumbers(l), maxCalibrationNumbers)
	case m.Intercept == 0:
		return fmt.Errorf("train: calibration is asked for without a constant feature, want one, which it moves")
	case r.ClassWeights != nil || r.Balance || r.SampleWeights != nil:
		return fmt.Errorf("train: calibration is asked for with weights of levels or rows, want none; weights move predictions on purpose")
	case ofRows(r.ClippingMode):
		return fmt.Errorf("train: calibration is asked for with clipping %s, want %s; where rows are clipped, gradients are not biased", r.ClippingMode, option.ClipGradient)
	}
	return nil
}

// correction computes what one row adds to the statistic, from its scores under a released model. The parameters
// of a correction are one shift for each score and a slope, which stretches all scores. Each parameter brings a sum
// over rows to 0: that of the residuals of a score, and that of residuals times weights. Right predictions bring them
// to 0 for all weights. A row adds its residuals to the first numbers. It adds by how much the parameters lower these
// sums to the numbers that follow, which are the upper triangle of a matrix.
//
// For more than two levels, and for numbers, the weights are positions. Then the sums are derivatives of a likelihood,
// and the matrix is symmetric. The likelihood of a number is that of a normal error, so the fit is by least squares. The
// residual of a number is limited, and each number of the matrix has the factor numberSpread.
//
// For two levels weights have a shorter reach than positions, so the last number is the one below the diagonal. Both
// are around 0 in the first round. In the next round they are around a center, which the round before tells.
//
// The scores are those that the released model gives when it serves. The score of a record depends on this
// record, the map and the weights alone, and the latter two were released. The bound of the statistic holds for
// scores of every size, since probabilities, residuals and positions are limited after the scores are known. The sum
// shortens each vector beyond the bound too, so wrong scores of a kernel cannot exceed it.
type correction struct {
	loss       model.Loss
	scale      correctionScale
	scores     []float32 // of the rows of the table
	labels     []float32 // of these rows
	table      table
	parameters int
	numbers    int
	center     float64 // of positions and weights for two levels, in log-odds
	rooms      sync.Pool
}

type correctionRoom struct{ p, u []float64 }

// newCorrection returns the correction of a model for the records of a table.
func newCorrection(m *model.Model, t table, numbers int) (*correction, error) {
	l := m.Linear()
	scores, labels, err := t.served(m)
	c := &correction{loss: l.Loss, scale: scaleOf(l), scores: scores, labels: labels, table: t, parameters: l.Columns + 1, numbers: numbers}
	c.rooms.New = func() any { return &correctionRoom{make([]float64, l.Columns), make([]float64, l.Columns)} }
	return c, err
}

// add adds the numbers of a row to dst. A row without a label adds nothing.
func (c *correction) add(dst []float64, label float64, row int) {
	if ofNumber(c.loss) {
		c.addNumber(dst, label, float64(c.scores[row]))
		return
	}
	if !(label >= 0) {
		return
	}
	r := c.rooms.Get().(*correctionRoom)
	defer c.rooms.Put(r)
	k := len(r.p)
	for j, score := range c.scores[row*k : (row+1)*k] {
		r.p[j] = float64(score)
	}
	c.loss.Predict(r.p)
	first, second := dst[:c.parameters], dst[c.parameters:]
	if len(r.p) == 1 {
		p := r.p[0]
		z := math.Log(p / (1 - p))
		h, u, v := p*(1-p), min(1, max(-1, (z-c.center)/c.scale.reach)), min(1, max(-1, (z-c.center)/weightReach))
		first[0], first[1] = first[0]+label-p, first[1]+(label-p)*v
		second[0], second[1], second[2], second[3] = second[0]+h, second[1]+h*u, second[2]+h*u*v, second[3]+h*v
		return
	}
	mean, largest := 0.0, slices.Max(r.p)
	for k, p := range r.p {
		r.u[k] = max(-1, math.Log(p/largest)/c.scale.reach) / 2
		mean += p * r.u[k]
	}
	last, at := c.parameters-1, 0
	for k, p := range r.p {
		residual := -p
		if float64(k) == label {
			residual++
		}
		first[k] += residual
		first[last] += residual * r.u[k]
		for l := k; l < last; l++ {
			second[at] -= p * r.p[l]
			if l == k {
				second[at] += p
			}
			at++
		}
		second[at] += p * (r.u[k] - mean)
		at++
		second[len(second)-1] += p * (r.u[k] - mean) * (r.u[k] - mean)
	}
}

// addNumber adds the numbers of a row whose target is a number. A score or target that is not finite adds nothing.
func (c *correction) addNumber(dst []float64, target, score float64) {
	if score-score != 0 || target-target != 0 {
		return
	}
	score, target = min(1, max(-1, score)), min(1, max(-1, target))
	r, u, a := min(maxResidual, max(-maxResidual, target-score)), min(1, max(-1, score/c.scale.reach)), c.scale.spread
	for k, v := range []float64{r, r * u, a, a * u, a * u * u} {
		dst[k] += v
	}
}

// vectors writes the vectors of records, which are rows or persons.
func (c *correction) vectors(labels []float32) func(part int, dst []float64, listed []int) error {
	return func(_ int, dst []float64, listed []int) error {
		for k, record := range listed {
			rows := []int{record}
			if c.table.persons != nil {
				rows = c.table.persons[record]
			}
			for _, i := range rows {
				c.add(dst[k*c.numbers:(k+1)*c.numbers], float64(labels[i]), i)
			}
		}
		return nil
	}
}

// calibrated pays for the statistic of each round and corrects the model of a result. The model must have the map that
// serves it: states without evidence are shrunk before. A correction is one step of Newton's
// method on these sums. A step is shortened where noise may have made it, so that numbers that are mostly
// noise move little. Source of the two parameters for two levels: Platt, "Probabilistic Outputs for Support Vector
// Machines", 1999.
//
// The result also has the factor by which weights were multiplied, and what the noise of the last round gives it. The
// last round sees the weights that the rounds before gave, so it removes what their noise did.
func (s Setup) calibrated(payer mechanism.Payer, result *Result, t table) error {
	if s.Plan.Calibration == nil {
		return nil
	}
	statistic, records, m := *s.Plan.Calibration, t.records, result.Model
	if t.persons != nil {
		records = len(t.persons)
	}
	private, of := m.Provenance.Private, scaleOf(s.Model)
	result.Stretch, result.Uncorrected = 1, m.Weights()
	if result.UnshrunkWeights != nil {
		result.Uncorrected = result.UnshrunkWeights
	}
	center := 0.0
	terms := pass.Settings{Payer: payer, Noise: s.Plan.noise(statistic.NoiseMultiplier), MaxRecords: s.Plan.MaxRecords}
	for range statistic.rounds() {
		c, err := newCorrection(m, t, statistic.Numbers)
		if err != nil {
			return err
		}
		c.center = center
		noisy, err := pass.SumVectors(terms, records, statistic.Numbers, statistic.Bound, c.vectors(c.labels))
		if err != nil {
			return err
		}
		deviation := statistic.NoiseMultiplier * statistic.Bound
		step, noise := of.newton(noisy, s.Model.Columns+1, deviation)
		of.around(center, step, noise)
		if statistic.rounds() > 1 && s.Model.Columns == 1 {
			center = of.center(noisy, deviation, step)
		}
		if result.UnshrunkWeights != nil {
			result.UnshrunkWeights, _, _ = corrected(result.UnshrunkWeights, m.Features(), s.Model, step)
		}
		weights, stretch, constant := corrected(m.Weights(), m.Features(), s.Model, step)
		if m, err = model.New(s.Schema, m.Features(), s.Model.Loss, weights); err != nil {
			return err
		}
		result.StretchNoise = result.Stretch * stretchOf(s.Model) * noise[s.Model.Columns]
		result.ShiftNoise = slices.Max(noise[:s.Model.Columns]) / constant
		result.Stretch *= stretch
	}
	m.Provenance.Private = private
	result.Model = m
	return nil
}

// around makes a step for positions around a center one for positions around 0. The noise of the shift is a bound then.
func (s correctionScale) around(center float64, step, noise []float64) {
	if center != 0 {
		step[0] -= step[1] * center / s.reach
		noise[0] += noise[1] * math.Abs(center) / s.reach
	}
}

// center returns the center for two levels after a first step, whose positions are around 0. It is the mean of these
// positions in log-odds, weighted by p·(1-p) for probabilities p, and moved by the step. Where noise hides these weights it is near 0.
func (s correctionScale) center(noisy []float64, deviation float64, step []float64) float64 {
	sum := noisy[2]
	if !(sum > 0) {
		return 0
	}
	doubt := centerNoises * deviation / sum
	before := min(s.reach, max(-s.reach, s.reach*(noisy[3]/sum)/(1+doubt*doubt)))
	return min(s.reach, max(-s.reach, before+step[0]+before*step[1]/s.reach))
}

// stretchOf returns the change of the factor of all scores for a slope of 1.
func stretchOf(l model.Linear) float64 {
	if l.Columns > 1 {
		return 1 / scaleOf(l).reach / 2
	}
	return 1 / scaleOf(l).reach
}

// corrected returns the weights after a step, the factor by which it stretched scores, and the value of the constant
// feature in rows.
func corrected(weights []float64, m *feature.Map, l model.Linear, step []float64) (out []float64, stretch, constant float64) {
	constant = m.Intercept
	if m.Norm == feature.NormUnit {
		constant /= math.Hypot(1, m.Intercept) // rows are scaled to norm 1 with it
	}
	out, stretch = make([]float64, len(weights)), 1+step[l.Columns]*stretchOf(l)
	for j, w := range weights {
		out[j] = w * stretch
	}
	for k := range l.Columns {
		out[(k+1)*l.Dim-1] += step[k] / constant
	}
	return out, stretch, constant
}

// newton returns the step for the released sums, each of its numbers at most s.most in magnitude. Let g be the sums
// of residuals, and H the matrix of what the parameters take from them, which was released with the factor s.spread.
// The step is (HᵀH + λ)⁻¹·Hᵀ·g. Here λ is the variance of the noise in g, divided by the square of s.expected. So a
// step along well-known directions is H⁻¹·g, and noise alone moves little. The noise in a number of H is below √λ.
//
// A single shift with a slope that is limited brings the sum of residuals to 0.
//
// H is symmetric, unless numbers follow its upper triangle. They are its last row.
//
// It also returns the standard deviation that the noise in g, apart from the noise in H, gives each number.
func (s correctionScale) newton(noisy []float64, parameters int, deviation float64) (step, noise []float64) {
	h, transposed, at := dense.New(parameters, parameters), dense.New(parameters, parameters), parameters
	for k := range parameters {
		for l := k; l < parameters; l++ {
			v := noisy[at] / s.spread
			if l == k {
				v = max(0, v)
			}
			h.Data[k*parameters+l], h.Data[l*parameters+k] = v, v
			at++
		}
	}
	for k, v := range noisy[at:] {
		h.Data[(parameters-1)*parameters+k] = v / s.spread
	}
	for k := range parameters {
		for l := range parameters {
			transposed.Data[k*parameters+l] = h.Data[l*parameters+k]
		}
	}
	square, largest := dense.Product(transposed, h), 0.0
	for k := range parameters {
		largest = max(largest, square.Data[k*parameters+k])
	}
	ridge := max(deviation*deviation/(s.expected*s.expected), 1e-10*largest)
	for k := range parameters {
		square.Data[k*parameters+k] += ridge
	}
	step, noise = make([]float64, parameters), make([]float64, parameters)
	if factors, definite := dense.NewCholesky(square); definite {
		copy(step, factors.SolveVector(dense.Apply(transposed, noisy[:parameters])))
		for k := range parameters {
			unit := make([]float64, parameters)
			unit[k] = deviation
			noise[k] = kernel.Norm(dense.Apply(h, factors.SolveVector(unit))) // the square is symmetric
		}
	}
	if slope := 1; parameters == 2 && math.Abs(step[slope]) > s.most { // the shift goes with the slope that is left
		step[slope] = math.Copysign(s.most, step[slope])
		step[0] = h.Data[0] * (noisy[0] - h.Data[slope]*step[slope]) / (h.Data[0]*h.Data[0] + ridge)
		noise[0] = max(noise[0], deviation*h.Data[0]/(h.Data[0]*h.Data[0]+ridge))
	}
	for k, v := range step {
		step[k] = min(s.most, max(-s.most, v))
	}
	return step, noise
}
