// Package compressed decompresses files for package data: data.Source.Formats takes [Formats].
//
// The formats are zstd and xz. A text may refer back by at most 128 MiB, which is the default limit
// of the zstd tool, and twice what xz -9 needs. Checksums are verified. After the last
// stream only zeros in fours may follow in xz, and nothing in zstd. Reading takes a few times this
// memory at most, whatever a file claims. Package data bounds the ratio of the sizes.
package compressed

import (
	"bytes"
	"errors"
	"io"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

// maxWindow bounds how far a compressed text refers back, in bytes.
const maxWindow = 128 << 20

// Formats returns the compressions for data.Source.Formats.
func Formats() []columnar.Format {
	return []columnar.Format{
		compression{name: "a zstd file", magic: "\x28\xb5\x2f\xfd", open: openZstd, short: io.ErrUnexpectedEOF, large: []error{zstd.ErrWindowSizeExceeded, zstd.ErrDecoderSizeExceeded},
			remedy: "compress it without --long and --ultra"},
		compression{name: "an xz file", magic: "\xfd7zXZ\x00", open: openXZ, short: xz.ErrBuf, large: []error{xz.ErrMemlimit}, remedy: "compress it with xz -9 or less"},
	}
}

// compression is a compression of whole files. The reader that open returns has the errors of the
// library: short for a file that is cut off, and large for a window beyond the limit.
type compression struct {
	name, magic, remedy string
	open                func(r io.Reader) (io.Reader, error)
	short               error
	large               []error
}

var _ columnar.Compression = compression{}

// Name returns "a zstd file", say.
func (c compression) Name() string { return c.name }

// Knows reports whether a file begins as compressed files do.
func (c compression) Knows(head []byte) bool { return bytes.HasPrefix(head, []byte(c.magic)) }

// Unpack begins to decompress a file.
func (c compression) Unpack(r io.Reader) (text io.Reader, err error) {
	u := &unpacker{compression: c, source: source{r: r}}
	defer u.recovered(&err)
	u.text, err = c.open(&u.source)
	return u, u.failure(err)
}

func openZstd(r io.Reader) (io.Reader, error) {
	// One block at a time is decompressed, by the goroutine that reads.
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeBuffersBelow(0))
}

func openXZ(r io.Reader) (io.Reader, error) { return xz.NewReader(r, maxWindow) }

// unpacker is a compressed file that is being read.
type unpacker struct {
	compression
	source source
	text   io.Reader
}

// Read returns the next bytes of the text.
func (u *unpacker) Read(p []byte) (n int, err error) {
	defer u.recovered(&err)
	n, err = u.text.Read(p)
	return n, u.failure(err)
}

// source remembers how the reading of a file ended. Bytes never come together with the end, because
// the library for xz does not look at bytes after a stream that come so.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if s.err = err; n > 0 {
		return n, nil
	}
	return n, err
}

// failure returns the error of a Compression for an error of the library.
func (u *unpacker) failure(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case u.source.err != nil && u.source.err != io.EOF:
		return u.source.err
	case errors.Is(err, u.short) && u.source.err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	for _, large := range u.large {
		if errors.Is(err, large) {
			return &columnar.Problem{Problem: "the compressed file needs more than 128 MiB of memory to read", Want: "a smaller window", Remedy: u.remedy}
		}
	}
	return u.damaged()
}

func (u *unpacker) damaged() error {
	return &columnar.Problem{Problem: "the compressed file is damaged", Want: u.name + " that its own tool can read", Remedy: "copy it again"}
}

// recovered turns a panic of the library into an error.
func (u *unpacker) recovered(err *error) {
	if recover() != nil {
		*err = u.damaged()
	}
}
