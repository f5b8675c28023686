package report

import "fmt"

// view is a page as the template shows it.
type view struct {
	Page
	Loud     string
	Verdict  string
	Private  bool
	About    []Fact
	Facts    []Fact
	Meaning  []string
	Limits   []string
	Attacks  []attack
	Group    string
	Exactly  string
	Risk     chartFigure
	RiskNote string
	// BudgetCharts are the figures of the budget, laid out.
	BudgetCharts []chartFigure
	// MetricCharts and HoldoutCharts are the figures of the measures, laid out.
	MetricCharts, HoldoutCharts []chartFigure
	// TradeoffCharts are the figures of the tradeoff, laid out.
	TradeoffCharts []chartFigure

	Rows       []eventRow
	Segments   []segment
	Plots      []scorePlot
	ShapeViews shapeViews
	// ShapeWords and PairWords explain the shapes.
	ShapeWords, PairWords []string
	ScoresLeft            int
	Confusion             *confusionView
	TooLarge              bool
	BudgetNote            string
	WeightNote            []string
	// EstimatesNote explains the intervals of coefficients, and EstimateBars draw them.
	EstimatesNote, EstimateBarsNote string
	EstimateBars                    []estimateBar
}

// newView prepares a page whose strings are clean.
func newView(p Page) view {
	g := p.Guarantee
	v := view{
		Page:       p,
		Loud:       p.banner(),
		Verdict:    g.verdict(),
		Private:    g.private(),
		About:      p.about(),
		Facts:      g.facts(),
		Meaning:    g.meaning(),
		Limits:     g.limits(),
		Exactly:    g.exactly(),
		BudgetNote: budgetNote,
		WeightNote: []string{barNote, noiseNote}, EstimatesNote: estimatesNote, EstimateBarsNote: estimateBarsNote,
	}
	number := 0
	if v.Private {
		v.Attacks, v.RiskNote = g.attacks(), riskNote(g)
		number++
		v.Risk = newChartFigure(riskFigure(g), number)
		v.Risk.Values = nil // the table of attacks has what matters
		if g.GroupRows > 1 {
			v.Group = fmt.Sprintf("%d rows", g.GroupRows)
		}
	} else {
		v.BudgetNote, v.WeightNote = "Nothing was paid: a release without noise has no price.", []string{barNote}
	}
	if len(p.BarWords) > 0 {
		v.WeightNote = append([]string{barNote}, p.BarWords...)
	}
	v.BudgetCharts = newCharts(p.Budget, &number)
	if p.Metrics != nil {
		v.MetricCharts = newCharts(p.Metrics.Reliability.figures(), &number)
	}
	if p.Holdout != nil {
		v.HoldoutCharts = newCharts(p.Holdout.Reliability.figures(), &number)
	}
	if p.Tradeoff != nil {
		v.TradeoffCharts = newCharts(p.Tradeoff.Figures, &number)
	}
	v.ShapeViews = newShapes(p.Shapes, &number)
	v.ShapeWords, v.PairWords = shapeWords(p.Shapes), pairWords(v.ShapeViews)
	v.Rows, v.Segments = budget(p.Events)
	v.Plots, v.ScoresLeft = scorePlots(p.Coefficients, p.Unlisted)
	if p.Estimates != nil {
		v.EstimateBars = estimateBars(p.Estimates.Intervals)
	}
	if p.Metrics != nil {
		v.Confusion = newConfusionView(p.Metrics.Confusion)
		v.TooLarge = p.Metrics.Confusion != nil && v.Confusion == nil
	}
	return v
}
