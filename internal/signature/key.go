package signature

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/ditherml/dither/internal/display"
)

// mostKey bounds the file of a key, in bytes.
const mostKey = 64 << 10

// howToMake says how a key is made.
const howToMake = "openssl genpkey -algorithm ed25519 -out KEY.pem makes one"

// ReadKey returns the private key in a PEM file with PKCS #8, such as a file from `openssl genpkey
// -algorithm ed25519`. A file that others can read is an error. The path may be a pipe.
func ReadKey(path string) (ed25519.PrivateKey, error) {
	block, mode, err := readPEM(path)
	if err != nil {
		return nil, err
	}
	name := display.Quoted(path)
	switch {
	case block.Type == "PUBLIC KEY":
		return nil, fmt.Errorf("%s is a public key, want the private one, which signs", path)
	case mode.IsRegular() && mode.Perm()&0o077 != 0 && runtime.GOOS != "windows": // where modes say nothing
		return nil, fmt.Errorf("%s can be read or written by others (mode %04o), want a private key for you alone: chmod 600 %s", path, mode.Perm(), name)
	case block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
		return nil, fmt.Errorf("%s is encrypted, want it decrypted: write <(openssl pkey -in %s) in the place of its name, or keep it decrypted in a file that you alone can read", path, name)
	case block.Type == "OPENSSH PRIVATE KEY":
		return nil, fmt.Errorf("%s is a key of OpenSSH, want one in PKCS #8; %s", path, howToMake)
	case block.Type != "PRIVATE KEY":
		return nil, fmt.Errorf("%s holds %q, want a PRIVATE KEY of Ed25519; %s", path, display.Printable(block.Type), howToMake)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s is no private key that can be read, want one of Ed25519; %s", path, howToMake)
	}
	key, is := parsed.(ed25519.PrivateKey)
	if !is {
		return nil, fmt.Errorf("%s is %s, want a key of Ed25519; %s", path, kindOf(parsed), howToMake)
	}
	return key, nil
}

// ReadPublic returns the public key in a PEM file with SubjectPublicKeyInfo, such as a file from
// `openssl pkey -pubout`.
func ReadPublic(path string) (ed25519.PublicKey, error) {
	block, _, err := readPEM(path)
	if err != nil {
		return nil, err
	}
	howTo := fmt.Sprintf("openssl pkey -in %s -pubout -out PUB.pem makes it", display.Quoted(path))
	switch {
	case strings.Contains(block.Type, "PRIVATE KEY"):
		return nil, fmt.Errorf("%s is a private key, want the public one; %s; keep the private one to yourself", path, howTo)
	case block.Type != "PUBLIC KEY":
		return nil, fmt.Errorf("%s holds %q, want a PUBLIC KEY of Ed25519, as openssl pkey -pubout writes it", path, display.Printable(block.Type))
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s is no public key that can be read, want one of Ed25519, as openssl pkey -pubout writes it", path)
	}
	key, is := parsed.(ed25519.PublicKey)
	if !is {
		return nil, fmt.Errorf("%s is %s, want a key of Ed25519", path, kindOf(parsed))
	}
	if anyoneSigns(key) {
		return nil, fmt.Errorf("%s is a point of small order, under which anyone can sign, want a key that openssl made", path)
	}
	return key, nil
}

// kindOf names the type of another key, as "of *rsa.PublicKey".
func kindOf(key any) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", key), "*")
	name, _, _ = strings.Cut(name, ".")
	return "a key of " + strings.ToUpper(name)
}

// readPEM reads the one block of a file, and the mode of the file.
func readPEM(path string) (*pem.Block, fs.FileMode, error) {
	if path == "" {
		return nil, 0, errors.New("the name of the key is empty, want a PEM file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("%s cannot be read: %w; want a PEM file", path, display.Pathless(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, fmt.Errorf("%s cannot be read: %w; want a PEM file", path, display.Pathless(err))
	}
	text, err := io.ReadAll(io.LimitReader(file, mostKey+1))
	if err != nil {
		return nil, 0, fmt.Errorf("%s cannot be read: %w; want a PEM file", path, display.Pathless(err))
	}
	block, rest := pem.Decode(text)
	switch {
	case len(text) > mostKey || block == nil:
		return nil, 0, fmt.Errorf("%s is no PEM file, want one that begins with -----BEGIN; %s", path, howToMake)
	case bytes.Contains(rest, []byte("-----BEGIN")):
		return nil, 0, fmt.Errorf("%s holds several keys, want one", path)
	}
	return block, info.Mode(), nil
}

// Private is the value of a flag that names the file of a private key.
type Private struct {
	// Key is the private key. It is nil if the flag was not given.
	Key  ed25519.PrivateKey
	path string
}

// String returns the name of the file.
func (p *Private) String() string { return p.path }

// Type returns the word for the value in help texts.
func (p *Private) Type() string { return "KEY.pem" }

// Set reads the key from a file.
func (p *Private) Set(path string) (err error) {
	p.Key, err = ReadKey(path)
	p.path = path
	return err
}

// Public is the value of a flag that names files of public keys.
type Public struct {
	Keys  []ed25519.PublicKey
	Paths []string
}

// String returns the names of the files.
func (p *Public) String() string { return strings.Join(p.Paths, ",") }

// Type returns the word for the value in help texts.
func (p *Public) Type() string { return "PUB.pem" }

// Set reads one more key from a file.
func (p *Public) Set(path string) error {
	key, err := ReadPublic(path)
	if err == nil {
		p.Keys, p.Paths = append(p.Keys, key), append(p.Paths, path)
	}
	return err
}
