package report

import (
	"fmt"
	"strconv"
)

// maxConfusion is the greatest number of levels whose matrix is shown.
const maxConfusion = 40

// shades is the number of shades of a cell, in addition to none.
const shades = 5

// confusionView is a confusion matrix as a table.
type confusionView struct {
	Levels []string
	Rows   []confusionRow
}

type confusionRow struct {
	Level string
	Cells []confusionCell
}

// confusionCell is a count; its shade is its share of the true level.
type confusionCell struct{ Count, Class, Title string }

// newConfusionView returns nil when there is no matrix or it is too large.
func newConfusionView(c *Confusion) *confusionView {
	if c == nil || len(c.Levels) > maxConfusion {
		return nil
	}
	view := &confusionView{Levels: c.Levels}
	for truth, counts := range c.Counts {
		row := confusionRow{Level: c.Levels[truth]}
		total := 0
		for _, count := range counts {
			total += count
		}
		for guess, count := range counts {
			row.Cells = append(row.Cells, newConfusionCell(count, total, truth == guess))
		}
		view.Rows = append(view.Rows, row)
	}
	return view
}

func newConfusionCell(count, total int, right bool) confusionCell {
	cell := confusionCell{Count: strconv.Itoa(count), Title: "no records of this level"}
	if total <= 0 || count < 0 || count > total {
		return cell
	}
	share := float64(count) / float64(total)
	cell.Title = percent(share) + " of the records of this level"
	kind := "wrong"
	if right {
		kind = "right"
	}
	if shade := int(share*shades + 0.5); shade > 0 {
		cell.Class = fmt.Sprintf("%s shade%d", kind, shade)
	}
	return cell
}
