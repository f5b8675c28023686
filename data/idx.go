package data

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// idxTypes maps the third byte of an IDX file to the type of its numbers, written as in NPY. The
// file has two zero bytes, the type, the number of dimensions, each dimension as 4 bytes, then the
// numbers. The last dimension runs fastest, and the highest byte comes first everywhere.
//
// Source: Yann LeCun, Corinna Cortes and Christopher J. C. Burges, "The MNIST database of
// handwritten digits", section "File formats", http://yann.lecun.com/exdb/mnist/.
var idxTypes = map[byte]string{0x08: ">u1", 0x09: ">i1", 0x0b: ">i2", 0x0c: ">i4", 0x0d: ">f4", 0x0e: ">f8"}

// idxHead is the number of bytes before the dimensions.
const idxHead = 4

// isIDX reports whether a file begins as an IDX file does. No text does, since it has no zero byte.
func isIDX(head []byte) bool {
	return len(head) >= idxHead && head[0] == 0 && head[1] == 0 && idxTypes[head[2]] != ""
}

// hasIDXName reports whether a file has a name of IDX files, such as train-images-idx3-ubyte.
func hasIDXName(path string) bool {
	return hasExtension(path, ".idx") || hasExtension(path, "-ubyte")
}

func damagedIDX(file, problem, want string) error {
	return &FileError{File: file, Problem: problem, Want: want, Remedy: "copy the file again, or write it again as the IDX format says"}
}

// readIDX reads the header of an IDX file and returns the reader of its numbers.
func readIDX(file string, r io.Reader) (*array, io.Reader, error) {
	head := make([]byte, idxHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, nil, idxCut(file, 0, err)
	}
	descr, known := idxTypes[head[2]]
	switch {
	case head[0] != 0 || head[1] != 0:
		return nil, nil, damagedIDX(file, "it is no IDX file", "two zero bytes, type and number of dimensions at its start")
	case !known:
		return nil, nil, damagedIDX(file, "the type of its numbers, the byte at offset 2, is not read", "8, 9, 11, 12, 13 or 14")
	case head[3] == 0:
		return nil, nil, damagedIDX(file, "the number of dimensions, the byte at offset 3, is 0", "1 for labels, 2 or more for a matrix")
	}
	a := &array{file: file, kind: descr[1:]}
	a.size, a.decode = decoder(descr)
	total, err := a.readDimensions(r, int(head[3]))
	if err != nil {
		return nil, nil, err
	}
	return a, &idxNumbers{r: r, file: file, at: idxHead + 4*int64(head[3]), left: total * int64(a.size)}, nil
}

// readDimensions reads the shape and returns the number of numbers, which is at most maxNumbers.
func (a *array) readDimensions(r io.Reader, dimensions int) (int64, error) {
	var b [4]byte
	bound, total := int64(1), int64(1) // bound takes 0 as 1, so that no order of dimensions overflows
	for i := range dimensions {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return 0, idxCut(a.file, idxHead+4*int64(i), err)
		}
		n := int64(binary.BigEndian.Uint32(b[:]))
		if n > 0 && bound > maxNumbers/n {
			return 0, damagedIDX(a.file, fmt.Sprintf("the shape is too large at offset %d", idxHead+4*i), fmt.Sprintf("at most %d numbers", int64(maxNumbers)))
		}
		bound, total = bound*max(n, 1), total*n
		a.shape = append(a.shape, int(n))
	}
	return total, nil
}

// idxCut returns the error of a file that ends within the part that begins at an offset. Other
// failures of reading are passed on.
func idxCut(file string, offset int64, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return damagedIDX(file, fmt.Sprintf("the file is cut off after offset %d", offset), "a header, and as many numbers as it says")
	}
	return err
}

// idxNumbers reads the numbers of an IDX file and fails where the file has fewer or more
// bytes than its header says.
type idxNumbers struct {
	r        io.Reader
	file     string
	at, left int64 // offset, and bytes still to come
}

func (d *idxNumbers) Read(p []byte) (int, error) {
	if d.left == 0 {
		n, err := io.ReadFull(d.r, make([]byte, min(1, len(p))))
		if n > 0 {
			err = damagedIDX(d.file, fmt.Sprintf("there are bytes after the last number, from offset %d", d.at), "as many numbers as its header says")
		}
		return 0, err
	}
	n, err := d.r.Read(p[:min(int64(len(p)), d.left)])
	d.at, d.left = d.at+int64(n), d.left-int64(n)
	if err != nil && d.left > 0 {
		err = idxCut(d.file, d.at, err)
	}
	return n, err
}

// scanIDX passes the numbers of an IDX matrix, and of its labels, to the sink, by the rules of an
// NPY matrix.
func scanIDX(ctx context.Context, q request, src Source, r io.Reader) error {
	a, numbers, err := readIDX(q.file, r)
	if err != nil {
		return err
	}
	return scanArray(ctx, q, a, numbers, labelsBeside(ctx, q, src))
}

// readVector reads the header of a file of labels, IDX or NPY, and returns the reader of its
// numbers.
func readVector(file string, r *bufio.Reader) (*array, io.Reader, error) {
	head, err := r.Peek(len(npyMagic))
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	switch {
	case strings.HasPrefix(string(head), npyMagic) || hasExtension(file, ".npy"):
		a, npyErr := readHeader(file, r)
		return a, r, npyErr
	case isIDX(head) || hasIDXName(file):
		return readIDX(file, r)
	}
	return nil, nil, &FileError{File: file, Problem: "the labels are neither an IDX nor an NPY file", Want: "a vector with one label for each row of the matrix", Remedy: "name the labels that go with the matrix"}
}
