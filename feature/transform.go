package feature

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/strict"
)

// transform is a public map of a row of numbers to another row, fixed before a record is read: what it
// makes of a row depends on that row alone. It does not change and is safe for concurrent use.
type transform interface {
	// In and Out are the numbers of a row before and after.
	In() int
	Out() int
	// Bound returns a public bound on the magnitude of the numbers after, for numbers before that are
	// at most in in magnitude, up to rounding.
	Bound(in float64) float64
	// NewScratch returns working space for Apply; each goroutine needs its own. Nil if none is needed.
	NewScratch() any
	// Apply writes the row that x becomes to dst, of length Out. It does not change x. A row's result
	// has the same bits whatever rows came before.
	Apply(dst, x []float64, scratch any)
	// Name says what number j after the transform stands for, given what the numbers before do.
	Name(j int, before func(int) encoder.Name) encoder.Name
}

// shaped is a transform that knows its features as a matrix of channels×places, channel after channel:
// each channel is the same measurement at every place.
type shaped interface {
	// Shape returns the shape of the features, given that of the numbers before (0, 0: none); 0, 0 when
	// there is none. It is a function of public numbers.
	Shape(channels, places int) (int, int)
}

// Spec says in public words what a transform is: its name and its parameters, which a file holds.
type Spec struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// maker makes a transform of rows of this many numbers from its parameters.
type maker func(parameters json.RawMessage, in int) (transform, error)

// surroundings are what a transform is made in.
type surroundings struct {
	// in is how many numbers a row has, names what they stand for.
	in    int
	names []encoder.Name
	// open reads a file that parameters name; nil where there are no files.
	open func(name string) ([]byte, error)
}

// widerMaker makes a transform that looks at more than the number of numbers.
type widerMaker func(parameters json.RawMessage, s surroundings) (transform, error)

// transforms is the table of transforms; a new one is one file and one line here, or in
// widerTransforms.
var transforms = map[string]maker{
	"deskew":      newDeskew,
	"fourier":     newRandomFourier,
	"groupnorm":   newGroupNorm,
	"scattering":  newScattering,
	"standardize": newStandard,
}

var widerTransforms = map[string]widerMaker{
	"crosses": newCrosses,
	"encoder": newFrozen,
}

// TransformNames returns the names that Spec takes, sorted.
func TransformNames() []string {
	names := append(sortedKeys(transforms), sortedKeys(widerTransforms)...)
	slices.Sort(names)
	return names
}

// maxFeatures bounds what transforms may make of a row.
const maxFeatures = 1 << 20

// newTransforms makes the transforms of a chain; the first has these surroundings.
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
		chain, at.in, at.names = append(chain, t), t.Out(), namesAfter(t, at.names)
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

// namesAfter returns what the numbers after a transform stand for, or nil where that is not known of
// those before.
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

// decodeParameters reads the parameters of a transform into p, and refuses what it does not know.
func decodeParameters(text json.RawMessage, p any) error {
	if len(text) == 0 {
		return nil
	}
	if err := strict.Decode(text, p); err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	return nil
}
