package dither_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither"
)

// TestWithSignature signs what Into and Save write. Verify names the key, and misses that of another.
func TestWithSignature(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	place := t.TempDir()
	saved, into, bare := filepath.Join(place, "saved"), filepath.Join(place, "into"), filepath.Join(place, "bare")
	run, err := dither.Train(t.Context(), newBudget(t), patientSchema(t), patients(40), dither.WithSignature(private), dither.Into(into))
	if err != nil {
		t.Fatal(err)
	}
	if err = run.Save(saved); err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(der)
	for _, folder := range []string{saved, into} {
		v, failed := dither.Verify(folder, public)
		if failed != nil || !v.Verified || len(v.SignedBy) != 1 || v.SignedBy[0] != hex.EncodeToString(hash[:]) {
			t.Errorf("%s: got %+v (%v), want it verified and the key named", folder, v, failed)
		}
		if v, failed = dither.Verify(folder, public, other); failed != nil || v.Verified || v.Certificate != nil || !strings.Contains(v.Disagreements[0], "public key 2") {
			t.Errorf("%s: got %+v (%v), want the signature of the second key missed", folder, v, failed)
		}
	}
	if err = os.Remove(filepath.Join(into, "certificate.sig")); err != nil {
		t.Fatal(err)
	}
	if v, failed := dither.Verify(into); failed != nil || !v.Verified || len(v.SignedBy) != 0 {
		t.Errorf("got %+v (%v), want a folder without a signature verified", v, failed)
	}
	if v, failed := dither.Verify(into, public); failed != nil || v.Verified {
		t.Errorf("got %+v (%v), want the signature missed", v, failed)
	}
	for name, key := range map[string]ed25519.PrivateKey{"none": nil, "short": private[:32]} {
		b := newBudget(t)
		if _, err = dither.Train(t.Context(), b, patientSchema(t), patients(40), dither.WithSignature(key), dither.Into(bare)); err == nil || b.Left() != 1 {
			t.Errorf("%s: got %v and %v left, want a key that is none refused", name, err, b.Left())
		}
	}
	if _, err = dither.Query(t.Context(), newBudget(t), patientSchema(t), patients(40), "count", dither.WithSignature(private)); err == nil {
		t.Error("a question without a folder was signed")
	}
	if _, err = dither.Verify(saved, public[:31]); err == nil {
		t.Error("half a key was taken")
	}
}
