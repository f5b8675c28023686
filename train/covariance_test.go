package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// pictures is a table of 8×8 pixels that scattering makes 81 channels of 4 places of.
func pictures(t *testing.T, n int) (*data.Schema, *data.Dataset) {
	t.Helper()
	s, err := (&data.Schema{Name: "pictures", Row: "one picture", MaxRecords: 2000,
		Columns: []data.Column{{Name: "p", Kind: data.Numeric, Upper: 255, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 64}},
		Target:  data.Target{Column: "y", Levels: []string{"no", "yes"}}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	columns, target := make([][]float32, 64), make([]float32, n)
	for i := range n {
		x, y := r.IntN(8), r.IntN(8)
		target[i] = float32(x / 4)
		for j := range columns {
			d := math.Hypot(float64(j%8-x), float64(j/8-y))
			columns[j] = append(columns[j], float32(math.Round(200*math.Exp(-d*d/4)+50*r.Float64())))
		}
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

func scatteringOf8x8(t *testing.T) []feature.Spec {
	t.Helper()
	spec, err := feature.ParseSpec("scattering:shape=8x8")
	if err != nil {
		t.Fatal(err)
	}
	return []feature.Spec{spec}
}

// centeredRows are the rows before whitening, by the map alone.
func centeredRows(m *feature.Map, d *data.Dataset) [][]float64 {
	plain := before(m)
	out, scratch, values := make([][]float64, d.Records()), plain.NewScratch(1), make([]float32, m.Encoder().Values())
	for i := range out {
		out[i] = make([]float64, plain.Dim())
		plain.Apply(out[i], 1, scratch, func(int) []float32 { return d.Row(values, i) })
	}
	return out
}

// checkInverseRoot holds that p·(second+γ)·p is the identity for one γ of at least 0: what p·p inverts is
// the second moment on and off its diagonal.
func checkInverseRoot(t *testing.T, name string, p []float64, side int, second func(i, j int) float64, gamma float64) {
	t.Helper()
	at := func(m []float64, i, j int) float64 { return m[i*side+j] }
	sum, inner := make([]float64, side*side), make([]float64, side*side)
	for i := range side {
		for j := range side {
			sum[i*side+j] = second(i, j)
		}
		sum[i*side+i] += gamma
	}
	for i := range side {
		for j := range side {
			for k := range side {
				inner[i*side+j] += at(p, i, k) * at(sum, k, j)
			}
		}
	}
	for i := range side {
		for j := range side {
			got, want := 0.0, 0.0
			for k := range side {
				got += at(inner, i, k) * at(p, k, j)
			}
			if i == j {
				want = 1
			}
			if math.Abs(got-want) > 0.01 {
				t.Fatalf("%s: entry %d, %d of P·(Σ+γ)·P is %v, want %v", name, i, j, got, want)
			}
		}
	}
}

// TestStructuresAreLearned trains without noise and holds the whitening of each structure against sums over
// the mapped rows. Without noise γ is the mean eigenvalue.
func TestStructuresAreLearned(t *testing.T) {
	s, d := pictures(t, 300)
	for _, structure := range []string{option.StructureFull, option.StructureDiagonal, option.StructureKronecker} {
		r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 2, Whiten: Yes, Structure: structure, Transforms: scatteringOf8x8(t)}
		if structure == option.StructureFull {
			r.Transforms = nil
		}
		m := run(t, r, Options{}, s, d).Features()
		rows := centeredRows(m, d)
		mean := func(product func(x []float64) float64) float64 {
			sum := 0.0
			for _, x := range rows {
				sum += product(x)
			}
			return sum / float64(len(rows))
		}
		n, trace := m.Pipeline.Dim(), mean(func(x []float64) float64 { return dot(x, x) })
		switch structure {
		case option.StructureFull:
			var second [64][64]float64
			for _, x := range rows {
				for i, u := range x {
					for j, v := range x {
						second[i][j] += u * v / float64(len(rows))
					}
				}
			}
			checkInverseRoot(t, "full", m.Whitening.Matrix, n, func(i, j int) float64 { return second[i][j] }, trace/float64(n))
		case option.StructureDiagonal:
			for j, got := range m.Whitening.Scales {
				want := 1 / math.Sqrt(mean(func(x []float64) float64 { return x[j] * x[j] })+trace/float64(n))
				if math.Abs(got/want-1) > 0.001 {
					t.Fatalf("scale %d is %v, want %v", j, got, want)
				}
			}
		case option.StructureKronecker:
			const channels, places = 81, 4
			checkInverseRoot(t, "channels", m.Whitening.Channels, channels, func(i, j int) float64 {
				return mean(func(x []float64) float64 { return dot(x[i*places:(i+1)*places], x[j*places:(j+1)*places]) })
			}, trace/channels)
			checkInverseRoot(t, "places", m.Whitening.Places, places, func(i, j int) float64 {
				return mean(func(x []float64) (sum float64) {
					for c := range channels {
						sum += x[c*places+i] * x[c*places+j]
					}
					return sum
				})
			}, trace/places)
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// TestWhitenedRowsFillTheRadius holds that, clipped rows whitened, the mean squared norm before they are
// clipped again is that of the radius, whatever structure; for a Kronecker product, which is an
// approximation, within a factor of 2.
func TestWhitenedRowsFillTheRadius(t *testing.T) {
	s, d := pictures(t, 300)
	for structure, slack := range map[string]float64{option.StructureFull: 1.01, option.StructureDiagonal: 1.01, option.StructureKronecker: 2} {
		r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 2, Whiten: Yes, Structure: structure, Transforms: scatteringOf8x8(t), PrivateRadius: true}
		m := run(t, r, Options{}, s, d).Features()
		sum, out := 0.0, make([]float64, m.Pipeline.Dim())
		for _, x := range centeredRows(m, d) {
			m.Whitening.Multiply(out, x)
			sum += dot(out, out)
		}
		if ratio := sum / float64(d.Records()) / (m.Radius * m.Radius); ratio > slack || ratio < 1/slack {
			t.Errorf("%s: the mean squared norm is %v of that of the radius, want 1", structure, ratio)
		}
	}
}

// TestPersonsLearnStructures holds that persons of one row each learn what rows learn.
func TestPersonsLearnStructures(t *testing.T) {
	names := make([]string, 200)
	for i := range names {
		names[i] = fmt.Sprint("p", i)
	}
	d := diary(t, names, rand.New(rand.NewPCG(3, 1)))
	maps := map[bool]*feature.Map{}
	for _, persons := range []bool{true, false} {
		setup := personPlan(t, math.Inf(1), func(r *Request) {
			r.Whiten, r.Structure, r.PrivateRadius = Yes, option.StructureDiagonal, true
			if !persons {
				r.Person = nil
			}
		})
		result, err := Fit(t.Context(), rich(t, privacy.AddOrRemoveOne), setup, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		maps[persons] = result.Model.Features()
	}
	if maps[true].Radius != maps[false].Radius || !(maps[true].Radius > 0) || maps[true].Radius == 1 {
		t.Errorf("radius of persons %v, of rows %v, want one that was learned", maps[true].Radius, maps[false].Radius)
	}
	for j, v := range maps[true].Whitening.Scales {
		if want := maps[false].Whitening.Scales[j]; math.Abs(v/want-1) > 1e-3 {
			t.Errorf("scale %d: %v of persons, %v of rows", j, v, want)
		}
	}
}

// TestStructureOfPlans holds which statistics a plan releases, and what is refused.
func TestStructureOfPlans(t *testing.T) {
	s, _ := pictures(t, 1)
	want := map[string]string{option.StructureFull: "count mean covariance", option.StructureDiagonal: "count mean variances", option.StructureFrequencies: "count frequencies", option.StructureKronecker: "count mean channel-covariance place-covariance", "": "count mean covariance"}
	numbers := map[string]int{option.CountStatistic: 1, option.RadiusStatistic: 128, option.MeanStatistic: 324, option.FrequencyStatistic: 324, option.CovarianceStatistic: 324 * 324, option.VarianceStatistic: 324, option.ChannelStatistic: 81 * 81, option.PlaceStatistic: 16}
	for structure, kinds := range want {
		for _, radius := range []bool{false, true} {
			if radius && structure == option.StructureFrequencies {
				continue // refused below
			}
			r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: Yes, Structure: structure, Transforms: scatteringOf8x8(t), PrivateRadius: radius}
			setup, err := NewPlan(r, s)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range setup.Plan.Preparation {
				if got = append(got, string(p.Kind)); p.Numbers != numbers[p.Kind] || p.Bound != 1 || !(p.NoiseMultiplier > 0) {
					t.Errorf("%s: %+v, want %d numbers and bound 1", structure, p, numbers[p.Kind])
				}
			}
			if radius {
				kinds = strings.Replace(kinds, "count", "count radius", 1)
			}
			if setup.Features.Intercept != option.WhitenedIntercept || setup.Plan.Clipping.Bound != defaultClipping*setup.Features.RowBound() {
				t.Errorf("%s: intercept %v and bound %v, want %v and half of that of the rows", structure, setup.Features.Intercept, setup.Plan.Clipping.Bound, option.WhitenedIntercept)
			}
			if strings.Join(got, " ") != kinds {
				t.Errorf("%s: the plan releases %v, want %s", structure, got, kinds)
			}
		}
	}
	for name, change := range map[string]func(*Request){
		"no shape":         func(r *Request) { r.Transforms, r.Structure = nil, option.StructureKronecker },
		"frequencies":      func(r *Request) { r.PrivateRadius, r.Structure = true, option.StructureFrequencies },
		"no structure":     func(r *Request) { r.Structure = "diag" },
		"unit radius":      func(r *Request) { r.PrivateRadius, r.Normalization = true, feature.NormUnit },
		"no norm":          func(r *Request) { r.PrivateRadius, r.Normalization, r.Whiten = true, feature.NormNone, No },
		"radius of norm 1": func(r *Request) { r.Radius, r.Normalization = 0.3, feature.NormUnit },
		"radius, no norm":  func(r *Request) { r.Radius, r.Normalization, r.Whiten = 0.3, feature.NormNone, No },
		"declared radius":  func(r *Request) { r.PrivateRadius, r.Radius = true, 2 },
	} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: Yes, Transforms: scatteringOf8x8(t)}
		change(&r)
		if _, err := NewPlan(r, s); err == nil {
			t.Errorf("%s: got a plan, want an error", name)
		}
	}
}
