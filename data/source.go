package data

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/witness"
)

const (
	// maxRatio is the largest ratio of the decompressed size of a file to its size.
	maxRatio = 1000
	// freeBytes is the decompressed size up to which the ratio is not checked.
	freeBytes = 1 << 20
	// defaultMaxBytes bounds the text of one file.
	defaultMaxBytes = 1 << 40
	// chunkBytes is the size of the buffers between the readers.
	chunkBytes = 64 << 10
)

// input is a file after decompression. It checks the context, the size and the ratio at every Read.
// Its errors are *FileError or the context's.
type input struct {
	ctx      context.Context
	file     string
	raw      *counter
	r        io.Reader
	packed   bool
	packing  string // "a gzip file", where packed
	read     int64
	maxBytes int64
	size     int64 // of the text in bytes, 0 when it is not known
	part     *witness.Part
}

// watch lets the witness of the context see the whole text. b holds what was read so far, nil for
// nothing.
func (in *input) watch(b *bufio.Reader) {
	if in.part = witness.From(in.ctx).Part(); in.part != nil && b != nil {
		begun, _ := b.Peek(b.Buffered()) // which never fails
		_, _ = in.part.Write(begun)      // nor does this
	}
}

// counter counts the bytes that are read from a file.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// openFile opens a file of records. The caller closes the os.File.
func openFile(ctx context.Context, path string, maxBytes int64, formats []columnar.Format) (*os.File, *input, error) {
	remedy := "name a file in " + format.Names()
	f, err := os.Stdin, error(nil)
	if path != format.StandardInput {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, nil, openError(path, err, remedy)
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		f.Close()
		return nil, nil, &FileError{File: path, Problem: "it is a directory", Want: "a file", Remedy: remedy}
	}
	in, err := newInput(ctx, path, f, maxBytes, formats)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	if info.Mode().IsRegular() && !in.packed {
		in.size = info.Size()
	}
	return f, in, nil
}

// newInput returns r, decompressed when it begins as gzip or a compression of formats does.
func newInput(ctx context.Context, file string, r io.Reader, maxBytes int64, formats []columnar.Format) (*input, error) {
	if maxBytes == 0 {
		maxBytes = defaultMaxBytes
	}
	raw := &counter{r: r}
	b := bufio.NewReaderSize(raw, chunkBytes)
	in := &input{ctx: ctx, file: file, raw: raw, r: b, maxBytes: maxBytes}
	unpack := in.compression(b, formats)
	if unpack == nil {
		return in, nil
	}
	z, err := unpack(b)
	if err != nil {
		return nil, in.failure(err)
	}
	in.packed, in.r = true, z
	return in, nil
}

// compression returns what decompresses a file, nil for a file that is not compressed. It notes the
// name of the compression.
func (in *input) compression(b *bufio.Reader, formats []columnar.Format) func(io.Reader) (io.Reader, error) {
	const longest = 6
	head, _ := b.Peek(longest) // a shorter file is not compressed
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		in.packing = "a gzip file"
		return func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	}
	for _, f := range formats {
		if c, ok := f.(columnar.Compression); ok && c.Knows(head) {
			in.packing = c.Name()
			return c.Unpack
		}
	}
	return nil
}

func (in *input) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := in.r.Read(p)
	in.read += int64(n)
	_, _ = in.part.Write(p[:n]) // never fails
	if err == io.EOF {
		in.part.End()
	}
	if err == nil || err == io.EOF {
		if limit := in.overLimit(); limit != nil {
			return n - int(max(0, min(int64(n), in.read-in.maxBytes))), limit
		}
		return n, err
	}
	return n, in.failure(err)
}

func (in *input) overLimit() error {
	e := &FileError{File: in.file, Remedy: "check where the file comes from"}
	switch {
	case in.read > in.maxBytes:
		e.Problem, e.Want = "the file is too large", fmt.Sprintf("at most %d bytes after decompression", in.maxBytes)
		e.Remedy = "split the file or raise the limit"
	case in.packed && in.read > freeBytes && in.read/maxRatio > in.raw.n:
		e.Problem, e.Want = fmt.Sprintf("the file decompresses to more than %d times its size", maxRatio), "a compressed table"
	default:
		return nil
	}
	return e
}

// failure returns in one line why the bytes of a file cannot be read.
func (in *input) failure(err error) error {
	if in.ctx.Err() != nil {
		return in.ctx.Err()
	}
	var complete *FileError
	if errors.As(err, &complete) {
		return complete
	}
	var corrupt flate.CorruptInputError
	e := &FileError{File: in.file, Problem: "the file cannot be read to its end", Want: "a whole file", Remedy: "copy it again", Err: err}
	var said *columnar.Problem
	_, name, _ := strings.Cut(in.packing, " ") // after its article
	switch whole := "a whole " + name; {
	case errors.As(err, &said):
		e.Problem, e.Want, e.Remedy = said.Problem, said.Want, said.Remedy
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		e.Problem, e.Want = "the compressed file is cut off", whole
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		e.Problem, e.Want = "the compressed file is damaged", whole
	}
	return e
}

// magics are the first bytes of files that are no text, with their names.
var magics = []struct{ magic, name string }{
	{"\x89PNG", "a PNG image"},
	{"\xff\xd8\xff", "a JPEG image"},
	{"PK\x03\x04", "a zip archive (a spreadsheet or an NPZ file)"},
	{"%PDF", "a PDF document"},
	{"PAR1", "a Parquet file"},
	{"ARROW1", "an Arrow file"},
	{"SQLite format 3", "an SQLite data base"},
	{"\xd0\xcf\x11\xe0", "an old office document"},
	{npyMagic, "an NPY file"},
	{"\x00\x00\x08", "an IDX file"},
	{"\x00\x00\x09", "an IDX file"},
	{"\x00\x00\x0b", "an IDX file"},
	{"\x00\x00\x0c", "an IDX file"},
	{"\x00\x00\x0d", "an IDX file"},
	{"\x00\x00\x0e", "an IDX file"},
	{"\x1f\x8b", "a gzip file inside a gzip file"},
	{"BZh", "a bzip2 file"},
	{"\xfd7zXZ", "an xz file"},
	{"(\xb5/\xfd", "a Zstandard file"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xfe\xff", "UTF-16 text"},
}

// notText returns the kind of a file that begins with head, or "" for a text.
func notText(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.name
		}
	}
	return ""
}
