package train

import (
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
)

// TestNoiseInScores has the edges of the rule by which declared records allow noise in scores.
func TestNoiseInScores(t *testing.T) {
	levels, number := data.Target{Column: "y", Levels: []string{"a", "b"}}, data.Target{Column: "y", Lower: 0, Upper: 9}
	for _, c := range []struct {
		target        data.Target
		records, most int
		kind          string
		want          float64
	}{
		{levels, 0, 15000, option.FrequencyStatistic, 0.5},
		{levels, 0, 14000, option.FrequencyStatistic, 0.5},
		{levels, 0, 18000, option.FrequencyStatistic, 0.6},
		{levels, 0, 30000, option.FrequencyStatistic, 1},
		{levels, 30000, 99000, option.FrequencyStatistic, 1},
		{levels, 0, 29700, option.FrequencyStatistic, 0.99},
		{levels, 0, 31000, option.FrequencyStatistic, 1},
		{levels, 0, 15000, option.CovarianceStatistic, 1},
		{number, 0, 5900, option.FrequencyStatistic, 0.05},
		{number, 0, 6000, option.FrequencyStatistic, 0.05},
		{number, 0, 7200, option.FrequencyStatistic, 0.06},
		{number, 24000, 99000, option.FrequencyStatistic, 0.2},
		{number, 0, 30000, option.FrequencyStatistic, 0.25},
		{number, 0, 31000, option.FrequencyStatistic, 0.25},
		{number, 0, 31000, option.CovarianceStatistic, 1},
	} {
		var s Setup
		s.Schema = &data.Schema{Target: c.target}
		s.Plan.Records, s.Plan.MaxRecords, s.Plan.Preparation = c.records, c.most, []PreparationStep{{Kind: c.kind}}
		if got := s.noiseInScores(); got != c.want {
			t.Errorf("target %v, %d records, at most %d, %s: got %v, want %v", c.target.Levels, c.records, c.most, c.kind, got, c.want)
		}
	}
}
