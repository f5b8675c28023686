package explain

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// story is a certificate's plan in words.
type story struct {
	// kind is the kind of release, as in Explanation.
	kind string
	// released and records are sentences.
	released, records []string
	// branches are the releases, each with its purpose.
	branches []branch
}

// ofCertificate returns the explanation of a certificate, which the caller has verified. folder
// holds its files, and files are their names. folder is "" where the certificate is alone. It is an
// error if the event or plan cannot be read, or has no price.
func ofCertificate(c certificate.Certificate, folder string, files ...string) (Explanation, error) {
	e, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return Explanation{}, err
	}
	s, err := storyOf(c, e)
	if err != nil {
		return Explanation{}, err
	}
	verified, claimed := true, claimOf(c)
	out := Explanation{Kind: s.kind, Verified: &verified, Event: c.Event, Claim: &claimed}
	out.Title = titleOf(c, s.kind)
	out.Sections = append(out.Sections, section{Title: "what was released", Lines: linesOf(slices.Concat(s.released, fileLines(files), learnedLines(c))...)},
		section{Title: "from which records", Lines: linesOf(s.records...)})
	if c.Private {
		if err = out.addGuarantee(c, s); err != nil {
			return out, err
		}
	}
	assumed := c.Assumptions
	if folder == "" && c.Run != "" {
		assumed = slices.Concat(assumed, []string{"The file alone does not show whether these are all, or follow from the model: they are not verified here."})
	}
	out.Sections = append(out.Sections, section{Title: "what was assumed, and declared public", Lines: linesOf(assumed...)})
	if c.Private {
		out.Sections = append(out.Sections, section{Title: "what is not covered", Lines: linesOf(notCovered(s.kind)...)})
	}
	out.Sections = append(out.Sections, section{Title: "how to check", Lines: linesOf(checkLines(c, s, folder)...)})
	return out, nil
}

// titleOf returns in a sentence what the certificate covers.
func titleOf(c certificate.Certificate, kind string) string {
	switch {
	case !c.Private:
		return "NOT PRIVATE: this " + kind + " has no guarantee, and may disclose any record that it was made from"
	case c.Run == "":
		return fmt.Sprintf("A plan for a private %s, not yet run: %s", kind, wording.Guarantee(c))
	}
	return fmt.Sprintf("A private %s: %s", kind, wording.Guarantee(c))
}

// addGuarantee adds who is protected, what the numbers mean, and how the cost adds up.
func (e *Explanation) addGuarantee(c certificate.Certificate, s story) error {
	var err error
	if e.Releases, err = releaseCosts(s.branches, c.Delta, c.Neighboring); err != nil {
		return err
	}
	trade, err := curve.Attacker(c)
	if err != nil {
		return err
	}
	e.Attacker = newAttacker(trade, *e.Claim)
	e.Sections = append(e.Sections, section{Title: "who is protected, against what", Lines: linesOf(protectionLines(c, s.kind)...)},
		section{Title: "what epsilon and delta mean", Lines: linesOf(oddsLines(c, s.kind, e.Attacker)...)})
	e.addCosts()
	return nil
}

// storyOf returns the story of a verified certificate. A certificate without a guarantee has a
// short one.
func storyOf(c certificate.Certificate, e mechanism.Event) (story, error) {
	s, err := planStory(c, e)
	if err == nil && !c.Private {
		s.released = []string{fmt.Sprintf("A %s that was made without noise. Nothing hides the records in it, or in whatever is computed from it.", s.kind)}
	}
	return s, err
}

func planStory(c certificate.Certificate, e mechanism.Event) (story, error) {
	switch {
	case c.Method == option.MethodQuery:
		return answerStory(c, e)
	case c.Method == option.MethodEvaluation:
		return evaluationStory(c, e)
	case c.Method == option.MethodSelection:
		return selectionStory(c, e)
	case neural.Methods()[c.Method] != nil:
		return networkStory(c, e)
	case slices.Contains(erm.Names(), c.Method):
		return otherStory(c)
	}
	return trainStory(c)
}

