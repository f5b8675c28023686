package artefact

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/strict"
)

// EvaluationName is the name of the file of a private evaluation inside a folder.
const EvaluationName = "evaluation.json"

const (
	evaluationFormat  = "dither-evaluation"
	evaluationVersion = 6
)

// Evaluation is the content of evaluation.json: a plan, the numbers that it released, and the
// measures. All of it may be published.
type Evaluation struct {
	Format  string `json:"format"`
	Version int    `json:"format-version"`
	Program string `json:"program"`
	Run     string `json:"run"`
	Created string `json:"created"`
	// ModelSHA256 is the hash of the model file that was measured.
	ModelSHA256 string        `json:"model-sha256"`
	Plan        evaluate.Plan `json:"plan"`
	// Numbers are the released numbers. Measures are what evaluate.Measures computes from them.
	Numbers  []float64        `json:"numbers"`
	Measures evaluate.Private `json:"measures"`
}

// NewEvaluation returns the evaluation of a release, without its provenance and the hash of the
// model.
func NewEvaluation(p evaluate.Plan, numbers []float64) (Evaluation, error) {
	m, err := evaluate.Measures(p, numbers)
	return Evaluation{Format: evaluationFormat, Version: evaluationVersion, Plan: p, Numbers: numbers, Measures: m}, err
}

// Encode returns the bytes of evaluation.json.
func (f Evaluation) Encode() ([]byte, error) {
	out, err := json.MarshalIndent(f, "", " ")
	return append(out, '\n'), err
}

// DecodeEvaluation returns the evaluation that Encode wrote; unknown fields are errors.
func DecodeEvaluation(text []byte) (Evaluation, error) {
	var f Evaluation
	if err := strict.Decode(text, &f); err != nil {
		return f, fmt.Errorf("not an evaluation file: %w", err)
	}
	if f.Format == evaluationFormat && f.Version >= 1 && f.Version < evaluationVersion {
		return f, fmt.Errorf("format is %q version %d, want version %d; an older program made it, with other intervals: verify it with that, or measure again", evaluationFormat, f.Version, evaluationVersion)
	}
	if f.Format != evaluationFormat || f.Version != evaluationVersion {
		return f, fmt.Errorf("format is %q version %d, want %q version %d", f.Format, f.Version, evaluationFormat, evaluationVersion)
	}
	return f, nil
}

// Check recomputes the measures from the released numbers. It returns an error if they differ.
func (f Evaluation) Check() error {
	want, err := evaluate.Measures(f.Plan, f.Numbers)
	if err != nil {
		return err
	}
	a, err := plain(f.Measures)
	if err != nil {
		return err
	}
	b, err := plain(want)
	if err != nil {
		return err
	}
	if !alike(a, b) {
		return fmt.Errorf("evaluate: the measures are not those that follow from the released numbers")
	}
	return nil
}

// plain is a value as JSON reads it.
func plain(v any) (out any, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	return out, err
}

// alike reports whether two values as JSON reads them are equal. Numbers may differ by the rounding
// of another machine.
func alike(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && math.Abs(x-y) <= 1e-9*max(1, math.Abs(x))
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !alike(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, v := range x {
			if w, there := y[name]; !there || !alike(v, w) {
				return false
			}
		}
		return true
	}
	return a == b
}
