package reproduce

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/experiment"
)

// stripes are images of nine pixels in three classes, each of which has a bright row of its own.
func stripes(t *testing.T, records int) images {
	t.Helper()
	schema, err := (&data.Schema{Name: "stripes", Row: "one image", Records: records, MaxRecords: 2 * records,
		Columns: []data.Column{{Name: "pixel", Kind: data.Numeric, Lower: 0, Upper: 255, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 9}},
		Target:  data.Target{Column: "class", Levels: []string{"0", "1", "2"}}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	pixels, labels := make([][]float32, 9), make([]float32, records)
	for j := range pixels {
		pixels[j] = make([]float32, records)
		for i := range records {
			labels[i] = float32(i % 3)
			pixels[j][i] = float32((i*31 + j*57) % 100)
			if j/3 == i%3 {
				pixels[j][i] += 120
			}
		}
	}
	d, err := data.New(schema, pixels, labels)
	if err != nil {
		t.Fatal(err)
	}
	return images{schema, d, d}
}

// mostly has all records of the first class and every eighteenth of the others: a descent says "the first" at first.
func mostly(m images) images {
	var rows []int
	for i, label := range m.training.Target() {
		if label == 0 || i%54 < 3 {
			rows = append(rows, i)
		}
	}
	d := m.training.Take(rows)
	schema := *m.schema
	schema.Records = len(rows)
	return images{&schema, d, d}
}

func TestDescentIsPricedAsSampledSteps(t *testing.T) {
	m := stripes(t, 3000)
	for _, averaged := range []bool{false, true} {
		d := descent{batch: 300, epochs: 4, noise: 0.8, norm: 0.5, averaged: averaged, rate: 1}
		setup, err := d.setup(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := setup.Plan.Event().String(), sampledSteps(0.1, 0.8, 40).String(); got != want {
			t.Errorf("averaged %v: the event is %s, want %s", averaged, got, want)
		}
		if c := setup.Plan.Clipping; (c.MicroBatch != nil) != averaged || c.Groups[0].Norm != 0.5 || averaged && c.MicroBatch.Count != 1 {
			t.Errorf("averaged %v: clipping is %+v, want norm 0.5, and the mean of the sample clipped if averaged", averaged, c)
		}
		if _, err = budgetFor(setup.Plan.Event(), m); err != nil {
			t.Errorf("averaged %v: no budget: %v", averaged, err)
		}
	}
}

// TestDescentLearns trains on classes that lie far apart: noise in the mean of 300 gradients is a thousandth of the
// clipping norm, in which no run fails to tell them (the weights move by 100 times as much). Without privacy the same
// holds of samples alone.
func TestDescentLearns(t *testing.T) {
	m, looks := stripes(t, 3000), []int{1, 5, 10}
	for name, d := range map[string]descent{
		"private": {batch: 300, epochs: 10, noise: 0.5, norm: 0.5, rate: 5, looks: looks},
		"public":  {batch: 300, epochs: 10, rate: 1, looks: looks},
	} {
		course, err := d.run(context.Background(), m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(course) != len(looks) || course[2] < 99 {
			t.Errorf("%s: accuracies after %v epochs are %v, want three, the last at least 99", name, looks, course)
		}
	}
	public, err := descent{batch: 300, epochs: 10, norm: 0.5, averaged: true}.setup(m)
	if err != nil || !public.Plan.NonPrivate || public.Plan.Clipping.Groups[0].Norm != unclipped || public.Plan.Clipping.MicroBatch != nil {
		t.Errorf("without noise the plan is %+v with error %v, want one that neither hides nor clips", public.Plan, err)
	}
	slow := descent{batch: 300, epochs: 150, rate: 0.2, looks: []int{1, 150}}
	if course, failed := slow.run(context.Background(), mostly(m)); failed != nil || !(course[0] < 90 && course[1] > 99) {
		t.Errorf("slow descent: accuracies after epochs %v are %v with error %v, want less than 90, the share of the first class, and then more than 99", slow.looks, course, failed)
	}
	wrong := descent{batch: 300, epochs: 2, rate: 1, looks: []int{1}}
	if _, err = wrong.run(context.Background(), m); err == nil {
		t.Error("a run whose looks do not end with its last epoch was taken, want an error")
	}
}

// TestTrialsAreRepeated counts runs and the progress that is told.
func TestTrialsAreRepeated(t *testing.T) {
	var told []float64
	l := experiment.Environment{Progress: func(_ string, done float64) { told = append(told, done) }}
	d := descent{batch: 300, epochs: 1, rate: 1, looks: []int{1}}
	got, err := try(context.Background(), l, share{0.2, 0.6}, stripes(t, 600), []trial{{"a", d, 2}, {"b", d, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if len(last(got["a"])) != 2 || len(last(got["b"])) != 1 {
		t.Errorf("got %v, want two runs of a and one of b", got)
	}
	if len(told) != 3 || told[0] != 0.2 || !(told[1] > told[0] && told[2] > told[1] && told[2] <= 0.6) {
		t.Errorf("progress was %v, want three values that grow from 0.2 and stay below 0.6", told)
	}
	l.Repeats = 1
	if got, err = try(context.Background(), l, share{0, 1}, stripes(t, 600), []trial{{"a", d, 2}}); err != nil || len(last(got["a"])) != 1 {
		t.Errorf("got %v and error %v, want one run as the laboratory says", got, err)
	}
}

func TestValidationIsEverySixthOfTheTrainingPart(t *testing.T) {
	m := stripes(t, 60)
	v := m.validation()
	if v.training.Records() != 50 || v.test.Records() != 10 || v.schema.Records != 50 || m.schema.Records != 60 {
		t.Fatalf("got parts of %d and %d records, %d declared, and the set's %d, want 50, 10, 50 and 60", v.training.Records(), v.test.Records(), v.schema.Records, m.schema.Records)
	}
	row, whole := make([]float32, 9), make([]float32, 9)
	for i := range 10 {
		if got, want := v.test.Row(row, i), m.training.Row(whole, 6*i+5); !slices.Equal(got, want) {
			t.Errorf("record %d for testing is %v, want record %d, %v", i, got, 6*i+5, want)
		}
	}
}

// TestPipelineLearns holds the defaults on classes that lie far apart: at ε = 3 on 3000 records of nine pixels the
// noise moves no score by a tenth of their distance.
func TestPipelineLearns(t *testing.T) {
	m := stripes(t, 3000)
	got, err := pipeline{}.accuracies(context.Background(), experiment.Environment{}, share{0, 1}, m, []float64{3, math.Inf(1)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got {
		if len(s) != 1 || s.mean() < 90 {
			t.Errorf("accuracies %d are %v, want one of at least 90", i, s)
		}
	}
}

// TestSigmoidTrials wants a trial for whatever the rows and the figure look up, and the calibration of an independent
// program.
func TestSigmoidTrials(t *testing.T) {
	noise, err := sigmoidNoise(60000)
	if err != nil {
		t.Fatal(err)
	}
	courses := map[string][]sample{}
	for i, trial := range sigmoidTrials(noise) {
		if _, twice := courses[trial.key]; twice || trial.noise != noise || trial.rate <= 0 {
			t.Errorf("%s is there twice, or is %+v", trial.key, trial.descent)
		}
		courses[trial.key] = []sample{{float64(i)}}
	}
	rows := sigmoidRows(noise, courses, sample{1}, sample{2})
	if !rows[0].Agrees() || rows[0].Golden == nil {
		t.Errorf("the noise multiplier is %v, want %+v", noise, rows[0].Golden)
	}
	for _, c := range rows {
		if c.Ours == "" || c.Why == "" {
			t.Errorf("row %+v is not filled in", c)
		}
	}
	checkFigure(t, sigmoidFigure(courses))
}

// TestNetworksFigure wants every curve to be drawable.
func TestNetworksFigure(t *testing.T) {
	three := []sample{{90}, {91}, {92}}
	checkFigure(t, networksFigure(three, three, three))
}
