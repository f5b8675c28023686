package together

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/ranks"
)

// Share returns the share of a table that this rank reads. The argument own says that the source was
// made for this rank alone, as from a path with {rank}. The argument person is the column that names
// persons, or "". A nil run has the whole table.
func (r *Run) Share(source data.Source, own bool, person string) (data.Source, error) {
	if r == nil || r.Size() == 1 {
		return source, nil
	}
	switch {
	case source.Path == format.StandardInput:
		return source, errInput
	case source.Database != nil && !own:
		return source, fmt.Errorf("a database is read by %d ranks, want rows for each: --query with {rank} and {ranks}, as in: select … where id %% {ranks} = {rank}", r.Size())
	case len(source.Related) > 0:
		return source, errors.New("related tables are read by several ranks, want one process; only one that reads all rows knows each key once")
	}
	source.Rank, source.Ranks, source.Own = r.Rank(), r.Size(), own
	if person != "" {
		key := sha256.Sum256(append([]byte("persons"), r.key...))
		source.Person, source.PersonKey, source.Exchange = person, key[:], r.Exchange
	}
	return source, nil
}

var errInput = errors.New("--data is standard input, which mpirun gives to one rank alone, want files that all ranks can read")

// Whole returns an error if tables of these names, or queries, cannot be read as a whole by every rank.
func (r *Run) Whole(names ...string) error {
	for _, name := range names {
		switch {
		case r == nil:
		case name == format.StandardInput:
			return errInput
		case strings.Contains(name, "{rank}") || strings.Contains(name, "{ranks}"):
			return errors.New("a table is named with {rank}, want one that every rank reads whole; each trains on its part of it")
		}
	}
	return nil
}

// Named returns the table that a rank reads, with the database under the name that all ranks have for it.
func Named(own, named *data.Source) *data.Source {
	if own == nil || named == nil {
		return own
	}
	out := *own
	out.Database = named.Database
	return &out
}

// Part returns the share of a data set that every rank has, once all ranks have shown that they have the
// same. All rows of a person, whom the column person names unless it is "", are in one share.
func (r *Run) Part(d *data.Dataset, person string) (*data.Dataset, error) {
	if r == nil || r.Size() == 1 {
		return d, nil
	}
	if err := r.same(d, person); err != nil {
		return nil, err
	}
	home := make([]int32, d.Records())
	for i := range home {
		home[i] = int32(i)
	}
	if person != "" {
		codes, _, err := d.Texts(person)
		if err != nil {
			return nil, err
		}
		home = codes
	}
	var own []int
	for i, at := range home {
		if max(0, int(at))%r.Size() == r.Rank() {
			own = append(own, i)
		}
	}
	return d.Take(own), nil
}

// same returns an error unless all ranks have the same features, targets and persons, in the same order.
// Other columns that were read must be the same too, such as weights and levels to learn. What a rank
// sends says nothing about its rows to whoever has no key, and stands for this rank alone.
func (r *Run) same(d *data.Dataset, person string) error {
	hash, row := sha256.New(), []float32(nil)
	for i := range d.Records() {
		if d.Sparse() {
			columns, values := d.Cells(i)
			row = values
			_ = binary.Write(hash, binary.BigEndian, int64(len(columns))) // a hash takes all
			_ = binary.Write(hash, binary.BigEndian, columns)
		} else {
			row = d.Row(row, i)
		}
		_ = binary.Write(hash, binary.BigEndian, row)
		_ = binary.Write(hash, binary.BigEndian, d.Dropped(i))
	}
	_ = binary.Write(hash, binary.BigEndian, d.Target())
	for _, c := range d.Schema().Columns {
		if codes, texts, err := d.Group(c.Name); err == nil {
			fmt.Fprintf(hash, "%q %q", c.Name, texts)
			_ = binary.Write(hash, binary.BigEndian, codes)
		}
	}
	if person != "" {
		codes, texts, err := d.Texts(person)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%v %q", codes, texts)
	}
	rows := hash.Sum(nil)
	proof := func(rank int) []byte {
		mac := hmac.New(sha256.New, r.key)
		fmt.Fprintf(mac, "rows of rank %d: %x", rank, rows)
		return mac.Sum(nil)
	}
	if r.Rank() != 0 {
		if err := r.Send(0, proof(r.Rank())); err != nil {
			return err
		}
		_, err := r.Receive(0)
		return err
	}
	for from := 1; from < r.Size(); from++ {
		theirs, err := r.Receive(from)
		if err != nil {
			return err
		}
		if !hmac.Equal(theirs, proof(from)) {
			return failure.Running(fmt.Errorf("rank %d read other rows than rank 0, want a table that is the same for all ranks and does not change", from))
		}
	}
	return r.sendAll([]byte("same"))
}

