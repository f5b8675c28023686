// Package signature signs files with Ed25519 keys, and checks signatures. A signature stands in a
// file of its own. It proves that a holder of the key signed these bytes, and neither when nor why.
package signature

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ditherml/dither/internal/strict"
)

// Kind is the kind of a signed file. A signature for a file of one kind is invalid for a file of
// another kind.
type Kind string

// Kinds.
const (
	Certificate Kind = "certificate" // the certificate of a folder
	Page        Kind = "file"        // a page or an archive that stands alone
)

// End is the end of the name of a file of signatures.
const End = ".sig"

const (
	format        = "dither-signature"
	formatVersion = 1
	// mostSignatures bounds the signatures of one file, and MostBytes the size of the file.
	mostSignatures = 64
)

// MostBytes is the largest size of a file of signatures.
const MostBytes = 64 << 10

// File is the content of a file of signatures.
type File struct {
	Format  string `json:"format"`
	Version int    `json:"format-version"`
	Signs   Kind   `json:"signs"`
	// SHA256 is the hash of the signed file.
	SHA256     string      `json:"sha256"`
	Signatures []Signature `json:"signatures"`
}

// Signature is the signature of one key over the Message of a kind and a text.
type Signature struct {
	// Key is the identifier of PublicKey: the SHA-256 of its DER form.
	Key string `json:"key"`
	// PublicKey is a SubjectPublicKeyInfo in DER and base64, as in a PEM file.
	PublicKey string `json:"public-key"`
	// Signature is the signature of 64 bytes, in base64.
	Signature string `json:"signature"`
}

// ErrSigned is the error of Sign for a key that has already signed the text.
var ErrSigned = errors.New("the key has signed these bytes already")

// Message returns the bytes that are signed for a text: a prefix, a zero byte and the SHA-256 of
// the text. The prefix is "dither certificate v1", or "dither file v1" for pages.
func Message(kind Kind, text []byte) []byte {
	hash := sha256.Sum256(text)
	return append([]byte("dither "+string(kind)+" v1\x00"), hash[:]...)
}

// ID returns the identifier of a key: the SHA-256 of its DER form, in hexadecimal digits.
func ID(key ed25519.PublicKey) string {
	hash := sha256.Sum256(der(key))
	return hex.EncodeToString(hash[:])
}

// der returns a public key as SubjectPublicKeyInfo.
func der(key ed25519.PublicKey) []byte {
	out, _ := x509.MarshalPKIXPublicKey(key) // which fails for no Ed25519 key
	return out
}

// Sign returns the file of signatures of a text after one more signature by the key. The argument
// before is the present file of signatures, or nil if nobody has signed the text. The error is
// ErrSigned if the key has already signed the text.
func Sign(kind Kind, text, before []byte, key ed25519.PrivateKey) ([]byte, error) {
	if err := Check(key); err != nil {
		return nil, err
	}
	hash := sha256.Sum256(text)
	f := File{Format: format, Version: formatVersion, Signs: kind, SHA256: hex.EncodeToString(hash[:])}
	if before != nil {
		var err error
		if f, err = read(kind, text, before); err != nil {
			return nil, err
		}
	}
	public := key.Public().(ed25519.PublicKey)
	one := Signature{ID(public), base64.StdEncoding.EncodeToString(der(public)), base64.StdEncoding.EncodeToString(ed25519.Sign(key, Message(kind, text)))}
	switch {
	case slices.ContainsFunc(f.Signatures, func(s Signature) bool { return s.Key == one.Key }):
		return nil, ErrSigned
	case len(f.Signatures) >= mostSignatures:
		return nil, fmt.Errorf("there are %d signatures, want at most %d", len(f.Signatures), mostSignatures)
	}
	f.Signatures = append(f.Signatures, one)
	return encode(f)
}

// Check returns an error for an invalid Ed25519 key. Its public half must belong to its private
// half, because otherwise a signature would reveal the private key.
func Check(key ed25519.PrivateKey) error {
	if len(key) != ed25519.PrivateKeySize || !ed25519.NewKeyFromSeed(key.Seed()).Equal(key) {
		return errors.New("the key is no private Ed25519 key, want one of 64 bytes, as crypto/ed25519 makes it")
	}
	return nil
}

func encode(f File) ([]byte, error) {
	out, err := json.MarshalIndent(f, "", " ")
	return append(out, '\n'), err
}

// Keys returns the identifiers of the keys that signed a text. It verifies each signature first. It
// returns an error if the file has other content than valid signatures of the text.
func Keys(kind Kind, text, signatures []byte) ([]string, error) {
	f, err := read(kind, text, signatures)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, s := range f.Signatures {
		keys = append(keys, s.Key)
	}
	return keys, nil
}

// read reads a file of signatures and verifies each.
func read(kind Kind, text, signatures []byte) (File, error) {
	var f File
	if err := strict.Decode(signatures, &f); err != nil {
		return f, fmt.Errorf("it is no file of signatures: %w", err)
	}
	hash := sha256.Sum256(text)
	again, err := encode(f)
	switch {
	case f.Format != format || f.Version != formatVersion:
		return f, fmt.Errorf("its format is %.40q version %d, want %q version %d", f.Format, f.Version, format, formatVersion)
	case err != nil || !bytes.Equal(again, signatures):
		return f, errors.New("it is not spelled as dither writes it, want each field once, in order, and its white space")
	case f.Signs != kind:
		return f, fmt.Errorf("it signs a %.40q, want a %q", f.Signs, kind)
	case f.SHA256 != hex.EncodeToString(hash[:]):
		return f, fmt.Errorf("the signed file has changed since: its SHA-256 is %x, and %.64q was signed", hash, f.SHA256)
	case len(f.Signatures) == 0 || len(f.Signatures) > mostSignatures:
		return f, fmt.Errorf("it has %d signatures, want 1 to %d", len(f.Signatures), mostSignatures)
	}
	met := map[string]bool{}
	for _, s := range f.Signatures {
		if err := s.verify(Message(kind, text)); err != nil {
			return f, err
		}
		if met[s.Key] {
			return f, fmt.Errorf("key %s signs twice, want each key once", s.Key)
		}
		met[s.Key] = true
	}
	return f, nil
}

// verify checks one signature.
func (s Signature) verify(message []byte) error {
	bytes, err := base64.StdEncoding.Strict().DecodeString(s.PublicKey)
	if err != nil {
		return errors.New("a public key is no base64, want the key of a PEM file")
	}
	parsed, err := x509.ParsePKIXPublicKey(bytes)
	key, is := parsed.(ed25519.PublicKey)
	if err != nil || !is || !slices.Equal(der(key), bytes) {
		return errors.New("a public key is no Ed25519 key, want the key of a PEM file")
	}
	if anyoneSigns(key) {
		return fmt.Errorf("public key %s is a point of small order, under which anyone can sign, want a key that openssl made", ID(key))
	}
	if s.Key != ID(key) {
		return fmt.Errorf("key %.64q is named, and the public key is %s, want the same", s.Key, ID(key))
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(s.Signature)
	if err != nil || !ed25519.Verify(key, message, raw) {
		return fmt.Errorf("the signature of key %s is not over these bytes, want that of the file as it was signed", s.Key)
	}
	return nil
}
