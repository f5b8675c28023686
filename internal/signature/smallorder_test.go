package signature

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forged returns a message and a signature of it under a key, without the private key. It tries
// signatures with S = 0, which verify where R is the key times some number. For other keys than
// those of small order there is none: R is one of the points of small order.
func forged(key ed25519.PublicKey) (text string, signature []byte) {
	for i := range 12 {
		text = strings.Repeat("x", i)
		for _, r := range smallOrders {
			for _, sign := range []byte{0, 0x80} {
				signature, _ = hex.DecodeString(r)
				signature[31] |= sign
				signature = append(signature, make([]byte, 32)...)
				if ed25519.Verify(key, Message(Page, []byte(text)), signature) {
					return text, signature
				}
			}
		}
	}
	return "", nil
}

// TestKeysOfSmallOrder holds that keys are refused exactly where signatures can be forged without
// a private key, among the listed points, the points nearest to 0 and p, and other keys.
func TestKeysOfSmallOrder(t *testing.T) {
	var ys [][]byte
	for _, y := range smallOrders {
		listed, _ := hex.DecodeString(y)
		ys = append(ys, listed)
	}
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	points := ofOrderEight(p)
	for i := range int64(19) { // up to 2^255 - 1
		points = append(points, big.NewInt(i), new(big.Int).Sub(p, big.NewInt(i)), new(big.Int).Add(p, big.NewInt(i)))
	}
	for _, y := range points {
		bytes := make([]byte, 32)
		y.FillBytes(bytes)
		slices.Reverse(bytes)
		ys = append(ys, bytes)
	}
	for seed := range byte(8) {
		ys = append(ys, newKey(seed).Public().(ed25519.PublicKey))
	}
	refused := 0
	for _, y := range ys {
		for _, sign := range []byte{0, 0x80} {
			key := ed25519.PublicKey(slices.Clone(y))
			key[31] ^= sign
			text, signature := forged(key)
			if got, want := anyoneSigns(key), signature != nil; got != want {
				t.Errorf("key %x: small order %v, but forged %v", []byte(key), got, want)
			}
			if signature == nil {
				continue
			}
			refused++
			if keys, err := Keys(Page, []byte(text), fileOf(key, text, signature)); err == nil {
				t.Errorf("key %x: a forged signature was taken as one by %v", []byte(key), keys)
			}
			path := filepath.Join(t.TempDir(), "pub.pem")
			if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der(key)}), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadPublic(path); err == nil || !strings.Contains(err.Error(), "small order") {
				t.Errorf("key %x: error is %v, want that the point has a small order", []byte(key), err)
			}
		}
	}
	if want := 2 * 2 * len(smallOrders); refused < want-8 {
		t.Errorf("%d signatures were forged, want most of %d", refused, want)
	}
}

// ofOrderEight returns the y coordinates of the points whose double has y = 0. There the formula of
// doubling wants x² = -y², so that the equation of the curve is dy⁴ + 2y² = 1.
func ofOrderEight(p *big.Int) []*big.Int {
	mod := func(z *big.Int) *big.Int { return z.Mod(z, p) }
	d := mod(new(big.Int).Mul(big.NewInt(-121665), new(big.Int).ModInverse(big.NewInt(121666), p)))
	root := new(big.Int).ModSqrt(mod(new(big.Int).Add(d, big.NewInt(1))), p)
	var ys []*big.Int
	for _, r := range []*big.Int{root, new(big.Int).Neg(root)} {
		square := mod(new(big.Int).Mul(new(big.Int).Sub(r, big.NewInt(1)), new(big.Int).ModInverse(d, p)))
		if y := new(big.Int).ModSqrt(square, p); y != nil {
			ys = append(ys, y, new(big.Int).Sub(p, y))
		}
	}
	return ys
}

// fileOf returns a file with one signature.
func fileOf(key ed25519.PublicKey, text string, signature []byte) []byte {
	hash := sha256.Sum256([]byte(text))
	out, _ := encode(File{Format: format, Version: formatVersion, Signs: Page, SHA256: hex.EncodeToString(hash[:]),
		Signatures: []Signature{{ID(key), base64.StdEncoding.EncodeToString(der(key)), base64.StdEncoding.EncodeToString(signature)}}})
	return out
}
