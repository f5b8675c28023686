package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/train"
)

// iteratesName is the file of a model folder with the weights after every step.
const iteratesName = "iterates.npy"

// sealIterates returns the file of all iterates, if they are to be released, and gives the certificate its hash: a
// matrix of float64 with one row a step.
func sealIterates(r *train.Result, c *certificate.Certificate) []byte {
	if len(r.Iterates) == 0 {
		return nil
	}
	text := matrixNPY(r.Iterates)
	c.IteratesSHA256 = certificate.Hash(text)
	return text
}

// checkIterates compares the file of all iterates in a model folder with the certificate, or wants none.
func checkIterates(folder string, c certificate.Certificate) error {
	there := exists(filepath.Join(folder, iteratesName))
	switch {
	case !there && c.IteratesSHA256 == "":
		return nil
	case !there:
		return fmt.Errorf("there is no %s, but the certificate has its hash, want the file that was trained", iteratesName)
	case c.IteratesSHA256 == "":
		return fmt.Errorf("there is %s, but the certificate has no hash of it, want none", iteratesName)
	}
	text, err := readPart(folder, iteratesName)
	if err != nil {
		return err
	}
	return agreeWith(iteratesName, "SHA-256 of the iterates", c.IteratesSHA256, certificate.Hash(text))
}

// matrixNPY writes rows of one length as an NPY file of version 1.0.
func matrixNPY(rows [][]float64) []byte {
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