func trainStory(c certificate.Certificate) (story, error) {
	var p train.Plan
	if err := json.Unmarshal(c.Plan, &p); err != nil {
		return story{}, err
	}
	s := story{kind: "model", records: recordLines(c, p.Records, p.MaxRecords, p.Person != nil)}
	s.released = []string{
		fmt.Sprintf("The weights of a linear model, %s, found by %s in %d steps. Each step releases the sum of the gradients of all records that take part, each clipped, with noise.", wording.Weights(p.Dim*p.Columns), wording.Sampling(p), p.Steps),
		aftermath("model"),
	}
	if p.LastIterate != nil {
		s.released[0] = fmt.Sprintf("The weights of a linear model, %s, at the end of %d steps of %s with noise. The steps before it leave nothing behind, and the price counts on that.", wording.Weights(p.Dim*p.Columns), p.Steps, wording.Sampling(p))
	}
	if len(p.Preparation) > 0 {
		s.released = append(s.released, fmt.Sprintf("Before training, %d statistics were released with noise, for scaling and the like. They were paid for like everything else.", len(p.Preparation)))
	}
	if p.Calibration != nil {
		s.released = append(s.released, correctionStory(*p.Calibration))
	}
	training := branch{releases: p.Training()}
	for _, e := range wording.Releases(p) {
		training.what = append(training.what, e.Purpose)
	}
	s.branches = []branch{training}
	if p.Holdout != nil {
		s.branches = append(s.branches, branch{flatten(p.Holdout.Evaluation.Event()), []string{"measures on the held-out records"}})
		s.released = append(s.released, fmt.Sprintf("Measures of the model on records that were held out of training at random, each with probability %s.", display.Plain(p.Holdout.Share)))
	}
	return s, nil
}

func otherStory(c certificate.Certificate) (story, error) {
	p, err := strict.ReadPlan[erm.Plan]("erm", c.Plan)
	if err != nil {
		return story{}, err
	}
	s := story{kind: "model", records: recordLines(c, p.Records, p.MaxRecords, false)}
	s.released = []string{fmt.Sprintf("The weights of a linear model, %s, by %s: %s.", wording.Weights(p.Dim*p.Columns), c.Method, erm.Summary(c.Method)), aftermath("model")}
	var b branch
	for _, step := range p.Steps() {
		b.releases, b.what = append(b.releases, step.Event), append(b.what, step.Purpose)
	}
	s.branches = []branch{b}
	return s, nil
}

func networkStory(c certificate.Certificate, e mechanism.Event) (story, error) {
	p, err := strict.ReadPlan[neural.Plan]("neural", c.Plan)
	if err != nil {
		return story{}, err
	}
	s := story{kind: "model", records: recordLines(c, p.Records, p.MaxRecords, p.Person != nil)}
	s.released = []string{
		fmt.Sprintf("%s of a neural network, trained in %d steps on %s. Each step releases the sum of the gradients of the records that take part, with noise. What bounds a record: %s.", wording.Weights(p.Network.Trained), p.Steps, wording.NetworkSampling(p), wording.NetworkClipping(p.Clipping)),
		aftermath("model"),
	}
	b := branch{releases: flatten(e)}
	if all := wording.NetworkReleases(p); len(all) == len(b.releases) {
		b.what = purposes(all)
	}
	s.branches = []branch{b}
	return s, nil
}

func purposes(events []report.Event) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = e.Purpose
	}
	return out
}

func evaluationStory(c certificate.Certificate, e mechanism.Event) (story, error) {
	p, err := strict.ReadPlan[evaluate.Plan]("evaluate", c.Plan)
	if err != nil {
		return story{}, err
	}
	s := story{kind: "evaluation", branches: []branch{{flatten(e), []string{"all numbers of the evaluation"}}}, records: recordLines(c, 0, p.MaxRecords, p.Person != nil)}
	s.released = []string{
		fmt.Sprintf("How well a model does on private records: %d counts and sums, with %s noise. All measures and intervals are computed from these.", p.Numbers(), p.Noise),
		"The model itself is covered by its own certificate, if it has one. If the same records trained it, the two costs add up.",
	}
	return s, nil
}

