package bookkeeping

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/mechanism"
)

// Checked is the result of comparing a ledger with certificates.
type Checked struct {
	Agrees        bool                `json:"agrees"`
	Records       int                 `json:"records"`
	Head          string              `json:"head"`
	Releases      int                 `json:"releases"`
	Certificates  int                 `json:"certificates"` // the number of given certificates
	Spent         certificate.Epsilon `json:"epsilon-spent"`
	Disagreements []string            `json:"disagreements,omitempty"`
	// Remarks are not faults. They name runs that have not ended, and certificates that were not
	// given.
	Remarks []string `json:"remarks,omitempty"`
}

// Check compares a ledger with the folders of runs. A folder that contains such folders stands for
// all of them. An open ledger has already passed two checks: each record has the hash of the record
// before it, and every price follows from its event.
func (l *Ledger) Check(folders ...string) (Checked, error) {
	folders = within(folders)
	s := l.Summary()
	out := Checked{Records: int(s.Head.Seq) + 1, Head: s.Head.Hash, Releases: len(s.Releases), Certificates: len(folders), Spent: certificate.Epsilon(s.Spent)}
	met, named := map[string]bool{}, map[string]claimant{}
	for _, folder := range folders {
		if artefact.IsUnfinished(folder) && !display.Exists(filepath.Join(folder, certificate.FileName)) {
			out.Certificates--
			out.Remarks = append(out.Remarks, artefact.Unfinished(folder).Error())
			continue
		}
		v, err := artefact.Verify(folder)
		if err != nil {
			return out, err
		}
		for _, d := range v.Disagreements {
			out.Disagreements = append(out.Disagreements, folder+": "+d)
		}
		text, c, err := artefact.ReadCertificate(folder)
		if err != nil {
			return out, err
		}
		hash := certificate.Hash(text)
		met[hash] = true
		for _, d := range l.against(folder, hash, c, s.Releases) {
			out.Disagreements = append(out.Disagreements, folder+": "+d)
		}
		if r := c.Recorded; r != nil {
			key := fmt.Sprint(r.Ledger, r.Sequence)
			if other, twice := named[key]; twice && other.hash != hash {
				out.Disagreements = append(out.Disagreements, fmt.Sprintf("%s: its certificate names record %d of ledger %.8s, and so does another certificate, of %s: the record paid for one of them", folder, r.Sequence, r.Ledger, other.folder))
			}
			named[key] = claimant{folder, hash}
		}
	}
	out.remark(s, met, len(folders) > 0)
	if !s.Fits {
		out.Disagreements = append(out.Disagreements, fmt.Sprintf("the ledger stands at epsilon %s under a cap of %s, and does not keep it: releases were imported that did not fit", display.Rounded(s.Spent, 4, true), display.Plain(s.Terms.Epsilon)))
	}
	out.Agrees = len(out.Disagreements) == 0
	return out, nil
}

// claimant is a folder whose certificate names a record.
type claimant struct{ folder, hash string }

// within replaces a folder without a certificate by the folders in it that are of runs.
func within(folders []string) (out []string) {
	has := func(folder string) bool {
		return display.Exists(filepath.Join(folder, certificate.FileName)) || artefact.IsUnfinished(folder)
	}
	for _, folder := range folders {
		before := len(out)
		if entries, err := os.ReadDir(folder); err == nil && !has(folder) {
			for _, e := range entries {
				if inner := filepath.Join(folder, e.Name()); has(inner) {
					out = append(out, inner)
				}
			}
		}
		if len(out) == before { // its own error says what is missing
			out = append(out, folder)
		}
	}
	return out
}

