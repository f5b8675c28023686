package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/signature"
)

// newKeys writes the key pair name.pem and name.pub into a folder.
func newKeys(t *testing.T, folder, name string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(folder, name+".pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	writeText(t, filepath.Join(folder, name+".pub"), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: shown})))
}

func publicKey(t *testing.T, path string) ed25519.PublicKey {
	t.Helper()
	key, err := signature.ReadPublic(path)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestSignEveryFolder signs what each command writes that writes a certificate.
func TestSignEveryFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	newKeys(t, ".", "own")
	newKeys(t, ".", "other")
	for folder, args := range map[string][]string{
		"model":  {"train", "--interactions", "none", "--steps", "2", "--quiet"},
		"answer": {"query", "count", "--data", "builtin:randhie"},
		"chosen": {"sweep", "--select", "geometric:2", "--learning-rate", "0.5,1", "--steps", "2", "--quiet"},
	} {
		mustInvoke(t, append(args, "--sign", "own.pem", "--out", folder)...)
	}
	mustInvoke(t, "evaluate", "model", "builtin:randhie", "--private", "--epsilon", "1", "--sign", "own.pem", "--out", "measured")
	id := signature.ID(publicKey(t, "own.pub"))
	for _, folder := range []string{"model", "answer", "chosen", "measured"} {
		if stdout, _ := mustInvoke(t, "verify", folder); !strings.Contains(stdout, "by key "+id+": no file shows whose it is") {
			t.Errorf("%s: got %q, want the key named, and that nobody vouches for it", folder, stdout)
		}
		if stdout, _ := mustInvoke(t, "verify", folder, "--signed-by", "own.pub"); !strings.Contains(stdout, "by key "+id+": the key that was asked for\n") || !strings.HasSuffix(stdout, "verified\n") {
			t.Errorf("%s: got %q, want the key that was asked for", folder, stdout)
		}
		status, stdout, stderr := invoke("verify", folder, "--signed-by", "other.pub")
		if status != exitFailed || !strings.Contains(stderr, "there is no valid signature by key") || strings.Contains(stdout, "\nverified\n") || strings.Contains(stdout, "guarantee\n") {
			t.Errorf("%s: got %d, %q and %q, want the signature of another key missed", folder, status, stdout, stderr)
		}
	}
	// a folder that is replaced by one without a signature has none
	mustInvoke(t, "train", "--interactions", "none", "--steps", "2", "--quiet", "--replace", "--out", "model")
	if status, _, stderr := invoke("verify", "model", "--signed-by", "own.pub"); status != exitFailed || !strings.Contains(stderr, "there is none at all") {
		t.Errorf("got %d and %q, want that nobody signed", status, stderr)
	}
}

// TestSignFolder signs a folder after the fact, by two keys, and none that does not verify.
func TestSignFolder(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	t.Chdir(t.TempDir())
	newKeys(t, ".", "trainer")
	newKeys(t, ".", "officer")
	for _, name := range []string{"trainer", "officer"} {
		if stdout, _ := mustInvoke(t, "sign", made.folder, "--key", name+".pem"); !strings.Contains(stdout, signature.ID(publicKey(t, name+".pub"))) {
			t.Errorf("got %q, want the key of the %s", stdout, name)
		}
	}
	both := []string{"verify", made.folder, "--signed-by", "trainer.pub", "--signed-by", "officer.pub"}
	mustInvoke(t, both...)
	place := filepath.Join(made.folder, artefact.SignatureName)
	before, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := invoke("sign", made.folder, "--key", "officer.pem"); status != exitFailed || !strings.Contains(stderr, "has signed these bytes already") {
		t.Errorf("got %d and %q, want a second signature refused", status, stderr)
	}
	// Another certificate that verifies, in the same folder.
	made.certificate.Run = "4567"
	made.model.Provenance.Run = "4567"
	made.write(t)
	writeText(t, place, string(before))
	for _, args := range [][]string{both, {"verify", made.folder}, {"sign", made.folder, "--key", "officer.pem"}} {
		if status, stdout, stderr := invoke(args...); status != exitFailed || !strings.Contains(stdout+stderr, "has changed since") {
			t.Errorf("%q: got %d, %q and %q, want a certificate that changed after it was signed", args, status, stdout, stderr)
		}
	}
	if err = os.Remove(place); err != nil {
		t.Fatal(err)
	}
	mustInvoke(t, "verify", made.folder)
	edit(t, filepath.Join(made.folder, "model.json"), "4567", "4568")
	if status, _, stderr := invoke("sign", made.folder, "--key", "officer.pem"); status != exitFailed || !strings.Contains(stderr, "nothing was signed") {
		t.Errorf("got %d and %q, want a folder that does not verify refused", status, stderr)
	}
	if _, err = os.Lstat(place); err == nil {
		t.Error("a folder that does not verify was signed")
	}
}

// TestSignersTakeTurns lets several processes sign one folder at once. No signature is lost.
func TestSignersTakeTurns(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	t.Chdir(t.TempDir())
	both, all := []string{"verify", made.folder}, sync.WaitGroup{}
	for i := range 6 {
		name := fmt.Sprint("signer", i)
		newKeys(t, ".", name)
		both = append(both, "--signed-by", name+".pub")
		all.Go(func() {
			if out, err := startable("sign", made.folder, "--key", name+".pem").CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", name, err, out)
			}
		})
	}
	all.Wait()
	mustInvoke(t, both...)
}