func answerStory(c certificate.Certificate, e mechanism.Event) (story, error) {
	var p query.Plan
	if err := json.Unmarshal(c.Plan, &p); err != nil {
		return story{}, err
	}
	asked := string(p.Statistic)
	if len(p.Expressions) > 0 {
		asked += " of " + strings.Join(p.Expressions, ", ")
	}
	for _, part := range [][2]string{{" where ", p.Where}, {" by ", p.By}} {
		if part[1] != "" {
			asked += part[0] + part[1]
		}
	}
	s := story{kind: "answer", branches: []branch{{flatten(e), []string{"the answer"}}}, records: recordLines(c, 0, p.MaxRecords, p.Person != nil)}
	s.released = []string{fmt.Sprintf("The answer to one question: %s. Its noise is %s.", asked, p.Noise), aftermath("answer")}
	return s, nil
}

// aftermath returns a sentence on the uses that cost nothing more.
func aftermath(noun string) string {
	return fmt.Sprintf("Whatever is computed from the %s alone, such as predictions, tables or pictures, is covered too, however often.", noun)
}

// recordLines returns lines on which records there are and what one record is.
func recordLines(c certificate.Certificate, records, maxRecords int, person bool) []string {
	one := fmt.Sprintf("One record is: %s.", c.Unit)
	lines := []string{one}
	switch {
	case !c.Private:
		lines = append(lines, fmt.Sprintf("There are at most %d rows.", maxRecords))
	case records > 0 && person:
		lines = append(lines, fmt.Sprintf("The number of rows, %d, is declared public; there are at most %d.", records, maxRecords))
	case records > 0:
		lines = append(lines, fmt.Sprintf("Their number, %d, is declared public; there are at most %d.", records, maxRecords))
	default:
		lines = append(lines, fmt.Sprintf("There are at most %d rows. How many there are is not public, unless someone published it.", maxRecords))
	}
	switch {
	case person:
		lines = append(lines, "All rows of a person are one record.")
	case c.GroupRows > 1:
		lines = append(lines, fmt.Sprintf("A person may have up to %d of them.", c.GroupRows))
	case c.GroupRows == 0:
		lines = append(lines, "How many of them a person may have was not declared.")
	}
	return lines
}

// learnedLines returns lines on what was learned about columns.
func learnedLines(c certificate.Certificate) []string {
	var lines []string
	for _, l := range c.Learned {
		lines = append(lines, "Learned within the budget: "+wording.Learned(l)+".")
	}
	return lines
}

// fileLines lists files.
func fileLines(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{"Files: " + strings.Join(names, ", ") + "."}
}

// checkLines returns lines on how to check a certificate, and on what no check can show.
func checkLines(c certificate.Certificate, s story, folder string) []string {
	checked := "It was checked just now that epsilon follows from the event and the event from the plan."
	command := "dither verify FOLDER"
	if folder != "" {
		command = "dither verify " + filepath.Base(folder)
		checked = "It was checked just now: all files agree, the event follows from the plan, epsilon from the event, and the hashes from the files."
	} else {
		checked += fmt.Sprintf(" That it belongs to the %s was not: for that, name the whole folder.", s.kind)
	}
	if c.Run == "" {
		return []string{"It was checked just now that epsilon follows from the event and the event from the plan.", "Nothing was run yet: there are no files to check."}
	}
	return []string{
		checked + " " + command + " does so again, on any machine, from public numbers alone.",
		"No file can show that the program really ran as the plan says, or that what is assumed holds. For that you trust whoever ran it.",
		fmt.Sprintf("Written by %s at %s, run %s.", c.Program, c.Created, c.Run),
	}
}