// Exchange sends message k to rank k, and returns the messages of all ranks for this one. They hold
// records, and are encrypted and authenticated on their way. A run exchanges once.
func (r *Run) Exchange(ctx context.Context, messages [][]byte) ([][]byte, error) {
	key := sha256.Sum256(append([]byte("records"), r.key...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	if r.exchanged {
		return nil, errors.New("together: records are exchanged a second time, want one exchange in a run")
	}
	r.exchanged = true
	for to, text := range messages {
		messages[to] = seal.Seal(nil, nil, text, fmt.Appendf(nil, "from %d to %d", r.Rank(), to))
	}
	received, err := ranks.Exchange(ctx, r.transport, messages)
	if err != nil {
		return nil, err
	}
	for from, text := range received {
		if received[from], err = seal.Open(nil, nil, text, fmt.Appendf(nil, "from %d to %d", from, r.Rank())); err != nil {
			return nil, fmt.Errorf("together: rank %d received records from rank %d that rank did not send in this run; the ranks have different keys, or the transport lost or altered a message", r.Rank(), from)
		}
	}
	return received, nil
}

// stamp returns a text of how a table is read, and of the names, sizes and times of its files. Ranks that
// divide a table must see the same files, and the files must not change while they are read. It is "" for
// a table that is not divided.
func stamp(source *data.Source) (string, error) {
	if source == nil || source.Ranks < 2 || source.Own || source.Path == "" {
		return "", nil
	}
	paths := []string{source.Path}
	if info, err := os.Stat(source.Path); format.IsParts(source.Path) && (err != nil || !info.IsDir()) {
		if paths, err = filepath.Glob(source.Path); err != nil {
			return "", err
		}
	}
	if source.Labels != "" {
		paths = append(paths, source.Labels)
	}
	files := []string{fmt.Sprintf("labels %q, delimiter %q, columns %q, no quotes %t", source.Labels, source.Delimiter, source.Columns, source.NoQuotes)}
	for _, path := range paths {
		if err := note(&files, path, 0); err != nil { // whose path may have cells, as in who=somebody
			return "", fmt.Errorf("a file of %s cannot be divided among ranks: %w", source.Path, display.Pathless(err))
		}
	}
	return strings.Join(files, "\n"), nil
}

// deepest bounds the folders in one another.
const deepest = 32

var (
	errIrregular = errors.New("it is a pipe or a device, want files that each rank reads from the beginning")
	errDeep      = errors.New("its folders are too deep")
)

// note appends the files at a path. It follows links, as readers do.
func note(files *[]string, path string, depth int) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // which reading the table tells
		*files = append(*files, fmt.Sprintf("%q is missing", path))
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		*files = append(*files, fmt.Sprintf("%q %d %d", path, info.Size(), info.ModTime().UnixNano()))
		return nil
	case !info.IsDir():
		return errIrregular
	case depth == deepest:
		return errDeep
	}
	entries, err := os.ReadDir(path) // by name
	for _, e := range entries {
		if err == nil && !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "_") { // programs' own
			err = note(files, filepath.Join(path, e.Name()), depth+1)
		}
	}
	return err
}

// Read reads the share of a table after a message of the root. So no rank reads before the ledger
// of the root was asked. Then all ranks agree on the plan and on the files of the table. The share
// is nil for a table in memory.
func (r *Run) Read(share *data.Source, plan []byte, read func() error) error {
	if r == nil {
		return read()
	}
	if _, err := r.Tell([]byte("read")); err != nil {
		return err
	}
	before, err := stamp(share)
	if err != nil {
		return err
	}
	if err = read(); err != nil {
		return err
	}
	after, err := stamp(share)
	if err != nil {
		return err
	}
	if before != after {
		return failure.Running(fmt.Errorf("the files of %s changed while the ranks read them, want files that stay as they are; what was reserved stays spent", share.Path))
	}
	return r.Agree(fmt.Appendf(nil, "%s\n%s", plan, before))
}
