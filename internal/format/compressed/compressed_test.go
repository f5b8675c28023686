package compressed_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/format/compressed"
)

// tableText is what the files of testdata hold.
func tableText() string {
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "%d,%d.%d,%s\n", i%97, i*i%1000, i%7, []string{"no", "yes"}[i*i%5%2])
	}
	return b.String()
}

const tableSchema = `dither-schema: 1
max-records: 100000000
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  a: {numeric: [0, 100]}
  b: {numeric: [0, 1000]}
`

func schema(tb testing.TB) *data.Schema {
	tb.Helper()
	s, err := data.ParseSchema("s.yaml", []byte(tableSchema))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// zstdText compresses a text.
func zstdText(tb testing.TB, text string, o ...zstd.EOption) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, o...)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// packed are the table of tableText under every compression. The xz files are of the xz tool, with two blocks and a
// check of SHA-256, and with two streams.
func packed(tb testing.TB) map[string][]byte {
	tb.Helper()
	files := map[string][]byte{"t.csv.zst": zstdText(tb, tableText())}
	half := strings.Index(tableText()[20000:], "\n") + 20001
	files["two.csv.zst"] = append(zstdText(tb, tableText()[:half]), zstdText(tb, tableText()[half:])...)
	for _, name := range []string{"blocks.csv.xz", "streams.csv.xz"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			tb.Fatal(err)
		}
		files[name] = text
	}
	return files
}

