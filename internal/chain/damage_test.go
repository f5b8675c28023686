package chain

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// image is a ledger in memory.
type image []byte

func (b image) ReadAt(dst []byte, at int64) (int, error) { return copy(dst, b[at:]), nil }

func (image) WriteAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }
func (image) Close() error                       { return nil }
func (image) Truncate(int64) error               { return errors.ErrUnsupported }
func (image) Sync() error                        { return errors.ErrUnsupported }
func (image) tryLock() error                     { return nil }
func (image) unlock() error                      { return nil }

// imageOf returns a ledger of n records, and the position before each and after the last. Some records take
// two blocks. The older head is one record behind.
func imageOf(n int) (image, []position) {
	var records []byte
	passed := []position{start}
	for i := range n {
		text := fmt.Sprintf(`{"record": %d}`, i)
		if i%10 == 7 {
			text += string(bytes.Repeat([]byte{'x'}, blockSize))
		}
		var end position
		records, end = appended(records, passed[i], []byte(text))
		passed = append(passed, end)
	}
	b := make([]byte, recordsBegin, recordsBegin+len(records))
	copy(b, encodeHead(passed[n]))
	copy(b[blockSize:], encodeHead(passed[n-1]))
	return append(b, records...), passed
}

// judge returns whether damage is found. Damage that is not found must leave all records and nothing else.
func judge(t *testing.T, b image, want position, what string) (found bool) {
	s, err := scanFile(b, int64(len(b)), start)
	if err == nil && s.end() != want {
		t.Fatalf("%s: got %d records without an error, want %d or an error", what, s.end().records, want.records)
	}
	return err != nil
}

// TestEveryDamageIsFoundOrHarmless tries truncations, flips, swaps, copies and drops on 50 records.
func TestEveryDamageIsFoundOrHarmless(t *testing.T) {
	if thorough {
		t.Parallel()
	}
	b, passed := imageOf(50)
	want := passed[50]
	if judge(t, b, want, "nothing") {
		t.Fatal("an intact ledger is refused")
	}
	random := rand.New(rand.NewPCG(3, 4))
	tried, harmless := 0, 0
	try := func(changed image, what string, values ...any) {
		tried++
		if !judge(t, changed, want, fmt.Sprintf(what, values...)) {
			harmless++
		}
	}
	for n := range len(b) {
		if thorough || n%blockSize < 3 || random.IntN(500) == 0 {
			try(b[:n], "cut off after %d bytes", n)
		}
	}
	for bit := range 8 * len(b) {
		used := bit / 8 % blockSize
		if thorough && (used < 100 || bit%8 == 0) || random.IntN(2000) == 0 || used < 100 && random.IntN(40) == 0 {
			b[bit/8] ^= 1 << (bit % 8)
			try(b, "bit %d of byte %d flipped", bit%8, bit/8)
			b[bit/8] ^= 1 << (bit % 8)
		}
	}
	record := func(i int) []byte { return b[passed[i].at:passed[i+1].at] }
	for i := range 50 {
		try(slices.Concat(b[:passed[i].at], b[passed[i+1].at:]), "record %d dropped", i)
		try(slices.Concat(b, record(i)), "record %d again at the end", i)
		for j := range 50 {
			if !thorough && (i+j)%7 > 0 && i+1 != j {
				continue
			}
			try(slices.Concat(b[:passed[j].at], record(i), b[passed[j].at:]), "record %d again before %d", i, j)
			try(slices.Concat(b[:passed[j].at], record(i), b[passed[j+1].at:]), "record %d in place of %d", i, j)
			if i < j {
				try(slices.Concat(b[:passed[i].at], record(j), b[passed[i+1].at:passed[j].at], record(i), b[passed[j+1].at:]), "records %d and %d swapped", i, j)
				try(slices.Concat(b[:passed[i].at], b[passed[j].at:]), "records %d to %d dropped", i, j-1)
			}
		}
	}
	t.Logf("%d changes, %d harmless, the others found", tried, harmless)
}

