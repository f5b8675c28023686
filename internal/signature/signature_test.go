package signature

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// newKey returns the key of a seed.
func newKey(seed byte) ed25519.PrivateKey {
	bytes := make([]byte, ed25519.SeedSize)
	bytes[0] = seed
	return ed25519.NewKeyFromSeed(bytes)
}

func signed(t *testing.T, kind Kind, text string, before []byte, key ed25519.PrivateKey) []byte {
	t.Helper()
	out, err := Sign(kind, []byte(text), before, key)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSignAndKeys(t *testing.T) {
	one := signed(t, Certificate, "text", nil, newKey(1))
	two := signed(t, Certificate, "text", one, newKey(2))
	want := []string{ID(newKey(1).Public().(ed25519.PublicKey)), ID(newKey(2).Public().(ed25519.PublicKey))}
	if got, err := Keys(Certificate, []byte("text"), two); err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if _, err := Sign(Certificate, []byte("text"), two, newKey(1)); !errors.Is(err, ErrSigned) {
		t.Errorf("got %v, want that the key has signed", err)
	}
	for name, c := range map[string]struct {
		kind Kind
		text string
	}{"another text": {Certificate, "texu"}, "another kind": {Page, "text"}} {
		if _, err := Keys(c.kind, []byte(c.text), two); err == nil {
			t.Errorf("%s: the signature was taken", name)
		}
		if _, err := Sign(c.kind, []byte(c.text), two, newKey(3)); err == nil {
			t.Errorf("%s: a signature was added to others", name)
		}
	}
	key := newKey(1)
	key[40] ^= 1
	for name, bad := range map[string]ed25519.PrivateKey{"none": nil, "short": newKey(1)[:32], "halves of two keys": key} {
		if _, err := Sign(Page, nil, nil, bad); err == nil {
			t.Errorf("%s: the key signed", name)
		}
	}
}

// TestKindsAreApart: a signature of one kind is none of another, though the file is edited to say
// so.
func TestKindsAreApart(t *testing.T) {
	page := signed(t, Page, "text", nil, newKey(1))
	forged := strings.Replace(string(page), `"signs": "file"`, `"signs": "certificate"`, 1)
	if _, err := Keys(Certificate, []byte("text"), []byte(forged)); err == nil || !strings.Contains(err.Error(), "is not over these bytes") {
		t.Errorf("got %v, want the signature of a page refused for a certificate", err)
	}
}

// TestEveryByteCounts flips each bit of a file of signatures, and removes and doubles each byte:
// none passes.
func TestEveryByteCounts(t *testing.T) {
	file := signed(t, Certificate, "text", signed(t, Certificate, "text", nil, newKey(1)), newKey(2))
	tried := 0
	try := func(edited []byte) {
		t.Helper()
		tried++
		if _, err := Keys(Certificate, []byte("text"), edited); err == nil {
			t.Errorf("an edit passes: %q", edited)
		}
	}
	for i := range file {
		for bit := range 8 {
			edited := append([]byte{}, file...)
			edited[i] ^= 1 << bit
			try(edited)
		}
		try(append(append([]byte{}, file[:i]...), file[i+1:]...))
		if i > 0 {
			try(append(append([]byte{}, file[:i]...), file[i-1:]...))
		}
	}
	if tried < 9*len(file) {
		t.Errorf("%d edits of %d bytes were tried", tried, len(file))
	}
}

// TestSignaturesOfOthers edits the parsed file: parts of one signature in another, and the same one
// twice.
func TestSignaturesOfOthers(t *testing.T) {
	file := signed(t, Certificate, "text", signed(t, Certificate, "text", nil, newKey(1)), newKey(2))
	bare := newKey(1).Public().(ed25519.PublicKey) // which is not in DER
	for name, edit := range map[string]func(*File){
		"key of another":        func(f *File) { f.Signatures[0].Key = f.Signatures[1].Key },
		"public key of another": func(f *File) { f.Signatures[0].PublicKey = f.Signatures[1].PublicKey },
		"signature of another":  func(f *File) { f.Signatures[0].Signature = f.Signatures[1].Signature },
		"both keys of another": func(f *File) {
			f.Signatures[0].Key, f.Signatures[0].PublicKey = f.Signatures[1].Key, f.Signatures[1].PublicKey
		},
		"twice":              func(f *File) { f.Signatures[1] = f.Signatures[0] },
		"none":               func(f *File) { f.Signatures = []Signature{} },
		"no list":            func(f *File) { f.Signatures = nil },
		"another format":     func(f *File) { f.Format = "dither-certificate" },
		"another version":    func(f *File) { f.Version = 2 },
		"a key of no kind":   func(f *File) { f.Signatures[0].PublicKey = base64.StdEncoding.EncodeToString(bare) },
		"an empty signature": func(f *File) { f.Signatures[0].Signature = "" },
		"a second form":      func(f *File) { f.Signatures[0].Signature = otherForm(t, f.Signatures[0].Signature) },
	} {
		var f File
		if err := json.Unmarshal(file, &f); err != nil {
			t.Fatal(err)
		}
		edit(&f)
		edited, err := encode(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Keys(Certificate, []byte("text"), edited); err == nil {
			t.Errorf("%s: the edit passes", name)
		}
	}
	if _, err := Keys(Certificate, []byte("text"), file); err != nil {
		t.Error(err)
	}
}

// otherForm returns a signature with the order of the group added to its second half, which is as good a solution of
// the equation of signatures. RFC 8032, section 5.1.7, refuses it.
func otherForm(t *testing.T, text string) string {
	raw, err := base64.StdEncoding.DecodeString(text)
	order, is := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	if err != nil || !is {
		t.Fatal(err)
	}
	slices.Reverse(raw[32:])
	order.Add(order, new(big.Int).SetBytes(raw[32:])).FillBytes(raw[32:])
	slices.Reverse(raw[32:])
	return base64.StdEncoding.EncodeToString(raw)
}

// These keys were made by openssl genpkey -algorithm ed25519, and openssl pkey -pubout.
const (
	privatePEM = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
`
	publicPEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
`
)

// written writes a file with a mode.
func written(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadKeys reads the key pair of RFC 8032, section 7.1, test 1, in the files that OpenSSL
// writes.
func TestReadKeys(t *testing.T) {
	private, err := ReadKey(written(t, "key.pem", privatePEM, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	public, err := ReadPublic(written(t, "pub.pem", publicPEM, 0o644))
	if err != nil || !public.Equal(private.Public()) {
		t.Errorf("got %x (%v), want the public half of the private key", public, err)
	}
}

// TestReadKeyRefuses gives files that are no private key, or not one that is kept.
func TestReadKeyRefuses(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(other)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	for _, c := range []struct {
		name, text, want string
		mode             os.FileMode
	}{
		{"others read", privatePEM, "chmod 600", 0o644},
		{"the group reads", privatePEM, "chmod 600", 0o640},
		{"others write", privatePEM, "chmod 600", 0o602},
		{"public", publicPEM, "is a public key", 0o644},
		{"encrypted", block("ENCRYPTED PRIVATE KEY"), "openssl pkey -in", 0o600},
		{"encrypted as of old", "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END EC PRIVATE KEY-----\n", "is encrypted", 0o600},
		{"OpenSSH", block("OPENSSH PRIVATE KEY"), "OpenSSH", 0o600},
		{"of another kind", block("PRIVATE KEY"), "a key of ECDSA", 0o600},
		{"of another form", block("EC PRIVATE KEY"), `"EC PRIVATE KEY"`, 0o600},
		{"garbled", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "can be read", 0o600},
		{"two keys", privatePEM + privatePEM, "several keys", 0o600},
		{"no PEM", "a key", "no PEM file", 0o600},
		{"empty", "", "no PEM file", 0o600},
		{"long", strings.Repeat("\n", mostKey) + privatePEM, "no PEM file", 0o600},
	} {
		if c.want == "chmod 600" && runtime.GOOS == "windows" {
			continue
		}
		_, err := ReadKey(written(t, "key.pem", c.text, c.mode))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "MC4CAQAw") {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	for name, path := range map[string]string{"no file": "none.pem", "folder": t.TempDir(), "no name": ""} {
		if _, err := ReadKey(path); err == nil {
			t.Errorf("%s: a key was read", name)
		}
	}
}

// TestReadPublicRefuses gives files that are no public Ed25519 key.
func TestReadPublicRefuses(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(other.Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"private", privatePEM, "-pubout"},
		{"of another kind", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), "a key of ECDSA"},
		{"a certificate", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), `"CERTIFICATE"`},
		{"garbled", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "can be read"},
	} {
		if _, err := ReadPublic(written(t, "pub.pem", c.text, 0o644)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// TestOpenSSL: another program reads the key, and agrees on the signature of Message.
func TestOpenSSL(t *testing.T) {
	program, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("there is no openssl here")
	}
	key, err := ReadKey(written(t, "key.pem", privatePEM, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	var f File
	if err = json.Unmarshal(signed(t, Certificate, "text", nil, key), &f); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(f.Signatures[0].Signature)
	if err != nil {
		t.Fatal(err)
	}
	public, message, signature := written(t, "pub.pem", publicPEM, 0o600), written(t, "message", string(Message(Certificate, []byte("text"))), 0o600), written(t, "signature", string(raw), 0o600)
	verify := func(signature string) error {
		return exec.Command(program, "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", message, "-sigfile", signature).Run()
	}
	raw[5] ^= 1
	wrong := written(t, "signature", string(raw), 0o600)
	if err = verify(signature); err != nil && verify(wrong) != nil {
		help, _ := exec.Command(program, "pkeyutl", "-help").CombinedOutput()
		if !strings.Contains(string(help), "-rawin") {
			t.Skip("this openssl verifies no Ed25519 signature")
		}
		t.Errorf("openssl refuses the signature: %v", err)
	} else if verify(wrong) == nil {
		t.Error("openssl takes an edited signature")
	}
}
