package outcome

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/sweep"
)

// Study describes a sweep for its results. Its file names are without folders.
type Study struct {
	Fixed      []sweep.Setting
	Varied     []sweep.Parameter
	Candidates []sweep.Candidate
	Repeats    int
	Cost       sweep.Cost
	Marked     Marked
	// Table describes in words the table on which models were trained. Measured describes the
	// records on which they were measured.
	Table, Measured string
	Target          data.Target
	// Records is the number of rows in the training table, or 0 if the number is unknown.
	Records int
	// Public reports whether the table is public. Secret reports whether models were measured on
	// secret records. Results of such measurements are shown on the terminal only.
	Public, Secret bool
	// Folder is the folder of the results, or "" if there is none. Command is the command line of
	// the same sweep.
	Folder, Command string
}

// Notice returns a text on the meaning of the numbers for the privacy of the people in the records.
func (s *Study) Notice() string {
	c := s.Cost
	all := fmt.Sprintf("epsilon %s at delta %g for %s (%s; accountant %s)", c.Epsilon.Rounded(), c.Delta, strings.ReplaceAll(wording.Relation(c.Neighboring), "row", "record"), c.Unit, c.Accountant)
	if math.IsInf(float64(c.Epsilon), 1) {
		all += ": more than delta lets anyone prove, since the slack of rounded noise grows with e^epsilon"
	}
	switch {
	case c.Runs == 0 && s.Public:
		return "Public data set; no run has a guarantee."
	case c.Runs == 1 && s.Public:
		return "Public data set; the run would guarantee " + all + " if the records were private."
	case s.Public:
		return fmt.Sprintf("Public data set; the epsilon of each run is what it would guarantee if the records were private. All %d private runs together would cost %s.", c.Runs, all)
	case c.Runs == 0:
		return "NOT PRIVATE: all runs are without privacy, on a table that is not declared public; none has a guarantee."
	case s.hasBaseline():
		return fmt.Sprintf("NOT PRIVATE: runs without privacy on a table that is not declared public are among these; the %d private ones together cost %s.", c.Runs, all)
	}
	return fmt.Sprintf("Private table: all %d runs, which are releases, together cost %s. A setting that was chosen by them costs that much, not its own epsilon.", c.Runs, all)
}

func (s *Study) hasBaseline() bool {
	for i := range s.Candidates {
		if !s.Candidates[i].Certificate.Private {
			return true
		}
	}
	return false
}

// Rows returns the table of a finished sweep: a heading, then a row for each configuration with a
// column for each metric.
func (s *Study) Rows(summaries []sweep.Summary) [][]string {
	metrics := sweep.Metrics(s.Target)
	head := []string{}
	for _, v := range s.Varied {
		head = append(head, strings.ReplaceAll(v.Name, "-", " "))
	}
	priced := !s.varies("epsilon")
	if priced {
		head = append(head, "epsilon")
	}
	rows := [][]string{append(head, metrics...)}
	for i := 0; i < len(summaries); i += len(metrics) {
		c := summaries[i].Candidate
		row := []string{}
		for _, v := range s.Varied {
			cell := valueOf(c, v.Name)
			switch {
			case cell == "":
				cell = "not private"
			case differs(c, v.Name):
				cell += ", ran " + cmp.Or(planned(c, v.Name, summaries[i].LearningRate), "none")
			}
			row = append(row, cell)
		}
		if priced {
			row = append(row, c.Certificate.Epsilon.Rounded())
		}
		for _, m := range summaries[i : i+len(metrics)] {
			row = append(row, meanText(m))
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *Study) varies(name string) bool {
	return slices.ContainsFunc(s.Varied, func(v sweep.Parameter) bool { return v.Name == name })
}

// DivergedWords returns one sentence for each configuration with runs that diverged.
func DivergedWords(summaries []sweep.Summary) []string {
	var out []string
	var before *sweep.Candidate
	for _, s := range summaries {
		if s.Diverged > 0 && s.Candidate != before {
			before = s.Candidate
			// A run that diverged has no metrics. The other runs of its configuration did not
			// diverge by chance alone.
			out = append(out, fmt.Sprintf("diverged: %s of %s; the weights did not stay finite, and means leave them out. A lower learning rate is steadier.", display.Count(s.Diverged, "run"), s.Candidate.Words()))
		}
	}
	return out
}

// meanText is a mean with half the length of its interval.
func meanText(s sweep.Summary) string {
	switch {
	case math.IsNaN(s.Mean) && s.Diverged > 0:
		return "diverged"
	case math.IsNaN(s.Mean):
		return "undefined"
	}
	text := strconv.FormatFloat(s.Mean, 'f', 4, 64)
	if !math.IsNaN(s.High) {
		text += " ± " + strconv.FormatFloat(s.High-s.Mean, 'f', 4, 64)
	}
	return text
}
