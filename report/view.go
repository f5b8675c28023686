package report

// view is a page as the template shows it.
type view struct {
	Page
	Loud    string
	Private bool
	Facts   []Fact
	Meaning []string
	Limits  []string
	Attacks []attack
	Group   string
	Exactly string
	Trade   tradePlot
	// BudgetCharts and ExpectedCharts are the figures, laid out.
	BudgetCharts, ExpectedCharts []chartFigure

	Rows       []eventRow
	Segments   []segment
	Plots      []scorePlot
	ScoresLeft int
	Confusion  *confusionView
	TooLarge   bool
	BudgetNote string
	WeightNote []string
	// EstimatesNote explains the intervals of coefficients.
	EstimatesNote string
}

// newView prepares a page whose strings are clean.
func newView(p Page) view {
	g := p.Guarantee
	v := view{
		Page:       p,
		Loud:       p.banner(),
		Private:    g.private(),
		Facts:      g.facts(),
		Meaning:    g.meaning(),
		Limits:     g.limits(),
		Exactly:    exactly,
		BudgetNote: budgetNote,
		WeightNote: []string{barNote, noiseNote}, EstimatesNote: estimatesNote,
	}
	if v.Private {
		v.Attacks, v.Trade = g.attacks(), newTradePlot(g)
		v.Group = v.Trade.GroupName
	} else {
		v.BudgetNote, v.WeightNote = "Nothing was paid: a release without noise has no price.", []string{barNote}
	}
	number := 0
	v.BudgetCharts, v.ExpectedCharts = newCharts(p.Budget, &number), newCharts(p.Expected, &number)
	v.Rows, v.Segments = budget(p.Events)
	v.Plots, v.ScoresLeft = scorePlots(p.Coefficients, p.Unlisted)
	if p.Metrics != nil {
		v.Confusion = newConfusionView(p.Metrics.Confusion)
		v.TooLarge = p.Metrics.Confusion != nil && v.Confusion == nil
	}
	return v
}
