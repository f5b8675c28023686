package data

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// mailbox exchanges messages between processes that are goroutines.
type mailbox struct {
	size    int
	mu      sync.Mutex
	arrived *sync.Cond
	sent    [][][]byte
	given   int
}

func newMailbox(size int) *mailbox {
	m := &mailbox{size: size, sent: make([][][]byte, size)}
	m.arrived = sync.NewCond(&m.mu)
	return m
}

func (m *mailbox) of(rank int) func(context.Context, [][]byte) ([][]byte, error) {
	return func(_ context.Context, messages [][]byte) ([][]byte, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sent[rank] = messages
		m.given++
		m.arrived.Broadcast()
		for m.given < m.size {
			m.arrived.Wait()
		}
		var own [][]byte
		for _, from := range m.sent {
			own = append(own, from[rank])
		}
		return own, nil
	}
}

// shareTable writes a table of visits in one file, or in parts, and returns its path.
func shareTable(t *testing.T, parts int, note bool) string {
	t.Helper()
	r := rand.New(rand.NewPCG(26, uint64(parts)))
	folder, header := t.TempDir(), "who,number,size,color,sick"
	if note {
		header += ",note"
	}
	number := 0
	for k := range parts {
		var text strings.Builder
		fmt.Fprintln(&text, header)
		for range 3000 / parts {
			who := fmt.Sprint("p", r.IntN(400))
			if r.IntN(20) == 0 {
				who = ""
			}
			fmt.Fprintf(&text, "%s,%d,%.3f,%s,%d", who, number, 2*r.Float64(), []string{"red", "green", ""}[r.IntN(3)], r.IntN(3))
			if note {
				fmt.Fprintf(&text, ",word%d word%d", r.IntN(50), r.IntN(50))
			}
			fmt.Fprintln(&text)
			number++
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%02d.csv", k)), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if parts == 1 {
		return filepath.Join(folder, "part-00.csv")
	}
	return filepath.Join(folder, "part-*.csv")
}

// rowText is all that a data set has of a row, with the text of its person.
func rowText(t *testing.T, d *Dataset, i int) string {
	t.Helper()
	codes, texts, err := d.Group("who")
	if err != nil {
		t.Fatal(err)
	}
	who := "nobody"
	if codes[i] >= 0 {
		who = texts[codes[i]]
	}
	text := []byte(who + "[")
	for _, v := range append(d.Row(nil, i), d.Target()[i]) {
		text = strconv.AppendUint(append(text, ' '), math.Float64bits(float64(v)), 16)
	}
	return string(text)
}

func shareSchema(t *testing.T, note bool) *Schema {
	t.Helper()
	text := `
dither-schema: 1
row: one visit
max-records: 5000
target: {column: sick, levels: ["0", "1"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  who: ignore
  number: {numeric: [0, 5000]}
  size: {numeric: [0, 2]}
  color: {levels: [red, green]}
`
	if note {
		text += "  note: {text: {buckets: 256}}\n"
	}
	s, err := ParseSchema("visits.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSharesAreTheTable wants each row of a table at one process: with the same cells and text, in the
// order of the table, and with persons all rows of a person at one process. A row with an invalid
// target, a third of the table, is at none.
func TestSharesAreTheTable(t *testing.T) {
	for _, note := range []bool{false, true} {
		s := shareSchema(t, note)
		for _, parts := range []int{1, 3, 12} {
			src, o := Source{Path: shareTable(t, parts, note)}, ReadOptions{Extra: []string{"who"}}
			whole, err := Read(context.Background(), s, src, o)
			if err != nil {
				t.Fatal(err)
			}
			places := map[string]int{}
			for i := range whole.Records() {
				places[rowText(t, whole, i)] = i
			}
			for _, size := range []int{1, 2, 5} {
				for _, person := range []string{"", "who"} {
					shares, errs := make([]*Dataset, size), make([]error, size)
					box, all := newMailbox(size), sync.WaitGroup{}
					for rank := range size {
						all.Go(func() {
							one := src
							one.Rank, one.Ranks, one.Person, one.PersonKey, one.Exchange = rank, size, person, []byte("key"), box.of(rank)
							shares[rank], errs[rank] = Read(context.Background(), s, one, o)
						})
					}
					all.Wait()
					place, home, rows := maps.Clone(places), map[string]int{}, 0
					for rank, d := range shares {
						if errs[rank] != nil {
							t.Fatalf("%d parts, process %d of %d: %v", parts, rank, size, errs[rank])
						}
						last := -1
						for i := range d.Records() {
							text := rowText(t, d, i)
							at, there := place[text]
							if !there || at <= last {
								t.Fatalf("%d parts, %d processes, persons %q: row %d of process %d is not of the table, or out of order", parts, size, person, i, rank)
							}
							delete(place, text)
							last = at
							rows++
							who, _, _ := strings.Cut(text, "[")
							if before, known := home[who]; person != "" && who != "nobody" && known && before != rank {
								t.Fatalf("%d parts, %d processes: person %s is at processes %d and %d", parts, size, who, before, rank)
							}
							home[who] = rank
						}
					}
					if rows != whole.Records() {
						t.Errorf("%d parts, %d processes, persons %q: got %d rows, want %d", parts, size, person, rows, whole.Records())
					}
				}
			}
		}
	}
}

// TestOwnTablesAreReadWhole wants a process to read all of a table of its own, and persons to be brought
// together from all tables.
func TestOwnTablesAreReadWhole(t *testing.T) {
	s, o := shareSchema(t, false), ReadOptions{Extra: []string{"who"}}
	paths := []string{shareTable(t, 1, false), shareTable(t, 3, false)}
	for _, person := range []string{"", "who"} {
		box, all, rows, shares := newMailbox(2), sync.WaitGroup{}, 0, make([]*Dataset, 2)
		for rank, path := range paths {
			whole, err := Read(context.Background(), s, Source{Path: path}, o)
			if err != nil {
				t.Fatal(err)
			}
			rows += whole.Records()
			all.Go(func() {
				one := Source{Path: path, Rank: rank, Ranks: 2, Own: true, Person: person, PersonKey: []byte("key"), Exchange: box.of(rank)}
				if shares[rank], err = Read(context.Background(), s, one, o); err != nil {
					t.Error(err)
				} else if person == "" && shares[rank].Records() != whole.Records() {
					t.Errorf("process %d read %d rows of its own table, want %d", rank, shares[rank].Records(), whole.Records())
				}
			})
			if person == "" {
				all.Wait()
			}
		}
		all.Wait()
		if got := shares[0].Records() + shares[1].Records(); got != rows {
			t.Errorf("persons %q: got %d rows, want %d", person, got, rows)
		}
	}
}

// TestForeignRowsAreRefused wants an error for messages of other processes that were cut or altered,
// and no panic.
func TestForeignRowsAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 9))
	for _, note := range []bool{false, true} {
		s, o := shareSchema(t, note), ReadOptions{Extra: []string{"who"}}
		d, err := Read(context.Background(), s, Source{Path: shareTable(t, 1, note)}, o)
		if err != nil {
			t.Fatal(err)
		}
		text := newPiece(d.Slice(0, 20), 0).encode()
		if back, err := decodePiece(d, o, text); err != nil || back.data.Records() != 20 || rowText(t, back.data, 7) != rowText(t, d, 7) {
			t.Fatalf("a message is not read as it was written: %v", err)
		}
		for n := 0; n < len(text); n += 1 + n%7 {
			if _, err := decodePiece(d, o, text[:n]); err == nil {
				t.Fatalf("a message that was cut after %d bytes was read", n)
			}
		}
		for range 2000 {
			other := slices.Clone(text)
			for range 1 + r.IntN(4) {
				other[r.IntN(len(other))] = byte(r.IntN(256))
			}
			if p, err := decodePiece(d, o, other); err == nil && p.data.Records() != len(p.data.Target()) {
				t.Fatal("a message that was altered has columns of other lengths")
			}
		}
	}
}

