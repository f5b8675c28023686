package feature

import (
	"math"
	"math/rand/v2"
	"testing"
)

// kronecker returns a whitening of d features as channels with places, the fewest channels above 1 that
// divide d.
func kronecker(d int) *Whitening {
	channels := 2
	for d%channels != 0 {
		channels++
	}
	return &Whitening{Channels: randomSymmetric(channels), Places: randomSymmetric(d / channels)}
}

func randomSymmetric(n int) []float64 {
	r := rand.New(rand.NewPCG(uint64(n), 8))
	out := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			v := r.NormFloat64()
			out[i*n+j], out[j*n+i] = v, v
		}
	}
	return out
}

// TestWhiteningForms holds every form against the d×d matrix that it stands for, entry by entry.
func TestWhiteningForms(t *testing.T) {
	const channels, places, d = 3, 4, 12
	scales := randomSymmetric(d)[:d]
	both := &Whitening{Channels: randomSymmetric(channels), Places: randomSymmetric(places)}
	entry := map[*Whitening]func(i, j int) float64{
		{Matrix: randomSymmetric(d)}: func(i, j int) float64 { return randomSymmetric(d)[i*d+j] },
		{Scales: scales}: func(i, j int) float64 {
			if i != j {
				return 0
			}
			return scales[i]
		},
		both: func(i, j int) float64 {
			return both.Channels[i/places*channels+j/places] * both.Places[i%places*places+j%places]
		},
	}
	r := rand.New(rand.NewPCG(6, 1))
	for w, at := range entry {
		if err := w.validate(d); err != nil {
			t.Fatal(err)
		}
		x, got := make([]float64, d), make([]float64, d)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		w.Multiply(got, x)
		for i := range d {
			want := 0.0
			for j, v := range x {
				want += at(i, j) * v
			}
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("%+v: number %d is %v, want %v", w, i, got[i], want)
			}
		}
	}
}

func TestWhiteningValidate(t *testing.T) {
	four, nine := make([]float64, 4), make([]float64, 9)
	for name, w := range map[string]*Whitening{
		"nothing":           {},
		"two forms":         {Scales: make([]float64, 6), Channels: four, Places: nine},
		"channels alone":    {Channels: four},
		"places alone":      {Places: nine},
		"places and scales": {Scales: make([]float64, 6), Places: nine},
		"short matrix":      {Matrix: make([]float64, 35)},
		"short scales":      {Scales: make([]float64, 5)},
		"not square":        {Channels: four, Places: make([]float64, 8)},
		"other product":     {Channels: four, Places: four},
		"infinite":          {Scales: append(make([]float64, 5), math.Inf(1))},
		"NaN":               {Channels: four, Places: append(make([]float64, 8), math.NaN())},
	} {
		if w.validate(6) == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	for _, w := range []*Whitening{{Channels: four, Places: nine}, {Scales: make([]float64, 6)}, {Matrix: make([]float64, 36)}} {
		if err := w.validate(6); err != nil {
			t.Error(err)
		}
	}
}

// shapes is a toy transform that keeps its numbers and says their shape.
type shapes struct {
	transform
	shape func(channels, places int) (int, int)
}

func (s shapes) Shape(channels, places int) (int, int) { return s.shape(channels, places) }

// sized is a toy transform that says no shape.
type sized struct {
	transform
	n int
}

func (s sized) Out() int { return s.n }

func TestChainShape(t *testing.T) {
	keeps := shapes{sized{nil, 12}, func(channels, places int) (int, int) { return channels, places }}
	says := shapes{sized{nil, 12}, func(int, int) (int, int) { return 3, 4 }}
	wrong := shapes{sized{nil, 12}, func(int, int) (int, int) { return 5, 4 }}
	for name, c := range map[string]struct {
		chain    []transform
		channels int
	}{
		"says": {[]transform{sized{nil, 7}, says}, 3}, "says and keeps": {[]transform{says, keeps}, 3}, "keeps nothing": {[]transform{keeps}, 0},
		"lost": {[]transform{says, sized{nil, 12}}, 0}, "lost and kept": {[]transform{says, sized{nil, 12}, keeps}, 0}, "another size": {[]transform{wrong}, 0},
	} {
		channels, places := (&Pipeline{transforms: c.chain}).Shape()
		if channels != c.channels || places != c.channels/3*4 {
			t.Errorf("%s: shape %d×%d, want %d channels", name, channels, places, c.channels)
		}
	}
}

// TestShapesOfTransforms holds the shapes of what the package makes.
func TestShapesOfTransforms(t *testing.T) {
	for _, c := range []struct {
		in               int
		specs            []string
		channels, places int
	}{
		{784, []string{"scattering:shape=28x28"}, 81, 49},
		{784, []string{"deskew:shape=28x28", "scattering:shape=28x28", "groupnorm:groups=27"}, 81, 49},
		{16 * 8 * 3, []string{"scattering:shape=16x8x3"}, 243, 8},
		{784, []string{"deskew:shape=28x28"}, 0, 0},
		{784, []string{"groupnorm:groups=28"}, 0, 0},
	} {
		var specs []Spec
		for _, text := range c.specs {
			spec, err := ParseSpec(text)
			if err != nil {
				t.Fatal(err)
			}
			specs = append(specs, spec)
		}
		made, err := newTransforms(specs, surroundings{in: c.in})
		if err != nil {
			t.Fatal(err)
		}
		if channels, places := (&Pipeline{transforms: made}).Shape(); channels != c.channels || places != c.places {
			t.Errorf("%v: shape %d×%d, want %d×%d", c.specs, channels, places, c.channels, c.places)
		}
	}
}
