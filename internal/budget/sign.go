package budget

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
)

// Sign returns the signature over the SHA-256 of a checkpoint. The record of the run contains the
// public key that verifies the signature. The private key is never written, so it ends with the
// process.
func (p *Payment) Sign(digest []byte) []byte { return ed25519.Sign(p.key, signedText(digest)) }

// SignCertificate returns the signature over the text of a certificate, made with the same key as
// in Sign.
func (p *Payment) SignCertificate(text []byte) []byte {
	return ed25519.Sign(p.key, signedCertificate(text))
}

// HasKey reports whether the record contains a key of its run. Records of older programs contain none. An import
// contains a key only if a merger took it from a reservation.
func (r Release) HasKey() bool { return runKey(r.Run) != nil }

// Signed reports whether the run of the record signed the text of a certificate. signature is hexadecimal.
func (r Release) Signed(text []byte, signature string) bool {
	key, bytes := runKey(r.Run), make([]byte, ed25519.SignatureSize)
	if key == nil || len(signature) != 2*len(bytes) {
		return false
	}
	_, err := hex.Decode(bytes, []byte(signature))
	return err == nil && ed25519.Verify(key, signedCertificate(text), bytes)
}

// runKey returns the key in the name of a run, nil for none.
func runKey(run string) ed25519.PublicKey {
	key, err := hex.DecodeString(run)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil
	}
	return key
}

// signedText returns what is signed of a checkpoint. Its first line keeps the signatures of certificates apart.
func signedText(digest []byte) []byte {
	return append([]byte("dither checkpoint of a paid run 1\n"), digest...)
}

// signedCertificate returns what is signed of a certificate.
func signedCertificate(text []byte) []byte {
	digest := sha256.Sum256(text)
	return append([]byte("dither certificate of a paid run 1\n"), digest[:]...)
}
