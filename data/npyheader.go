package data

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// npyMagic are the first bytes of every NPY file.
const npyMagic = "\x93NUMPY"

// array is an NPY array whose header was read. The format is that of NumPy's document
// "A Simple File Format for NumPy Arrays", https://numpy.org/neps/nep-0001-npy-format.html.
type array struct {
	file    string
	shape   []int
	fortran bool
	kind    string // "u1": the type of the numbers, without the order of their bytes
	size    int    // bytes a number
	decode  func([]byte) float64
}

// rows and width are the shape as a table; further dimensions are laid flat in each row.
func (a *array) rows() int { return a.shape[0] }

func (a *array) width() int {
	w := 1
	for _, n := range a.shape[1:] {
		w *= n
	}
	return w
}

// maxHeader bounds the header of an NPY file.
const maxHeader = 1 << 16

// maxNumbers bounds an array far above memory, so that no product overflows.
const maxNumbers = 1 << 40

func damaged(file, problem, want string) error {
	return &FileError{File: file, Problem: problem, Want: want, Remedy: "write the array again, as numpy.save does"}
}

// readHeader reads magic, version and header of an array.
func readHeader(file string, r *bufio.Reader) (*array, error) {
	head := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(npyMagic)]) != npyMagic {
		return nil, damaged(file, "it is no NPY file", "an array of numbers")
	}
	length := 0
	switch version := head[len(npyMagic)]; version {
	case 1:
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, damaged(file, "the header is cut off", "a whole file")
		}
		length = int(binary.LittleEndian.Uint16(b[:]))
	case 2, 3:
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, damaged(file, "the header is cut off", "a whole file")
		}
		length = int(min(binary.LittleEndian.Uint32(b[:]), maxHeader+1))
	default:
		return nil, damaged(file, fmt.Sprintf("the format has version %d", version), "version 1 to 3")
	}
	if length > maxHeader {
		return nil, damaged(file, "the header is too long", fmt.Sprintf("at most %d bytes", maxHeader))
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, damaged(file, "the header is cut off", "a whole file")
	}
	return parseHeader(file, string(text))
}

var (
	descrField   = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	fortranField = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	shapeField   = regexp.MustCompile(`'shape'\s*:\s*\(([0-9,\sL]*)\)`)
)

// parseHeader returns type, order and shape from the dictionary of a header.
func parseHeader(file, text string) (*array, error) {
	descr, fortran, shape := descrField.FindStringSubmatch(text), fortranField.FindStringSubmatch(text), shapeField.FindStringSubmatch(text)
	if descr == nil || fortran == nil || shape == nil {
		return nil, damaged(file, "the header does not name one type, order and shape", "an array of plain numbers")
	}
	a := &array{file: file, fortran: fortran[1] == "True"}
	if a.size, a.decode = decoder(descr[1]); a.decode == nil {
		return nil, damaged(file, "the type of its numbers is not read", "float32, float64, integers or bool; never objects")
	}
	a.kind = descr[1][1:]
	total := 1
	for _, part := range strings.Split(shape[1], ",") {
		if part = strings.TrimRight(strings.TrimSpace(part), "L"); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > maxNumbers || n > 0 && total > maxNumbers/n {
			return nil, damaged(file, "the shape is too large", fmt.Sprintf("at most %d numbers", maxNumbers))
		}
		total *= max(n, 1)
		a.shape = append(a.shape, n)
	}
	if len(a.shape) == 0 {
		return nil, damaged(file, "the array is a single number", "a matrix or a vector")
	}
	return a, nil
}

// decoder returns the size and the decoding function of a type such as "<f8". The function is nil
// for a type that is not read.
func decoder(descr string) (int, func([]byte) float64) {
	if len(descr) != 3 || !strings.Contains("<>|=", descr[:1]) {
		return 0, nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	switch descr[1:] {
	case "f8":
		return 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	case "f4":
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case "i8":
		return 8, func(b []byte) float64 { return float64(int64(order.Uint64(b))) }
	case "u8":
		return 8, func(b []byte) float64 { return float64(order.Uint64(b)) }
	case "i4":
		return 4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case "u4":
		return 4, func(b []byte) float64 { return float64(order.Uint32(b)) }
	case "i2":
		return 2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case "u2":
		return 2, func(b []byte) float64 { return float64(order.Uint16(b)) }
	case "i1":
		return 1, func(b []byte) float64 { return float64(int8(b[0])) }
	case "u1", "b1":
		return 1, func(b []byte) float64 { return float64(b[0]) }
	}
	return 0, nil
}
