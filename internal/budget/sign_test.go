package budget

import (
	"encoding/hex"
	"testing"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/privacy"
)

// TestMergersKeepKeys merges a ledger with an open run. The key of the run verifies its certificate in both ledgers.
func TestMergersKeepKeys(t *testing.T) {
	b, _ := made(t, termsOf(GDP))
	other, _ := made(t, termsOf(GDP))
	a := askOf(t, b.Terms(), "gaussian(50)")
	a.Run = ""
	limit, err := privacy.NewGuarantee(1, 1e-7, privacy.AddOrRemoveOne, b.Terms().Unit)
	if err != nil {
		t.Fatal(err)
	}
	run := b.Pay(background, a)
	if err = run.Reserve(a.Event, "model", limit, func() int { return 1 }); err != nil {
		t.Fatal(err)
	}
	merged, err := Merge(background, chain.NewMemory(), "anna", "test", b, other)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("certificate")
	signature := hex.EncodeToString(run.SignCertificate(text))
	for _, r := range []Release{b.Summary().Releases[0], merged.Summary().Releases[0]} {
		if !r.HasKey() || !r.Signed(text, signature) {
			t.Errorf("record %d: run %q did not sign, want the signature of its run", r.Seq, r.Run)
		}
		for _, wrong := range []struct{ text, signature string }{{"certificat", signature}, {"certificate", ""}, {"certificate", signature[1:]}, {"certificate", hex.EncodeToString(run.Sign(text))}} {
			if r.Signed([]byte(wrong.text), wrong.signature) {
				t.Errorf("record %d: %q passes for the signature of %q", r.Seq, wrong.signature, wrong.text)
			}
		}
	}
}
