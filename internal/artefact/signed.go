package artefact

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/signature"
)

// SignatureName is the name of the signatures of the certificate inside a folder.
const SignatureName = "certificate" + signature.End

// mostSigned bounds a file that is signed alone, in bytes.
const mostSigned = 1 << 30

// SignWith makes Write add a signature of the certificate. A nil key signs nothing.
func (f *Folder) SignWith(key ed25519.PrivateKey) { f.key = key }

// Signed returns the files of a folder with a signature of their certificate, made with the key.
// Without a key or a certificate it returns the files unchanged.
func Signed(files map[string][]byte, key ed25519.PrivateKey) (map[string][]byte, error) {
	text := files[certificate.FileName]
	if key == nil || text == nil {
		return files, nil
	}
	signed, err := signature.Sign(signature.Certificate, text, nil, key)
	if err != nil {
		return files, err
	}
	files = maps.Clone(files)
	files[SignatureName] = signed
	return files, nil
}

// checkSignatures notes the keys that signed the certificate of a folder. A file of signatures that
// says anything else is a disagreement.
func (v *Verification) checkSignatures(folder string, text []byte) {
	path := filepath.Join(folder, SignatureName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return
	}
	v.Checked = append(slices.Clone(v.Checked), SignatureName+": each signature is over certificate.json, by the key that it names")
	v.takeSignatures(signature.Certificate, text, path)
}

// takeSignatures notes the keys of a file of signatures.
func (v *Verification) takeSignatures(kind signature.Kind, text []byte, path string) {
	signatures, err := readPlain(path, signature.MostBytes)
	if err == nil {
		v.SignedBy, err = signature.Keys(kind, text, signatures)
	}
	if err != nil {
		v.SignedBy = nil
		v.Add(fmt.Errorf("%s: %w", filepath.Base(path), err))
	}
}

// readPlain reads a plain file of at most most bytes.
func readPlain(path string, most int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, display.Pathless(err)
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("it is no plain file of at most %s", display.Size(most))
	}
	text, err := os.ReadFile(path)
	return text, display.Pathless(err)
}

// VerifySigned is Verify, and also requires a signature by each key. If there are keys, path may be
// a file that was signed on its own. Messages call the keys by these names.
func VerifySigned(path string, keys []ed25519.PublicKey, names []string) (Verification, error) {
	var v Verification
	var err error
	info, failed := os.Stat(path)
	if alone := failed == nil && info.Mode().IsRegular() && len(keys) > 0; alone {
		v, err = verifyAlone(path)
	} else {
		v, err = Verify(path)
	}
	if err != nil {
		return v, err
	}
	for i, key := range keys {
		id := signature.ID(key)
		if !slices.Contains(v.SignedBy, id) {
			v.Refuse(fmt.Sprintf("there is no valid signature by key %s (%s), want one; %s", id, display.Printable(names[i]), signers(v.SignedBy)))
			continue
		}
		v.Confirmed = append(v.Confirmed, id)
	}
	return v, nil
}

// signers says in words who signed.
func signers(keys []string) string {
	if len(keys) == 0 {
		return "there is none at all"
	}
	return fmt.Sprintf("there is one by key %s", strings.Join(keys, " and by key "))
}

