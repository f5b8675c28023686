package feature

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/strict"
)

// transform is a public map of a row of numbers to another row, fixed before a record is read. Its
// result for a row depends on that row alone. It does not change and is safe for concurrent use.
type transform interface {
	// In and Out return the number of numbers of a row before and after.
	In() int
	Out() int
	// Bound returns a public bound, up to rounding, on the magnitude of the numbers after. Numbers
	// before are at most in in magnitude.
	Bound(in float64) float64
	// NewScratch returns working space for Apply, or nil if none is needed. Each goroutine needs
	// its own.
	NewScratch() any
	// Apply writes the result for x to dst, of length Out. It does not change x. A row's result has
	// the same bits whatever rows came before.
	Apply(dst, x []float64, scratch any)
	// Name returns the meaning of number j after the transform. before returns the meaning of the
	// numbers before.
	Name(j int, before func(int) encoder.Name) encoder.Name
}

// shaped is a transform whose features are a matrix of channels×places, channel after channel. Each
// channel is the same measurement at every place.
type shaped interface {
	// Shape returns the shape of the features, given the shape of the numbers before. 0, 0 means no
	// shape. It depends on public numbers only.
	Shape(channels, places int) (int, int)
}

// sparseTransform is a transform whose rows are mostly 0.
type sparseTransform interface {
	transform
	// Entries appends the features of a row that are not 0, in ascending order, to index and v and
	// returns them. They are those that Apply writes.
	Entries(x []float64, index []uint32, v []float64) ([]uint32, []float64)
	// mostEntries bounds the number of entries of a row.
	mostEntries() int
}

// Spec is the public description of a transform. Model files contain the description.
type Spec struct {
	// Name is the name of the transform, one of TransformNames.
	Name string `json:"name"`
	// Parameters are the parameters of the transform, as a JSON object.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// maker returns a transform of rows of in numbers from its parameters.
type maker func(parameters json.RawMessage, in int) (transform, error)

// surroundings are the facts that a transform is made with.
type surroundings struct {
	// in is the number of numbers in a row, and names their meaning.
	in    int
	names []encoder.Name
	// schema is the schema of the columns for the first transform, and nil for later ones.
	schema *data.Schema
	// open returns a file that parameters name; nil where there are no files.
	open func(name string) ([]byte, error)
}

// widerMaker returns a transform that depends on more than the number of numbers.
type widerMaker func(parameters json.RawMessage, s surroundings) (transform, error)

// transforms is the table of transforms. A new transform is one file and one line here, or in
// widerTransforms.
var transforms = map[string]maker{
	"deskew":      newDeskew,
	"fourier":     newRandomFourier,
	"groupnorm":   newGroupNorm,
	"scattering":  newScattering,
	"standardize": newStandard,
}

var widerTransforms = map[string]widerMaker{
	"crosses":      newCrosses,
	"encoder":      newFrozen,
	"interactions": newInteractions,
}

// TransformNames returns the names of all transforms, sorted.
func TransformNames() []string {
	names := append(sortedKeys(transforms), sortedKeys(widerTransforms)...)
	slices.Sort(names)
	return names
}

// maxFeatures bounds the number of features that transforms may compute from a row.
const maxFeatures = 1 << 20

// newTransforms returns the transforms of a pipeline. The first is made with these surroundings.
func newTransforms(specs []Spec, at surroundings) ([]transform, error) {
	var chain []transform
	for _, s := range specs {
		in := at.in
		t, err := newTransform(s, at)
		if err != nil {
			return nil, err
		}
		if t.In() != in || t.Out() < 1 || t.Out() > maxFeatures {
			return nil, fmt.Errorf("feature: transform %s makes %d features of %d, want 1 to %d of %d", s.Name, t.Out(), t.In(), maxFeatures, in)
		}
		chain, at.in, at.names, at.schema = append(chain, t), t.Out(), namesAfter(t, at.names), nil
	}
	return chain, nil
}

// newTransform makes one transform.
func newTransform(s Spec, at surroundings) (t transform, err error) {
	make, known := transforms[s.Name]
	wider, knownWider := widerTransforms[s.Name]
	switch {
	case known:
		t, err = make(s.Parameters, at.in)
	case knownWider:
		t, err = wider(s.Parameters, at)
	default:
		return nil, fmt.Errorf("feature: transform is %q, want one of %s", s.Name, strings.Join(TransformNames(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("feature: transform %s: %w", s.Name, err)
	}
	return t, nil
}

// namesAfter returns the meaning of the numbers after a transform, or nil where that of the numbers
// before is not known.
func namesAfter(t transform, before []encoder.Name) []encoder.Name {
	if before == nil {
		return nil
	}
	names := make([]encoder.Name, t.Out())
	for j := range names {
		names[j] = t.Name(j, func(i int) encoder.Name { return before[i] })
	}
	return names
}

// decodeParameters reads the parameters of a transform into p, and refuses unknown ones.
func decodeParameters(text json.RawMessage, p any) error {
	if len(text) == 0 {
		return nil
	}
	if err := strict.Decode(text, p); err != nil {
		return fmt.Errorf("parameters: %w; want those of this version, or the version that wrote them", err)
	}
	return nil
}
