package parquet

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/s2"
)

// snappyTexts are texts that compress in every way: not at all, into long copies, and into copies of themselves.
func snappyTexts() [][]byte {
	r := rand.New(rand.NewPCG(3, 9))
	texts := [][]byte{nil, []byte("a"), bytes.Repeat([]byte("a"), 1000), bytes.Repeat([]byte("abc"), 70000), bytes.Repeat([]byte{0}, 1<<20)}
	for _, letters := range []int{2, 20, 256} {
		text := make([]byte, 300000)
		for i := range text {
			text[i] = byte(r.IntN(letters))
			if i > 100000 && i%1000 > 300 {
				text[i] = text[i-99000]
			}
		}
		texts = append(texts, text, text[:59], text[:60], text[:61], text[:257], text[:70000])
	}
	return texts
}

// TestSnappy reads back what another program's encoders write, and blocks by hand with each kind of element.
func TestSnappy(t *testing.T) {
	for _, text := range snappyTexts() {
		for name, block := range map[string][]byte{"fast": s2.EncodeSnappy(nil, text), "better": s2.EncodeSnappyBetter(nil, text), "best": s2.EncodeSnappyBest(nil, text)} {
			if got, ok := unsnap(block, len(text)); !ok || !bytes.Equal(got, text) {
				t.Errorf("%s, %d bytes: got %d bytes and %v, want the text", name, len(text), len(got), ok)
			}
			if _, ok := unsnap(block, len(text)+1); ok {
				t.Errorf("%s, %d bytes: got a page of another size", name, len(text))
			}
		}
	}
	for block, want := range map[string]string{
		"\x04\x0cabcd": "abcd", "\x04\xf0\x03abcd": "abcd", "\x04\xf4\x03\x00abcd": "abcd", "\x04\xf8\x03\x00\x00abcd": "abcd", "\x04\xfc\x03\x00\x00\x00abcd": "abcd",
		"\x08\x0cabcd\x01\x04": "abcdabcd", "\x08\x0cabcd\x0e\x03\x00": "abcdbcdb", "\x08\x0cabcd\x0f\x01\x00\x00\x00": "abcddddd",
	} {
		if got, ok := unsnap([]byte(block), len(want)); !ok || string(got) != want {
			t.Errorf("%x: got %q and %v, want %q", block, got, ok, want)
		}
	}
}

// TestSnappyDamage wants of blocks that are cut, or of which some bytes are changed, what another decoder says of them.
func TestSnappyDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	text := snappyTexts()[6][:2000]
	block, refused := s2.EncodeSnappy(nil, append(bytes.Repeat([]byte("abcdefg"), 100), text...)), 0
	for range 20000 {
		damaged := bytes.Clone(block[:len(block)-r.IntN(2)*r.IntN(len(block))])
		for range r.IntN(4) {
			damaged[r.IntN(len(damaged))] = byte(r.Uint32())
		}
		length, _ := binary.Uvarint(damaged)
		if length > 1<<20 {
			continue
		}
		got, ok := unsnap(damaged, int(length))
		want, err := s2.Decode(nil, damaged)
		// A copy from 0 back is an extension of s2, which snappy does not have.
		if !ok {
			refused++
		}
		if ok && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%x: got %d bytes, want %d and %v", damaged, len(got), len(want), err)
		}
	}
	if refused < 5000 || refused > 19000 {
		t.Errorf("%d of 20000 damaged blocks are refused, want some thousands and not all", refused)
	}
	for _, block := range []string{"", "\x80", "\xff\xff\xff\xff\x0f", "\x04", "\x04\x0cabc", "\x04\x0cabcde", "\x04\x10abcde", "\x01\xfc\xff\xff\xff\xffa",
		"\x08\x0cabcd\x01\x05", "\x08\x0cabcd\x01\x00", "\x08\x0cabcd\x01", "\x08\x0cabcd\x0e\x03", "\x08\x0cabcd\x0f\x01\x00\x00", "\x05\x0cabcd\x01\x04", "\x08\xf0", "\x08\xfc\x01"} {
		for _, size := range []int{0, 1, 4, 5, 8} {
			if got, ok := unsnap([]byte(block), size); ok {
				t.Errorf("%x as %d bytes: got %q, want a refusal", block, size, got)
			}
		}
	}
	bomb := append(binary.AppendUvarint(nil, 1<<20), 0, 'a')
	if n := testing.AllocsPerRun(5, func() { _, _ = unsnap(bomb, 1<<20) }); n > 0 {
		t.Errorf("2^20 bytes from two: got %v allocations, want none", n)
	}
}

// BenchmarkSnappy compares with the library's decoder, on numbers of few levels.
func BenchmarkSnappy(b *testing.B) {
	text := snappyTexts()[11]
	block := s2.EncodeSnappy(nil, text)
	b.Run("own", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			unsnap(block, len(text))
		}
	})
	b.Run("library", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			_, _ = s2.Decode(nil, block)
		}
	})
}