// verifyAlone verifies the signatures of a file that is in no folder of results.
func verifyAlone(path string) (Verification, error) {
	text, err := readPlain(path, mostSigned)
	if err != nil {
		return Verification{}, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	v := Verification{Checked: []string{filepath.Base(path) + signature.End + ": each signature is over the bytes of the file, by the key that it names"}}
	v.takeSignatures(signature.Page, text, path+signature.End)
	v.Verified = len(v.Disagreements) == 0
	return v, nil
}

// WriteSigned writes the file at path with the function fill. Only the owner of the file can read
// it. WriteSigned also writes the signature to the path followed by ".sig". With a nil key there is no
// signature. With replace both files may replace older ones.
func WriteSigned(path string, replace bool, key ed25519.PrivateKey, fill func(io.Writer) error) error {
	beside := path + signature.End
	if key != nil {
		if err := durable.CheckWhole(beside, replace, 0o600); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	err := durable.WriteWhole(path, replace, 0o600, func(w io.Writer) error { return fill(io.MultiWriter(w, &text)) })
	if err != nil || key == nil {
		return err
	}
	signed, err := signature.Sign(signature.Page, text.Bytes(), nil, key)
	if err != nil {
		return err
	}
	return durable.WriteWhole(beside, replace, 0o600, func(w io.Writer) error {
		_, failed := w.Write(signed)
		return failed
	})
}

// Signature names a file that Sign signed, and the key.
type Signature struct {
	File string `json:"file"`
	Key  string `json:"key"`
}

// Text returns the signature as text for a terminal.
func (s Signature) Text() ([]byte, error) {
	return fmt.Appendf(nil, "signed    %s\nkey       %s\n", display.Printable(s.File), s.Key), nil
}

// mostWait bounds the wait for another process that signs.
const mostWait = 10 * time.Second

// hold waits until no other process holds a file or folder, and holds it until it is closed. Systems
// without locks do not wait.
func hold(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() { // opening a pipe waits
		err = errors.New("it is no plain file")
	}
	var held *os.File
	if err == nil {
		held, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w, want a folder that dither wrote, or a file; nothing was signed", path, display.Pathless(err))
	}
	for end := time.Now().Add(mostWait); ; time.Sleep(time.Millisecond) {
		if err = durable.Lock(held); !errors.Is(err, durable.ErrLocked) {
			return held, nil
		}
		if time.Now().After(end) {
			held.Close()
			return nil, failure.Running(fmt.Errorf("%s is in use by another process; nothing was signed", path))
		}
	}
}

// Sign adds a signature to a folder that verifies, or to a file that is signed on its own. Earlier
// signatures stay. It writes nothing if the key has signed before or if the files disagree.
// Processes that sign one folder take turns, so no signature is lost.
func Sign(path string, key ed25519.PrivateKey) (Signature, error) {
	held, err := hold(path)
	if err != nil {
		return Signature{}, err
	}
	defer held.Close()
	kind, place := signature.Page, path+signature.End
	var text []byte
	info, err := held.Stat()
	if err != nil {
		return Signature{}, fmt.Errorf("%s: %w; nothing was signed", path, display.Pathless(err))
	}
	if info.IsDir() {
		durable.RemoveFiles(path) // of a process that was killed while it signed
		v, failed := Verify(path)
		if failed != nil {
			return Signature{}, failed
		}
		if !v.Verified {
			return Signature{}, failure.Running(fmt.Errorf("%s: not verified: %s; nothing was signed", path, v.Disagreements[0]))
		}
		kind, place = signature.Certificate, filepath.Join(path, SignatureName)
		text, err = v.Certificate.Encode() // the bytes that were verified
	} else {
		text, err = readPlain(path, mostSigned)
	}
	if err != nil {
		return Signature{}, fmt.Errorf("%s cannot be read: %w; nothing was signed", path, err)
	}
	before, err := readPlain(place, signature.MostBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Signature{}, fmt.Errorf("%s cannot be read: %w; nothing was signed", place, err)
	}
	signed, err := signature.Sign(kind, text, before, key)
	if err != nil {
		return Signature{}, failure.Running(fmt.Errorf("%s: %w; nothing was signed", place, err))
	}
	if err = placeSignature(place, info.IsDir(), signed); err != nil {
		return Signature{}, failure.Running(fmt.Errorf("%s cannot be written: %w", place, display.Pathless(err)))
	}
	return Signature{place, signature.ID(key.Public().(ed25519.PublicKey))}, nil
}

// placeSignature writes a file of signatures. A folder with an unfinished file does not verify. So the unfinished file
// is in the folder above, if that can be written.
func placeSignature(place string, inFolder bool, signed []byte) error {
	if folder, err := filepath.Abs(filepath.Dir(place)); err == nil && inFolder {
		if durable.WriteFrom(filepath.Dir(folder), place, durable.Prefix, signed, 0o644) == nil {
			return nil // else the folder above is read-only or on another file system
		}
	}
	return durable.WriteFile(place, durable.Prefix, signed, 0o644)
}
