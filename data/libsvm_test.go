package data_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
)

// TestReadLIBSVM reads the rows (3, 9, 7) and (0, 0, 0) with labels 1 and -1 in every form
// that means them.
func TestReadLIBSVM(t *testing.T) {
	for _, c := range []struct{ name, file, text string }{
		{"plain", "a9a", "1 1:3 2:9 3:7\n-1\n"},
		{"signs and fractions", "t.txt", "+1 1:3.0 2:9 3:7.00\n-1.0 1:-0\n"},
		{"no line end", "t", "1 1:3 2:9 3:7\n-1 2:0"},
		{"comments", "t", "# two records\n\n1 1:3 2:9 3:7 # 1:4\n   \n-1 3:0#\n#"},
		{"tabs, spaces and carriage returns", "t", " 1\t1:3  2:9\t3:7 \r\n\r\n-1 3:0\r\n"},
		{"byte order mark", "t.libsvm", "\ufeff1 1:3 3:7\n-1\n"},
		{"first line without entries", "t.svm", "1 1:3 3:7\n-1\n"},
		{"exponents", "t.svmlight", "1e0 1:3e0 3:70e-1\n-10e-1 3:0x0p0\n"},
	} {
		for _, path := range []string{npyFile(t, c.file, []byte(c.text)), npyFile(t, c.file+".gz", gzipText([]byte(c.text)))} {
			d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			wantColumns(t, c.name, d, []float32{3, 0}, []float32{1, 0}, []float32{1, 0})
		}
	}
	for _, name := range []string{"t.libsvm", "t.svm", "t.svmlight", "T.SVM.gz"} {
		path := npyFile(t, name, []byte("-1\n1\n"))
		d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wantColumns(t, name+" without any entry", d, []float32{0, 0}, []float32{0, 0}, []float32{0, 1})
	}
	path := npyFile(t, "t", []byte("# labels first\n-1\n-1\n1 1:5\n"))
	d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantColumns(t, "lines without entries first", d, []float32{0, 0, 5}, []float32{0, 0, 0}, []float32{0, 0, 1})
}