// belief returns what an attacker wants to know.
func belief(n privacy.Neighboring) string {
	switch n {
	case privacy.AddOrRemoveOne:
		return "whether a given record was used"
	case privacy.ReplaceOne:
		return "which of two given records was used"
	}
	return "whether a given record was used or blanked out"
}

// protectionLines returns lines on who is protected, and against whom.
func protectionLines(c certificate.Certificate, noun string) []string {
	return []string{
		fmt.Sprintf("Whoever a record is about: the guarantee is for one record (%s), and the same for each.", c.Unit),
		relationSentence(c.Neighboring),
		fmt.Sprintf("Against anyone who has this %s and everything that was published with it, whatever else they know, even all other records, and whatever they compute, now or later.", noun),
	}
}

// weakAt is the share of right answers from which a guarantee is called weak.
const weakAt = 0.99

// oddsLines returns lines on what epsilon and delta mean.
func oddsLines(c certificate.Certificate, noun string, a *attacker) []string {
	except := ""
	if c.Delta > 0 {
		except = fmt.Sprintf(", apart from delta: the probability by which all results together exceed this factor is at most %s", display.Plain(c.Delta))
	}
	lines := []string{fmt.Sprintf("Whatever someone believed about %s, after seeing the %s the odds change by at most a factor of %s%s.", belief(c.Neighboring), noun, display.Rounded(math.Exp(float64(c.Epsilon)), 4, true), except)}
	if a != nil {
		lines = append(lines, a.Words...)
		if (1+a.Advantage)/2 >= weakAt {
			lines = append(lines, "At this epsilon the guarantee is weak: by itself it does not rule out an attacker who is right almost always.")
		}
	}
	if c.GroupRows > 1 {
		lines = append(lines, fmt.Sprintf("For all %d rows that one person may have together, epsilon is %s: the odds about the person change by at most a factor of %s%s.", c.GroupRows, display.Rounded(float64(c.GroupEpsilon), 4, true), display.Rounded(math.Exp(float64(c.GroupEpsilon)), 4, true), except))
	}
	return lines
}

// notCovered returns lines on what the guarantee does not promise.
func notCovered(noun string) []string {
	return []string{
		"It does not promise that nothing can be learned about a person. A pattern of the whole population, once known, applies to each member, whether or not their record was used.",
		fmt.Sprintf("It covers this %s alone. Other releases from the same records add to what can be learned: dither account FOLDER FOLDER says to what.", noun),
		"Whoever has several records in the table is protected less, the more of them the less, unless the record is all rows of a person.",
		"What was declared public is not protected: the schema, the plan, and tables that were declared public.",
		fmt.Sprintf("It does not say whether the %s is accurate or fair, and does not protect the file of records itself.", noun),
	}
}

// selectionStory returns the story of a private choice: what a run of the winner releases, and that
// the best of many runs is released.
func selectionStory(c certificate.Certificate, e mechanism.Event) (story, error) {
	run, err := artefact.SelectionRun(c)
	if err != nil {
		return story{}, err
	}
	plan, err := sweep.ReadSelection(c.Plan)
	if err != nil {
		return story{}, err
	}
	s, err := trainStory(run)
	s.released = append([]string{fmt.Sprintf("The best, on public records, of a random number of models, %d on average (%s), each with settings drawn at random among %d. The other models, and how many there were, are told to nobody, and the price counts on that%s.", plan.Mean, plan.RunCountDistribution, plan.Configurations, wording.NoRuns(plan))}, s.released...)
	s.branches = []branch{{[]mechanism.Event{e}, []string{"the best of a random number of runs"}}}
	return s, err
}

// correctionStory tells what a calibration released.
func correctionStory(c train.PreparationStep) string {
	what, often := "probabilities", ", twice,"
	if c.Kind == option.NumberCalibrationStatistic {
		what, often = "predictions", ""
	}
	return fmt.Sprintf("After training, %d sums of errors of the %s were released with noise%s to correct the %s. They were paid for like everything else.", c.Numbers, what, often, what)
}
