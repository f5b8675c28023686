package train

import (
	"fmt"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/internal/release"
)

// rankError bounds the error of the rank of a learned bound or cut point, with 95 % confidence. The
// error is in records more than the best candidate's. It is 0 for other statistics. It is a public
// number; see pick.RankError.
func (statistic PreparationStep) rankError() float64 {
	if !isChosen(statistic.Kind) {
		return 0
	}
	return pick.RankError(statistic.choice().Epsilon, len(candidates(statistic.Lower, statistic.Upper)), 1, 1-option.BoundsOutside/2, 0.95)
}

// Threshold returns the public threshold of the statistic "levels". A level is learned if its noisy
// number of records exceeds the threshold. For other statistics Threshold returns 0.
func (p Plan) Threshold(statistic PreparationStep) float64 {
	if statistic.Kind != option.LevelsStatistic {
		return 0
	}
	limit, err := release.PartitionThreshold(statistic.partitionTerms(), p.MaxRecords)
	if err != nil {
		return 0
	}
	return limit
}

// Doubts returns warnings in words about columns whose bounds, bins or levels are learned and for
// which the budget is probably too small. It uses public numbers only. Learned bounds and cut
// points have a rank among the records, and the noise makes an error in this rank. There is a
// warning if the error exceeds the intended number of records beyond a bound, or in a bin. For
// levels there is a warning if Threshold exceeds a tenth of the number of records.
func (p Plan) Doubts() []string {
	records := float64(p.Records)
	if p.Records == 0 {
		records = float64(p.MaxRecords)
	}
	records *= p.trained()
	var out []string
	for _, s := range p.Preparation {
		limit := p.Threshold(s)
		switch rank := s.rankError(); {
		case s.Kind == option.BoundsStatistic && rank > option.BoundsOutside/2*records, s.Kind == option.BinsStatistic && rank > records/float64(s.Numbers+1):
			out = append(out, fmt.Sprintf("The %s of %s may be far off: their ranks are known to about %.0f rows, of at most %.0f. Declare them, or give fewer to be learned, more rows or a larger epsilon.", s.Kind, s.Column, rank, records))
		case limit > records/10:
			out = append(out, fmt.Sprintf("Levels of %s are found where more than about %.0f rows have them, of at most %.0f. Declare them, or give fewer columns to be learned, more rows or a larger epsilon.", s.Column, limit, records))
		}
	}
	return out
}