// TestReadLIBSVMLabels reads the labels 1, +1, 1.0, -1 and 2 under several targets. NaN
// stands for a row that is dropped.
func TestReadLIBSVMLabels(t *testing.T) {
	threshold := 1.5
	path := npyFile(t, "t", []byte("1 1:1\n+1 1:2\n1.0 1:3\n-1 1:4\n2 1:5\n"))
	for _, c := range []struct {
		name   string
		target data.Target
		want   string
		marks  []string
	}{
		{"numbers", data.Target{Levels: []string{"-1", "1"}}, "[1 1 1 0 NaN]", nil},
		{"signs", data.Target{Levels: []string{"-1", "+1"}}, "[1 1 1 0 NaN]", nil},
		{"fractions", data.Target{Levels: []string{"1.0", "2.0"}}, "[0 0 0 NaN 1]", nil},
		{"text before number", data.Target{Levels: []string{"1", "+1", "2"}}, "[0 1 0 NaN 2]", nil},
		{"words", data.Target{Levels: []string{"no", "yes"}}, "[NaN NaN NaN NaN NaN]", nil},
		{"threshold", data.Target{Levels: []string{"low", "high"}, Threshold: &threshold}, "[0 0 0 0 1]", nil},
		{"missing marks", data.Target{Levels: []string{"-1", "1"}}, "[1 1 NaN 0 NaN]", []string{"1.0"}},
		{"regression", data.Target{Lower: 0, Upper: 1.5}, "[1 1 1 0 1.5]", nil},
	} {
		s := npySchema()
		c.target.Column = "y"
		s.Target, s.MissingMarks = c.target, c.marks
		d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{KeepDropped: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := fmt.Sprint(d.Target()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestReadLIBSVMTreatments reads cells that the schema treats: out of range is clamped, what
// is no number or a missing mark is missing, an unknown level is other. None is an error.
func TestReadLIBSVMTreatments(t *testing.T) {
	s := npySchema()
	s.MissingMarks = []string{"9", "none"}
	path := npyFile(t, "t.libsvm", []byte("1 1:500\n-1 1:-5 3:7\n1 1:x 3:5\n1 1:9\n-1 1:1 3:none\nwhat 1:1\n1 1: 2:4:4\n-1 1:inf\n"))
	o := data.ReadOptions{KeepDropped: true, Extra: []string{"skip"}}
	d, err := data.Read(context.Background(), s, data.Source{Path: path}, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(d.Column(0)), "[100 0 NaN NaN 1 1 NaN NaN]"; got != want {
		t.Errorf("a: got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(d.Column(1)), "[0 1 2 0 NaN 0 0 0]"; got != want {
		t.Errorf("b: got %s, want %s", got, want)
	}
	for i := range d.Records() {
		if got, want := d.Dropped(i), i == 4 || i == 5; got != want {
			t.Errorf("row %d: got dropped %v, want %v", i, got, want)
		}
	}
	codes, levels, err := d.Group("skip")
	if err != nil || !slices.Equal(codes, []int32{0, 0, 0, 0, 0, 0, 1, 0}) || !slices.Equal(levels, []string{"0", "4:4"}) {
		t.Errorf("group skip: got %v %v, error %v", codes, levels, err)
	}
}

// TestReadLIBSVMNumbers reads cells that begin as numbers, where no missing mark is one.
func TestReadLIBSVMNumbers(t *testing.T) {
	path := npyFile(t, "t.libsvm", []byte("1 1:5\n1 1:5x\n1 1:0x5\n1 1:5e0\n1 1:+5.00\n1 1:5:5\n1 1:NA\n1 1:500\n"))
	d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(d.Column(0)), "[5 NaN NaN 5 5 NaN NaN 100]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestReadLIBSVMWithoutTarget reads lines with any label and with none.
func TestReadLIBSVMWithoutTarget(t *testing.T) {
	path := npyFile(t, "t.libsvm", []byte("0 1:3\n1:4 3:7\n? 3:7\n"))
	d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{WithoutTarget: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Target() != nil || !slices.Equal(d.Column(0), []float32{3, 4, 0}) || !slices.Equal(d.Column(1), []float32{0, 1, 1}) {
		t.Errorf("got columns %v %v target %v, want 3 4 0, 0 1 1 and none", d.Column(0), d.Column(1), d.Target())
	}
}

// TestReadLIBSVMErrors wants one line that names file and line and tells what is wrong.
func TestReadLIBSVMErrors(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"empty", "t.libsvm", "", "no records"},
		{"comments only", "t.libsvm", "# " + secret + "\n\n#", "no records"},
		{"index beyond", "t", "1 1:1\n1 1:3 4:" + secret + "\n", "line 2, column 3: the index is greater than the number of columns, want at most 3"},
		{"huge index", "t", "1 1:1\n1 99999999999999999999:1\n", "line 2, column 2: the index is greater"},
		{"index of 2^64 + 1", "t", "1 1:1\n1 18446744073709551617:1\n", "line 2, column 2: the index is greater"},
		{"no index", "t", "1 1:1\n1 :4711\n", "line 2, column 2: the entry has no index"},
		{"index 0", "t", "1 0:4711 1:1\n", "line 1, column 2: the index is 0"},
		{"negative index", "t", "1 1:1\n1 -4711:1\n", "line 2, column 2: the entry has no index"},
		{"signed index", "t", "1 1:1\n1 +1:1\n", "line 2, column 2: the entry has no index"},
		{"index a word", "t", "1 1:1\n1 " + secret + ":1\n", "line 2, column 2: the entry has no index"},
		{"no colon", "t", "1 1:1\n\n1 2:1 " + secret + "\n", "line 3, column 3: the entry has no index"},
		{"descending", "t", "1 1:1\n1 3:4711 2:4711\n", "line 2, column 3: the index is not greater"},
		{"twice", "t", "1 1:1\n1 3:4711 3:4711\n", "line 2, column 3: the index is not greater"},
		{"qid", "t", "1 qid:4711 1:1\n", "line 1, column 2: the entry is a qid"},
		{"no label", "t", "1 1:1\n1:4711 2:3\n", "line 2, column 1: the line has no label"},
		{"too many rows", "t", strings.Repeat("1 1:4711\n", 11), "line 11: the file has more rows than max-records, 10"},
		{"NUL byte", "t", "1 1:1\n1 1:" + secret + "\x00\n", "line 2: a NUL byte"},
		{"no UTF-8", "t", "1 1:1\n1 1:" + secret + "\xff\n", "line 2: bytes were found that are not UTF-8"},
		{"long line", "t", "1 1:1\n1 1:" + strings.Repeat("4", 17<<20) + "\n", "line 2: the line is longer"},
		{"a picture", "t.svm", "\x89PNG" + secret, "a PNG image"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := npyFile(t, c.file, []byte(c.text))
			_, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, data.ReadOptions{})
			wantFileError(t, err, path, c.want)
		})
	}
}

// TestReadLIBSVMSchema refuses a schema whose names tell other indexes than its order, labels
// apart, and takes a file as CSV when a delimiter is named.
func TestReadLIBSVMSchema(t *testing.T) {
	path := npyFile(t, "t", []byte("1 1:1\n"))
	s := npySchema()
	s.Columns[0].Name, s.Columns[2].Name = "1", "4"
	_, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{})
	var f *data.FileError
	if !errors.As(err, &f) || !strings.Contains(f.Problem, `column "4" of the schema stands at position 3`) {
		t.Errorf("got error %v, want one about column 4", err)
	}
	s.Columns[2].Name = "3"
	if _, err = data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{}); err != nil {
		t.Errorf("names that are the indexes: %v", err)
	}
	_, err = data.Read(context.Background(), npySchema(), data.Source{Path: path, Labels: path}, data.ReadOptions{})
	wantFileError(t, err, path, "labels goes with a table as text")
	_, err = data.Read(context.Background(), npySchema(), data.Source{Path: path, Delimiter: ' '}, data.ReadOptions{})
	wantFileError(t, err, path, "the header has no column")
}

// TestReadCSVBesideLIBSVM wants a CSV file to be read as one although its first line has
// colons or numbers.
func TestReadCSVBesideLIBSVM(t *testing.T) {
	for _, head := range []string{"y 1:00 2:00", "1,1:00,2:00", "7;1:x;2:y", "7 a:0 b:0", "7\t1:a\t2:b", "hour 1:30\tage\tjob"} {
		names := strings.FieldsFunc(head, func(r rune) bool { return strings.ContainsRune(",;\t", r) })
		if len(names) == 1 {
			names = strings.Fields(head)
		}
		s := npySchema()
		s.Columns = s.Columns[:2]
		s.Target.Column, s.Columns[0].Name, s.Columns[1].Name = names[0], names[1], names[2]
		delimiter := head[len(names[0]) : len(names[0])+1]
		path := npyFile(t, "t.txt", []byte(head+"\n"+strings.Join([]string{"1", "2", "3"}, delimiter)+"\n"))
		src := data.Source{Path: path}
		if delimiter == " " {
			src.Delimiter = ' '
		}
		d, err := data.Read(context.Background(), s, src, data.ReadOptions{})
		if err != nil || !slices.Equal(d.Column(0), []float32{2}) {
			t.Errorf("header %q: got error %v, want a CSV file with a 2", head, err)
		}
	}
}

// TestReadLIBSVMLimits wants a stop at the limit of bytes, and at a context that is done.
func TestReadLIBSVMLimits(t *testing.T) {
	s := npySchema()
	s.MaxRecords = 1 << 30
	plain := npyFile(t, "t", []byte(strings.Repeat("1 1:1\n", 1000)))
	_, err := data.Read(context.Background(), s, data.Source{Path: plain}, data.ReadOptions{MaxBytes: 1000})
	wantFileError(t, err, plain, "1000 bytes")
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	if _, err = data.Read(ctx, s, data.Source{Path: plain}, data.ReadOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want context.DeadlineExceeded", err)
	}
}

// FuzzReadLIBSVM wants no panic, at most max-records rows, and values within their bounds. The
// marker, which the fuzzer puts anywhere, is in no error.
func FuzzReadLIBSVM(f *testing.F) {
	for _, text := range []string{
		"1 1:3 2:9 3:7\n-1\n", "+1 1:" + mark + " # " + mark + "\n", mark + " 1:1\n", "1 " + mark + ":1\n", "1 1:1 1:1\n", "1 0:1", "1 4:1\n", "1:1\n",
		"1 qid:" + mark + " 1:1\n", "1\n1\n\n#" + mark, "1 1:1\r\n" + mark + "\x00", "1 99999999999999999999:1", "1 1:1\xff", "\ufeff1 :", strings.Repeat("1 3:7\n", 11), "",
	} {
		f.Add(text, false, false)
	}
	f.Add("1:4 2:"+mark+"\n? 3:7\n", true, true)
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text string, keep, without bool) {
		path := filepath.Join(folder, "t.libsvm")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, mark, planted)), 0o600); err != nil {
			t.Fatal(err)
		}
		o := data.ReadOptions{KeepDropped: keep, WithoutTarget: without, MaxBytes: 1 << 20}
		if keep {
			o.Extra = []string{"skip", "b"}
		}
		d, err := data.Read(context.Background(), npySchema(), data.Source{Path: path}, o)
		if err != nil {
			oneLine(t, err)
			return
		}
		if n := d.Records(); n > 10 || len(d.Column(0)) != n || len(d.Column(1)) != n || !without && len(d.Target()) != n {
			t.Fatalf("got %d records, want at most 10 and columns of that length", n)
		}
		for i := range d.Records() {
			row := d.Row(nil, i)
			if a, b := row[0], row[1]; a < 0 || a > 100 || b < 0 || b > 2 {
				t.Fatalf("row %d: got %v, want values within the declaration", i, row)
			}
		}
	})
}