// TestSignFiles signs pages and archives, which stand alone.
func TestSignFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	newKeys(t, ".", "officer")
	mustInvoke(t, "ledger", "create", "h.ledger", "--data", "health", "--epsilon", "1", "--delta", "1e-5", "--row", "one person")
	mustInvoke(t, "ledger", "show", "h.ledger", "--page", "budget.html", "--sign", "officer.pem")
	mustInvoke(t, "ledger", "export", "h.ledger", "--out", "archive.jsonl", "--sign", "officer.pem")
	writeText(t, "note.txt", "a note")
	mustInvoke(t, "sign", "note.txt", "--key", "officer.pem")
	for _, name := range []string{"budget.html", "archive.jsonl", "note.txt"} {
		if stdout, _ := mustInvoke(t, "verify", name, "--signed-by", "officer.pub"); !strings.HasSuffix(stdout, "\nverified\n") {
			t.Errorf("%s: got %q, want it verified", name, stdout)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		writeText(t, name, string(text)+" ")
		if status, stdout, _ := invoke("verify", name, "--signed-by", "officer.pub"); status != exitFailed || strings.Contains(stdout, "\nverified\n") {
			t.Errorf("%s: got %d and %q, want an edited file refused", name, status, stdout)
		}
	}
	// The signature of a file that holds a certificate's bytes is none of the certificate.
	made := newModelFolder(t, binaryText, 1)
	path := filepath.Join(made.folder, "certificate.json")
	mustInvoke(t, "sign", path, "--key", "officer.pem")
	if err := os.Rename(path+".sig", filepath.Join(made.folder, artefact.SignatureName)); err != nil {
		t.Fatal(err)
	}
	if status, stdout, _ := invoke("verify", made.folder, "--signed-by", "officer.pub"); status != exitFailed || !strings.Contains(stdout, `it signs a "file"`) {
		t.Errorf("got %d and %q, want the signature of a file refused for a certificate", status, stdout)
	}
}

// TestSignWrong: nothing is read, spent or written where a key is wrong or signs nothing.
func TestSignWrong(t *testing.T) {
	folder := wrongFolder(t)
	newKeys(t, folder, "own")
	loose := writeText(t, filepath.Join(folder, "loose.pem"), "")
	text, err := os.ReadFile(filepath.Join(folder, "own.pem"))
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, loose, string(text))
	if err = os.Chmod(loose, 0o644); err != nil {
		t.Fatal(err)
	}
	checkWrong(t, folder, []wrong{
		{"no key", []string{"sign", "garbled"}, exitUsage, "--key"},
		{"no folder", []string{"sign", "--key", "own.pem"}, exitUsage, "MODEL-FOLDER or FILE"},
		{"nothing there", []string{"sign", "absent", "--key", "own.pem"}, exitUsage, "absent"},
		{"a folder without certificate", []string{"sign", "garbled", "--key", "own.pem"}, exitUsage, "certificate.json"},
		{"a key that is public", []string{"train", "--sign", "own.pub", "--out", "out"}, exitUsage, "is a public key"},
		{"a key that is no key", []string{"train", "--sign", "good.csv", "--out", "out"}, exitUsage, "good.csv"},
		{"a key that others read", []string{"train", "--sign", "loose.pem", "--out", "out"}, exitUsage, "chmod 600"},
		{"a private key to compare with", []string{"verify", "garbled", "--signed-by", "own.pem"}, exitUsage, "-pubout"},
		{"an answer that is not written", []string{"query", "count", "--data", "builtin:randhie", "--sign", "own.pem"}, exitUsage, "--out"},
		{"runs without a choice", []string{"sweep", "--sign", "own.pem", "--dry-run"}, exitUsage, "--select"},
		{"a measure that is not private", []string{"evaluate", "garbled", "good.csv", "--sign", "own.pem"}, exitUsage, ""},
	})
}