func write(tb testing.TB, name string, text []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func read(tb testing.TB, name string, text []byte) (*data.Dataset, error) {
	tb.Helper()
	return data.Read(context.Background(), schema(tb), data.Source{Path: write(tb, name, text), Formats: compressed.Formats()}, data.ReadOptions{})
}

// TestCompressedTables wants the records of the plain text.
func TestCompressedTables(t *testing.T) {
	want, err := read(t, "t.csv", []byte(tableText()))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range packed(t) {
		got, err := read(t, name, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range want.Records() {
			if fmt.Sprint(got.Row(nil, i), got.Target()[i]) != fmt.Sprint(want.Row(nil, i), want.Target()[i]) {
				t.Fatalf("%s: row %d differs", name, i)
			}
		}
		if got.Records() != want.Records() || !format.Opaque(text) || format.Unpacked("T.CSV"+filepath.Ext(name)) != "t.csv" {
			t.Errorf("%s: got %d records, want %d, and a compression that the registry names", name, got.Records(), want.Records())
		}
	}
	if have := len(compressed.Formats()) + 1; have != len(format.Compressions()) {
		t.Errorf("%d compressions are read, want the %d of the registry", have, len(format.Compressions()))
	}
}

// TestCompressedFaults wants cut, damaged and excessive files refused in words.
func TestCompressedFaults(t *testing.T) {
	files := packed(t)
	cut := func(name string, n int) []byte { return files[name][:len(files[name])-n] }
	flipped := func(name string, at int) []byte {
		text := bytes.Clone(files[name])
		text[at] ^= 0x40
		return text
	}
	header := []byte{0xfd, '7', 'z', 'X', 'Z', 0, 0, 1, 0x69, 0x22, 0xde, 0x36}
	for _, c := range []struct {
		name, want string
		text       []byte
	}{
		{"cut.zst", "the compressed file is cut off, want a whole zstd file", cut("t.csv.zst", 3)},
		{"cut.xz", "the compressed file is cut off, want a whole xz file", cut("blocks.csv.xz", 30)},
		{"half.xz", "the compressed file is cut off, want a whole xz file", cut("blocks.csv.xz", len(files["blocks.csv.xz"])/2)},
		{"flipped.zst", "the compressed file is damaged, want a zstd file", flipped("t.csv.zst", len(files["t.csv.zst"])-2)},
		{"flipped.xz", "the compressed file is damaged, want an xz file", flipped("blocks.csv.xz", 60)},
		{"header.xz", "the compressed file is cut off", header[:12]},
		{"window.zst", "more than 128 MiB of memory", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x98, 0, 0, 0, 0}},
		{"bomb.zst", "more than 1000 times its size", zstdText(t, "a,b,y\n"+strings.Repeat("\n", 4<<20))},
		{"bomb.xz", "more than 1000 times its size", decoded(t, bombXZ)},
		{"dictionary.xz", "more than 128 MiB of memory", decoded(t, dictionaryXZ)},
		{"twice.zst", "it is a Zstandard file", zstdText(t, string(files["t.csv.zst"]))},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(t, c.name, c.text)
		runtime.ReadMemStats(&after)
		var e *data.FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || e.Remedy == "" {
			t.Errorf("%s: got %v, want %q and a remedy", c.name, err, c.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 160<<20 {
			t.Errorf("%s: %d bytes were allocated for a file of %d", c.name, used, len(c.text))
		}
	}
}

// failing fails after some bytes.
type failing struct {
	text []byte
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if len(f.text) == 0 {
		return 0, f.err
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

// TestSourceFailure wants the error of a file that cannot be read passed on.
func TestSourceFailure(t *testing.T) {
	broken := errors.New("broken")
	for name, text := range packed(t) {
		for _, f := range compressed.Formats() {
			c := f.(columnar.Compression)
			if !c.Knows(text) {
				continue
			}
			r, err := c.Unpack(&failing{text[:len(text)/2], broken})
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			if !errors.Is(err, broken) {
				t.Errorf("%s: got %v, want the error of the file", name, err)
			}
		}
	}
}

func decoded(tb testing.TB, text string) []byte {
	tb.Helper()
	out, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// FuzzUnpack wants an error of the declared forms or a text, from any bytes.
func FuzzUnpack(f *testing.F) {
	small := zstdText(f, "a,b,y\n1,2,no\n")
	f.Add(small)
	f.Add(decoded(f, dictionaryXZ))
	f.Add(decoded(f, bombXZ))
	for i := range small {
		f.Add(small[:i])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, known := range compressed.Formats() {
			c := known.(columnar.Compression)
			if !c.Knows(text) {
				continue
			}
			r, err := c.Unpack(bytes.NewReader(text))
			if err == nil {
				_, err = io.Copy(io.Discard, io.LimitReader(r, 1<<22))
			}
			var said *columnar.Problem
			if err != nil && err != io.ErrUnexpectedEOF && !errors.As(err, &said) {
				t.Errorf("got %v, want io.ErrUnexpectedEOF or a *Problem", err)
			}
		}
	})
}

// endTogether returns its last bytes together with the end of the file, as readers may.
type endTogether struct{ text []byte }

func (e *endTogether) Read(p []byte) (int, error) {
	n := copy(p, e.text)
	if e.text = e.text[n:]; len(e.text) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// TestAfterTheEnd wants nothing after an xz stream but another stream or zeros in fours, whether or not the last bytes come
// with the end of the file. After a zstd frame it wants another frame.
func TestAfterTheEnd(t *testing.T) {
	files := packed(t)
	for _, c := range []struct {
		name, after string
		good        bool
	}{
		{"blocks.csv.xz", "", true}, {"blocks.csv.xz", "\x00\x00\x00\x00", true}, {"blocks.csv.xz", string(files["blocks.csv.xz"]), true},
		{"blocks.csv.xz", "\x00\x00\x00\x00" + string(files["blocks.csv.xz"]), true},
		{"blocks.csv.xz", "\x00", false}, {"blocks.csv.xz", "\x00\x00\x00", false}, {"blocks.csv.xz", "\x01\x00\x00\x00", false}, {"blocks.csv.xz", "\x00\x00\x00\x01", false},
		{"blocks.csv.xz", "more words than a header has", false}, {"blocks.csv.xz", "\x00\x00\x00\x00more words than a header has", false}, {"blocks.csv.xz", string(files["blocks.csv.xz"][:40]), false},
		{"t.csv.zst", "", true}, {"t.csv.zst", string(files["t.csv.zst"]), true}, {"t.csv.zst", "more", false}, {"t.csv.zst", string(files["t.csv.zst"][:40]), false}, {"t.csv.zst", "\x00", false},
	} {
		text := append(bytes.Clone(files[c.name]), c.after...)
		want := len(tableText())
		if strings.Contains(c.after, string(files[c.name])) {
			want *= 2
		}
		for _, r := range []io.Reader{bytes.NewReader(text), &endTogether{text}} {
			for _, known := range compressed.Formats() {
				if !known.Knows(text) {
					continue
				}
				plain, err := known.(columnar.Compression).Unpack(r)
				n := int64(0)
				if err == nil {
					n, err = io.Copy(io.Discard, plain)
				}
				if (err == nil) != c.good || c.good && n != int64(want) {
					t.Errorf("%s and %q, %T: got %d bytes and %v, want %d and an end %v", c.name, c.after[:min(len(c.after), 8)], r, n, err, want, c.good)
				}
			}
		}
	}
}