// against returns what a certificate and the releases that name it say of one another.
func (l *Ledger) against(folder, hash string, c certificate.Certificate, all []budget.Release) []string {
	own, moved := l.paying(hash, c, all)
	if found := l.place(c.Recorded); found != "" && !(moved && len(own) > 0) {
		return []string{found}
	}
	if len(own) == 0 {
		return []string{fmt.Sprintf("no record of the ledger names this certificate; `dither ledger import %s %s` counts it, if its records are those of the ledger", display.Quoted(l.Where), display.Quoted(folder))}
	}
	for _, r := range own {
		if r.Outcome == budget.Stopped { // what it did not begin was given back
			return []string{fmt.Sprintf("record %d of the ledger is of a run that stopped after %s, and the certificate states its whole plan", r.Seq, display.Count(r.Begun, "release"))}
		}
	}
	var found []string
	for _, r := range own {
		if r.Certificate == "" && !signed(r, c) {
			found = append(found, fmt.Sprintf("record %d of the ledger is of a run that did not sign this certificate, or the certificate was changed since, want it as that run wrote it", r.Seq))
		}
	}
	found = append(found, l.standing(c.Recorded)...)
	if c.Recorded != nil && len(c.Recorded.Earlier) > 0 && !(moved && own[0].Event.String() == c.Event) {
		return append(found, l.againstResumed(c, own, all)...)
	}
	t := l.Terms()
	if c.Neighboring != t.Neighboring {
		found = append(found, fmt.Sprintf("the certificate is under %v, and the ledger under %v", c.Neighboring, t.Neighboring))
	}
	events := mechanism.Sequence{}
	for _, r := range own {
		events = append(events, r.Event)
	}
	event := events.String()
	if len(events) == 1 {
		event = events[0].String()
	}
	if event != c.Event {
		found = append(found, fmt.Sprintf("the certificate has the event %s, and record %d of the ledger %s", artefact.Shortly(c.Event), own[0].Seq, artefact.Shortly(event)))
	}
	if g := own[0].Own; len(own) == 1 && (g.Delta != c.Delta || !(math.Abs(g.Epsilon-float64(c.Epsilon)) <= 1e-6*g.Epsilon)) {
		found = append(found, fmt.Sprintf("the certificate has epsilon %s at delta %s, and record %d of the ledger %s at %s", c.Epsilon.Rounded(), display.Plain(c.Delta), own[0].Seq, display.Rounded(g.Epsilon, 4, true), display.Plain(g.Delta)))
	}
	return found
}

// standing returns in what the snapshot of the ledger that a certificate contains differs from the
// ledger at that record. Certificates of older programs have none, and another ledger has other
// records.
func (l *Ledger) standing(r *certificate.LedgerRecord) []string {
	if r == nil || r.Limit == 0 || r.Ledger != l.Book.Ledger() {
		return nil
	}
	t := l.Terms()
	others, spent := l.Before(r.Sequence)
	if others == r.Others && float64(r.Limit) == t.Epsilon && r.LimitDelta == t.Delta && math.Abs(spent-float64(r.Spent)) <= 1e-9*spent {
		return nil
	}
	return []string{fmt.Sprintf("the certificate counts %d other releases with epsilon %s spent of %s at delta %s, and at this record the ledger has %d with %s of %s at %s",
		r.Others, r.Spent.Rounded(), r.Limit.Rounded(), display.Plain(r.LimitDelta), others, display.Rounded(spent, 4, true), display.Rounded(t.Epsilon, 4, true), display.Plain(t.Delta))}
}

// paying returns the records that count a certificate or that it names. moved is whether a merger
// or an import took all of them into this ledger. Where a merger took the record that it names, and
// another record counts its hash, it was counted twice, and the hash decides.
func (l *Ledger) paying(hash string, c certificate.Certificate, all []budget.Release) (own []budget.Release, moved bool) {
	elsewhere := c.Recorded != nil && c.Recorded.Ledger != l.Book.Ledger()
	counted := slices.ContainsFunc(all, func(r budget.Release) bool { return r.Certificate == hash })
	moved = elsewhere
	for _, r := range all {
		if r.Certificate == hash || r.Certificate == "" && c.Recorded != nil && (!elsewhere && r.Seq == c.Recorded.Sequence || elsewhere && !counted && cameFrom(r, *c.Recorded)) {
			own, moved = append(own, r), moved && r.Source != ""
		}
	}
	return own, moved
}

// signed reports whether the run of a record signed a certificate. Runs of older programs have no key, and pass.
func signed(r budget.Release, c certificate.Certificate) bool {
	if !r.HasKey() {
		return true
	}
	if c.Recorded == nil {
		return false
	}
	unsigned := *c.Recorded
	signature := unsigned.Signature
	unsigned.Signature, c.Recorded = "", &unsigned
	text, err := c.Encode()
	return err == nil && r.Signed(text, signature)
}

// hasKey reports whether a record that counts a certificate, or that it names, contains the key of its run.
func (l *Ledger) hasKey(hash string, c certificate.Certificate, all []budget.Release) bool {
	own, _ := l.paying(hash, c, all)
	return slices.ContainsFunc(own, budget.Release.HasKey)
}

