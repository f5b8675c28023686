// Package columnar defines the requests of package data to formats that other packages read: files
// that hold a table column by column, and compressed files.
package columnar

import (
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Format is a Table or a Compression. A separate package knows each kind, so programs that read no
// such file do not carry its library.
//
// No *Problem of a Format, of its files and of their readers may quote a file's content. Package
// data completes it with the file and the column. Any other error may quote it, and is replaced. A
// malformed file is an error and never a panic.
type Format interface {
	// Name describes a file of the format, such as "a Parquet file".
	Name() string
	// Knows reports whether a file that begins with these bytes, at most 64 KiB, has the format.
	Knows(head []byte) bool
}

// Compression reads compressed files.
type Compression interface {
	Format
	// Unpack returns the text of a file. It reads more of the file only when more of the text is
	// read, and takes bounded memory. Of a file that ends early the error is io.ErrUnexpectedEOF.
	// Errors of r are passed on. Any other error is a *Problem.
	Unpack(r io.Reader) (io.Reader, error)
}

// Table reads files that hold a table column by column.
type Table interface {
	Format
	// Open reads a file's description of itself. The file stays open as long as the File.
	Open(file io.ReaderAt, size int64) (File, error)
}

// File is an open file of a Format.
type File interface {
	// Columns are the columns of the file, in its order.
	Columns() []Column
	// Comment is what the file's own description says of the table in words, or empty.
	Comment() string
	// Records is the number of rows, and Bytes the size of the cells after decompression. Both are
	// the file's claims and cannot be trusted.
	Records() int64
	Bytes() int64
	// Reader begins to read the column at a position, whose Refused is nil. Readers of several
	// columns may be used side by side.
	Reader(column int) Reader
}

// Column is a file's description of one of its columns.
type Column struct {
	Name string
	Kind Kind
	// Zoned reports that Times belong to a zone. Their numbers are in UTC in any case.
	Zoned bool
	// Required reports that the file declares no cell as missing, and Coded that its type is a list of
	// distinct values.
	Required, Coded bool
	// Lower and Upper are the bounds of integers of 8 bits, and 0 for other types. They follow from
	// the type and not from the cells.
	Lower, Upper float64
	// Comment is what the file's own description says of the column in words, or empty.
	Comment string
	// Refused is the reason why the column cannot be read, or nil. Such a column is an error only
	// if the schema does not ignore it.
	Refused *Problem
}

// Kind is the type of a column's cells.
type Kind uint8

// These are the kinds of cells.
const (
	Numbers Kind = iota + 1 // Cells.Numbers
	Texts                   // Cells.Codes, which are positions in Cells.Texts
	Bools                   // Cells.Codes, 0 for false and 1 for true
	Dates                   // Cells.Numbers, days since 1970-01-01
	Times                   // Cells.Numbers, seconds since 1970-01-01 00:00 in UTC
)

// InNumbers reports whether cells of the kind are in Cells.Numbers, and not in Cells.Codes.
func (k Kind) InNumbers() bool { return k == Numbers || k == Dates || k == Times }

// Cells are consecutive cells of one column.
type Cells struct {
	// Numbers are numbers; NaN is a missing cell.
	Numbers []float64
	// Exact are the texts of numbers and moments that a float64 does not hold exactly, by their places
	// in Numbers. It is nil if there are none. Texts that name persons need it: 2^53 and 2^53 + 1 are
	// one float64.
	Exact map[int]string
	// Codes are -1 for a missing cell.
	Codes []int32
	Texts [][]byte
}

// SetExact notes an exact text; "" is none.
func (c *Cells) SetExact(place int, text string) {
	if text == "" {
		return
	}
	if c.Exact == nil {
		c.Exact = map[int]string{}
	}
	c.Exact[place] = text
}

// wholeFloats is the number up to which a float64 holds each integer.
const wholeFloats = 1 << 53

// ExactSigned returns the text of an integer if a float64 may not hold it exactly, else "".
func ExactSigned(n int64) string {
	if n < wholeFloats && n > -wholeFloats {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// ExactUnsigned is ExactSigned of an integer without a sign.
func ExactUnsigned(n uint64) string {
	if n < wholeFloats {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// distinctDecimals is the number below which integers n keep distinct values n / 10^scale in a float64,
// for every scale. A float64 tells decimals of 15 digits apart (DBL_DIG of C).
const distinctDecimals = 1e15

// IsDistinct reports whether no other n has the float64 of n / 10^scale.
func IsDistinct(n int64, scale int) bool {
	return n == 0 || scale == 0 && ExactSigned(n) == "" || scale > 0 && n < distinctDecimals && n > -distinctDecimals
}

// ExactDecimal returns the shortest text of n / 10^scale, if a float64 may not tell it from others, else "".
func ExactDecimal(n *big.Int, scale int) string {
	if n.IsInt64() && IsDistinct(n.Int64(), scale) {
		return ""
	}
	digits := new(big.Int).Abs(n).String()
	if scale < 0 {
		digits += strings.Repeat("0", -scale)
	} else if scale > 0 {
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		digits = strings.TrimRight(digits[:len(digits)-scale]+"."+digits[len(digits)-scale:], "0")
		digits = strings.TrimSuffix(digits, ".")
	}
	if n.Sign() < 0 {
		digits = "-" + digits
	}
	return digits
}

// Reader reads the cells of one column in order.
type Reader interface {
	// Next returns the next n cells, which are valid until the next call. If there are fewer, it
	// returns an error.
	Next(n int) (Cells, error)
	Close() error
}

// Problem is a fault of a file or a column. None of its texts quotes the file's content.
type Problem struct {
	// Problem is the finding, Want the wanted state (may be empty), and Remedy the advice for a
	// person.
	Problem, Want, Remedy string
}

// Error returns one line: "problem, want want; remedy".
func (p *Problem) Error() string {
	text := p.Problem
	if p.Want != "" {
		text += ", want " + p.Want
	}
	if p.Remedy != "" {
		text += "; " + p.Remedy
	}
	return text
}

// MaxComment is the largest length of a comment in bytes.
const MaxComment = 4096

// IsComment reports whether a key of a file's metadata names a comment in words.
func IsComment(key string) bool {
	return strings.EqualFold(key, "comment") || strings.EqualFold(key, "description")
}

// ByteBounds returns the least and the largest integer of 8 bits.
func ByteBounds(signed bool) (lower, upper float64) {
	if signed {
		return math.MinInt8, math.MaxInt8
	}
	return 0, math.MaxUint8
}

// BoolTexts returns the texts of false and true in the spelling of levels, or else 0 and 1.
func BoolTexts(levels []string) [2]string {
	for _, form := range [][2]string{{"false", "true"}, {"False", "True"}, {"FALSE", "TRUE"}} {
		if slices.Contains(levels, form[0]) || slices.Contains(levels, form[1]) {
			return form
		}
	}
	return [2]string{"0", "1"}
}
