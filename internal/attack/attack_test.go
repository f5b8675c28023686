package attack

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/auditing"
)

// TestFaultyChildrenEndTheAudit checks that a part that is not to be had is an error and no pass.
func TestFaultyChildrenEndTheAudit(t *testing.T) {
	_, err := Run(t.Context(), Options{Effort: 0.001, Child: func(context.Context, string, string) ([]byte, error) { return []byte("x"), nil }})
	if err == nil || !strings.Contains(err.Error(), "kernels") && !strings.Contains(err.Error(), "noise") {
		t.Errorf("parts that are no JSON give the error %v", err)
	}
	if _, err = Part(t.Context(), "other"); err == nil {
		t.Error("an unknown part gives no error")
	}
}

// TestErrorsHideNoRefutation ends audits with an error, after a refuted claim and after none.
func TestErrorsHideNoRefutation(t *testing.T) {
	failed := errors.New("no more")
	refuted, not := auditing.Section{Group: "noise", Verdict: auditing.Refuted}, auditing.Section{Group: "noise", Verdict: auditing.NotRefuted}
	if _, err := ended(t.Context(), time.Now(), []auditing.Section{not}, failed); !errors.Is(err, failed) {
		t.Errorf("without a refuted claim the error is %v, want the one that ended the audit", err)
	}
	r, err := ended(t.Context(), time.Now(), []auditing.Section{not, refuted}, failed)
	if err != nil || r.Verdict != auditing.Refuted || r.Err() == nil || !strings.Contains(r.Sections[2].Note, "no more") {
		t.Errorf("after a refuted claim the audit is %s, %v, want it refuted, with the error in a note", r.Verdict, err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = ended(stopped, time.Now(), []auditing.Section{refuted}, failed); err == nil {
		t.Error("an audit that was stopped has a report, want none")
	}
}

// TestPartsStartNoAudit checks that a process that is a part of an audit starts no other process.
func TestPartsStartNoAudit(t *testing.T) {
	t.Setenv(partVariable, "1")
	if _, err := Program(t.Context(), io.Discard, 0.001, "audit", "--part"); err == nil || !strings.Contains(err.Error(), partVariable) {
		t.Errorf("a part that audits gives the error %v", err)
	}
}