// TestHeadsDecide holds what is made of heads that disagree with the records.
func TestHeadsDecide(t *testing.T) {
	b, passed := imageOf(5)
	edit := func(do func(b image) image) image { return do(slices.Clone(b)) }
	head := func(b image, i int, p position) { copy(b[i*blockSize:], encodeHead(p)) }
	torn := bytes.Repeat([]byte{'t'}, 300)
	// forged returns the ledger with a last record that is intact but not what a writer makes.
	forged := func(seq uint64, text string) image {
		p := passed[4]
		r := Record{Seq: seq, Payload: []byte(text)}
		r.Hash = Link(p.hash, r.Seq, r.Time, r.Payload)
		one := encodeRecord(r)
		edited := append(slices.Clone(b[:p.at]), one...)
		head(edited, 0, position{5, p.at + int64(len(one)), r.Hash})
		return edited
	}
	for _, c := range []struct {
		name    string
		b       image
		records int // 0 for an error
		newest  int
	}{
		{"whole", b, 5, 0},
		{"newest head in the second place", edit(func(b image) image { head(b, 0, passed[4]); head(b, 1, passed[5]); return b }), 5, 1},
		{"one head behind", edit(func(b image) image { head(b, 0, passed[3]); return b }), 5, 1},
		{"both heads behind", edit(func(b image) image { head(b, 0, passed[2]); head(b, 1, passed[2]); return b }), 5, 0},
		{"newest head torn, its record whole", edit(func(b image) image { b[3] ^= 1; return b }), 5, 1},
		{"older head torn", edit(func(b image) image { b[blockSize+3] ^= 1; return b }), 0, 0},
		{"newest head torn, its record cut off", edit(func(b image) image { b[3] ^= 1; return b[:passed[4].at] }), 0, 0},
		{"newest head torn, its record damaged", edit(func(b image) image { b[3] ^= 1; b[passed[4].at+70] ^= 1; return b }), 0, 0},
		{"both heads torn", edit(func(b image) image { b[3] ^= 1; b[blockSize+3] ^= 1; return b }), 0, 0},
		{"a tail", append(slices.Clone(b), torn...), 5, 0},
		{"a tail of whole blocks", append(slices.Clone(b), make([]byte, 2*blockSize)...), 5, 0},
		{"a tail that is too long", append(slices.Clone(b), make([]byte, maxRecord+1)...), 0, 0},
		{"last record cut off", b[:passed[4].at], 0, 0},
		{"last record cut off in the middle", b[:passed[4].at+100], 0, 0},
		{"last record cut off, never acknowledged", edit(func(b image) image { head(b, 0, passed[4]); return b[:passed[4].at+100] }), 4, 0},
		{"last record damaged", edit(func(b image) image { b[passed[4].at+70] ^= 1; return b }), 0, 0},
		{"last record cut off, newest head in the second place", edit(func(b image) image { head(b, 0, passed[4]); head(b, 1, passed[5]); return b[:passed[4].at] }), 0, 0},
		{"record edited, with a new checksum", edit(func(b image) image {
			one := b[passed[2].at:][:recordHeader+13]
			one[recordHeader] ^= 1
			binary.LittleEndian.PutUint32(one[12:], checksum(one))
			return b
		}), 0, 0},
		{"record with another number", forged(7, "text"), 0, 0},
		{"record without a payload", forged(4, ""), 0, 0},
		{"record with a payload that is too long", forged(4, string(make([]byte, MaxPayload+1))), 0, 0},
		{"head with another hash", edit(func(b image) image { p := passed[5]; p.hash[0] ^= 1; head(b, 0, p); return b }), 0, 0},
		{"head with another place", edit(func(b image) image { p := passed[5]; p.at += blockSize; head(b, 0, p); return b }), 0, 0},
		{"older head with another hash", edit(func(b image) image { p := passed[4]; p.hash[0] ^= 1; head(b, 1, p); return b }), 0, 0},
		{"head beyond the records", edit(func(b image) image { p := passed[5]; p.records = 9; head(b, 1, p); return b }), 0, 0},
	} {
		s, err := scanFile(c.b, int64(len(c.b)), start)
		switch {
		case c.records == 0 && !errors.Is(err, ErrDamaged):
			t.Errorf("%s: got error %v and %d records, want damage", c.name, err, s.end().records)
		case c.records > 0 && (err != nil || s.end() != passed[c.records] || s.newest != c.newest):
			t.Errorf("%s: got error %v and %d records, want %d", c.name, err, s.end().records, c.records)
		}
	}
}

// FuzzScan holds that no bytes break the reader, and that what it accepts is what the writer would write.
func FuzzScan(f *testing.F) {
	b, _ := imageOf(3)
	f.Add([]byte(b))
	f.Add([]byte(b[:len(b)-100]))
	f.Add([]byte(b[:recordsBegin+blockSize]))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := scanFile(image(b), int64(len(b)), start)
		if err != nil && len(s.passed) == 0 {
			return
		}
		again, at := []byte(nil), start
		for _, r := range s.records {
			if r.Seq != at.records || r.Hash != Link(at.hash, r.Seq, r.Time, r.Payload) {
				t.Fatalf("record %d does not follow the one before it", r.Seq)
			}
			one := encodeRecord(r)
			again, at = append(again, one...), position{at.records + 1, at.at + int64(len(one)), r.Hash}
		}
		if !bytes.Equal(again, s.raw) || at != s.end() || err == nil && (s.head.records > at.records || s.tail != len(b)-int(at.at)) {
			t.Fatalf("the records that were read are not those that were written: %v", err)
		}
	})
}

// FuzzRecord is FuzzScan for one record with a checksum that fits: it reaches what a checksum hides.
func FuzzRecord(f *testing.F) {
	b, passed := imageOf(9)
	f.Add([]byte(b[passed[0].at:passed[1].at]))
	f.Add([]byte(b[passed[7].at:passed[8].at]))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= recordHeader {
			n := min(int(uint32(b[8])|uint32(b[9])<<8|uint32(b[10])<<16|uint32(b[11])<<24), len(b)-recordHeader)
			sum := checksum(b[:recordHeader+n])
			b = slices.Clone(b)
			b[12], b[13], b[14], b[15] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
		}
		r, size, problem := decodeRecord(b)
		if problem == "" && !bytes.Equal(encodeRecord(r), b[:size]) {
			t.Fatal("a record was accepted that nobody would write")
		}
	})
}