// TestReadA9A reads the Adult tables in LIBSVM form, with 123 indicators. The numbers of rows and
// of the positive class equal those in TestReadAdult, for the same persons. The number of entries
// equals the number of colons in the file.
func TestReadA9A(t *testing.T) {
	s := npySchema()
	s.Columns, s.MaxRecords = wide(123), 50000
	for _, c := range []struct {
		file               string
		records, positives int
	}{{"libsvm-a9a/a9a.gz", 32561, 7841}, {"libsvm-a9a/a9a.t.gz", 16281, 3846}} {
		path := realFile(t, c.file)
		d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		positives, ones := 0, 0
		for i, y := range d.Target() {
			positives += int(y)
			for _, v := range d.Row(nil, i) {
				ones += int(v)
			}
		}
		if want := strings.Count(string(unpacked(t, path)), ":1"); d.Records() != c.records || positives != c.positives || ones != want {
			t.Errorf("%s: got %d records, %d positive, %d ones, want %d, %d and %d", c.file, d.Records(), positives, ones, c.records, c.positives, want)
		}
	}
}

// BenchmarkReadLIBSVM reads a table of images, of which a fifth of the entries is written, and
// one of many columns with few entries.
func BenchmarkReadLIBSVM(b *testing.B) {
	for _, c := range []struct {
		name              string
		rows, width, step int
	}{{"6000x784", 6000, 784, 5}, {"500x20000", 500, 20000, 200}} {
		b.Run(c.name, func(b *testing.B) {
			s := npySchema()
			s.Columns = make([]data.Column, c.width)
			for i := range s.Columns {
				s.Columns[i] = npySchema().Columns[0]
				s.Columns[i].Name = fmt.Sprint("p", i)
			}
			s.MaxRecords = c.rows
			var line strings.Builder
			line.WriteString("+1")
			for i := 1; i <= c.width; i += c.step {
				fmt.Fprintf(&line, " %d:%d", i, i%100)
			}
			line.WriteString("\n")
			content := []byte(strings.Repeat(line.String(), c.rows))
			path := npyFile(b, "x", content)
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
