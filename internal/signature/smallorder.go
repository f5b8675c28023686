package signature

import (
	"crypto/ed25519"
	"encoding/hex"
	"slices"
)

// smallOrders are the y coordinates of all points whose order divides 8, in the little-endian form
// of keys. Zero and one have a second form, which decoding accepts: RFC 8032, section 5.1.3, refuses
// it, and crypto/ed25519 does not.
var smallOrders = []string{
	"0000000000000000000000000000000000000000000000000000000000000000", // order 4
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", // the same: p
	"0100000000000000000000000000000000000000000000000000000000000000", // order 1
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", // the same: p + 1
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", // order 2
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", // order 8
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", // order 8
}

// anyoneSigns reports whether a public key is a point of small order. No private key has such a
// public key. Signatures under it, which anyone can make, are valid for one of eight messages or
// for all.
func anyoneSigns(key ed25519.PublicKey) bool {
	y := slices.Clone(key)
	y[len(y)-1] &= 0x7f // the sign of x
	return slices.Contains(smallOrders, hex.EncodeToString(y))
}