// TestSharesHaveNoMoreRowsThanDeclared wants an error for a process whose first files have all of the declared
// rows, and whose next file has more.
func TestSharesHaveNoMoreRowsThanDeclared(t *testing.T) {
	s, path := shareSchema(t, false), shareTable(t, 12, false)
	for most, fine := range map[int]bool{1500: true, 1499: false, 500: false} {
		for rank := range 2 {
			_, err := Read(context.Background(), s, Source{Path: path, Rank: rank, Ranks: 2}, ReadOptions{MaxRecords: most})
			if (err == nil) != fine {
				t.Errorf("process %d of 1500 rows, %d declared: got %v", rank, most, err)
			}
		}
	}
}

// TestShareRefusals wants an error where shares of a table have no meaning.
func TestShareRefusals(t *testing.T) {
	s, path := shareSchema(t, false), shareTable(t, 1, false)
	for name, src := range map[string]Source{
		"rank too large":         {Path: path, Rank: 2, Ranks: 2},
		"negative rank":          {Path: path, Rank: -1, Ranks: 2},
		"persons not read":       {Path: path, Ranks: 2, Person: "color", Exchange: newMailbox(1).of(0)},
		"persons, no exchange":   {Path: path, Ranks: 2, Person: "who"},
		"related tables":         {Path: path, Ranks: 2, Related: map[string]Source{"x": {}}},
		"a table that is no one": {Path: filepath.Join(t.TempDir(), "none-*.csv"), Ranks: 2},
	} {
		if _, err := Read(context.Background(), s, src, ReadOptions{Extra: []string{"who"}}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if err := ReadBlocks(context.Background(), s, Source{Path: path, Ranks: 2}, ReadOptions{}, 100, func(*Dataset) error { return nil }); err == nil {
		t.Error("blocks of a divided table were read")
	}
}