// place returns what is wrong with the record that a certificate names, "" for nothing and for no
// record.
func (l *Ledger) place(c *certificate.LedgerRecord) string {
	if c == nil {
		return ""
	}
	if own := l.Book.Ledger(); c.Ledger != own {
		return fmt.Sprintf("the certificate names ledger %s, and this is ledger %s", artefact.Shortly(c.Ledger), own)
	}
	if l.Extends(c.Sequence, c.Head) != nil {
		return fmt.Sprintf("record %d of the ledger is not the one that the certificate names: the ledger was restored from a copy, or another copy of it went on; do not spend from it; `dither ledger repair --forfeit REASON` gives up what is left", c.Sequence)
	}
	return ""
}

// Hold compares a ledger with the certificate of a folder, and adds the result to the verification
// v.
func Hold(ctx context.Context, where, folder string, v *artefact.Verification) error {
	l, err := Open(ctx, where)
	if err != nil {
		return err
	}
	defer l.Close()
	text, c, err := artefact.ReadCertificate(folder)
	if err != nil {
		return err
	}
	hash, all := certificate.Hash(text), l.Summary().Releases
	found := l.against(folder, hash, c, all)
	v.Refuse(found...)
	words := ": the ledger has the record that the certificate names, at its event and guarantee"
	switch {
	case len(found) > 0:
		words = ": the ledger and the certificate were held against one another"
	case slices.ContainsFunc(all, func(r budget.Release) bool { return r.Certificate == hash }):
		words = ": the ledger counts the certificate, at its event and guarantee, and has the record that it names"
	case l.hasKey(hash, c, all):
		words += "; the run of the record signed the certificate, and the ledger does not know that the run ended"
	default:
		words += "; the run of the record was made by an older program, which did not sign, so nothing shows that it wrote this certificate"
	}
	v.Checked = append(slices.Clone(v.Checked), display.OneLine(where)+words)
	return nil
}

// remark notes what is no fault.
func (c *Checked) remark(s budget.Summary, met map[string]bool, given bool) {
	var open, missing []string
	for _, r := range s.Releases {
		if r.Outcome == "" {
			open = append(open, fmt.Sprint(r.Seq))
		}
		if r.Certificate != "" && !met[r.Certificate] {
			missing = append(missing, fmt.Sprint(r.Seq))
		}
	}
	if len(open) > 0 {
		c.Remarks = append(c.Remarks, fmt.Sprintf("%s did not end; what was reserved is spent: record %s", display.Count(len(open), "run"), some(open)))
	}
	if given && len(missing) > 0 {
		c.Remarks = append(c.Remarks, fmt.Sprintf("the certificates of %s were not given: record %s", display.Count(len(missing), "release"), some(missing)))
	}
	if s.Forfeited {
		c.Remarks = append(c.Remarks, "all that was left is forfeited")
	}
}

// some lists the first few numbers.
func some(numbers []string) string {
	const most = 10
	if len(numbers) <= most {
		return strings.Join(numbers, ", ")
	}
	return strings.Join(slices.Clone(numbers[:most]), ", ") + fmt.Sprintf(" and %d more", len(numbers)-most)
}

// Text returns the result as text for a terminal.
func (c Checked) Text() ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "chain     %s, each bound to all before it; head %.16s\n", display.Count(c.Records, "record"), c.Head)
	fmt.Fprintf(&b, "prices    %s, each computed again from its event; epsilon %s is spent\n", display.Count(c.Releases, "release"), c.Spent.Rounded())
	if c.Certificates > 0 {
		fmt.Fprintf(&b, "models    %s, each verified and held against its record\n", display.Count(c.Certificates, "certificate"))
	}
	for _, r := range c.Remarks {
		fmt.Fprintf(&b, "remark    %s\n", display.Printable(r))
	}
	for _, d := range c.Disagreements {
		fmt.Fprintf(&b, "fault     %s\n", display.Printable(d))
	}
	if c.Agrees {
		b.WriteString("agrees    yes\n")
	}
	return []byte(b.String()), nil
}

// Err returns an error if something disagrees.
func (c Checked) Err() error {
	if c.Agrees {
		return nil
	}
	return failure.Running(fmt.Errorf("the ledger and what was given disagree: %s", c.Disagreements[0]))
}
