package artefact

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/train"
)

// IteratesName is the name of the file of a model folder with the weights after every step.
const IteratesName = "iterates.npy"

// SealIterates returns the file of all iterates, if they are to be released, and writes its hash
// into the certificate. The file is a matrix of float64 with one row for each step.
func SealIterates(r *train.Result, c *certificate.Certificate) []byte {
	if len(r.Iterates) == 0 {
		return nil
	}
	text := MatrixNPY(r.Iterates)
	c.IteratesSHA256 = certificate.Hash(text)
	return text
}

// MatrixNPY returns rows of one length as an NPY file of version 1.0.
func MatrixNPY(rows [][]float64) []byte {
	const magic, multiple = "\x93NUMPY\x01\x00", 64
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", len(rows), len(rows[0]))
	header += strings.Repeat(" ", multiple-1-(len(magic)+2+len(header))%multiple) + "\n"
	var b bytes.Buffer
	b.WriteString(magic)
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
	var number [8]byte
	for _, row := range rows {
		for _, v := range row {
			binary.LittleEndian.PutUint64(number[:], math.Float64bits(v))
			b.Write(number[:])
		}
	}
	return b.Bytes()
}
