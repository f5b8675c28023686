package neural

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/strict"
)

// checkpointMagic begins every file.
const checkpointMagic = "dither checkpoint 1\n"

// checkpointHeader is the second line of a file, in JSON. The numbers follow as float64 with the
// lowest byte first: weights, frozen weights, the sum of the average, the vectors of the
// optimizers. Where the header says so, a signature of 64 bytes follows. It is over the SHA-256 of
// all bytes before it. A SHA-256 of all earlier bytes ends the file.
type checkpointHeader struct {
	Plan       json.RawMessage   `json:"plan"`
	Taken      int               `json:"taken"`
	Ahead      int               `json:"ahead"`
	Divisor    float64           `json:"divisor"`
	Levels     [][2]float64      `json:"levels"`
	Settings   settings          `json:"settings"`
	Weights    int               `json:"weights"`
	Frozen     int               `json:"frozen"`
	Averaged   int               `json:"averaged"`
	AverageSum int               `json:"average-sum"`
	Optimizers []optimizerHeader `json:"optimizers"`

	Paid   []certificate.LedgerRecord `json:"paid,omitempty"`
	Signed bool                       `json:"signed,omitempty"`
}

// optimizerHeader has the lengths of an optimizer's vectors.
type optimizerHeader struct {
	Taken   int   `json:"taken"`
	Vectors []int `json:"vectors"`
}

// encode returns the checkpoint as a file.
func (c *Checkpoint) encode() ([]byte, error) {
	plan, err := c.Plan.json()
	if err != nil {
		return nil, err
	}
	h := checkpointHeader{Plan: plan, Taken: c.Taken, Ahead: c.Ahead, Divisor: c.Divisor, Levels: c.Levels, Settings: c.settings,
		Weights: len(c.Weights), Frozen: len(c.Frozen), Averaged: c.Averaged, AverageSum: len(c.AverageSum), Paid: c.Paid, Signed: c.Sign != nil}
	numbers := [][]float64{c.Weights, wide(c.Frozen), c.AverageSum}
	for _, o := range c.Optimizers {
		own := optimizerHeader{Taken: o.Taken, Vectors: []int{}}
		for _, v := range o.Vectors {
			own.Vectors = append(own.Vectors, len(v))
		}
		numbers = append(numbers, o.Vectors...)
		h.Optimizers = append(h.Optimizers, own)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("neural: checkpoint: %w", err)
	}
	out := append(append([]byte(checkpointMagic), text...), '\n')
	for _, list := range numbers {
		for _, v := range list {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	sum := sha256.Sum256(out)
	if c.Sign != nil {
		out = append(out, c.Sign(sum[:])...)
		sum = sha256.Sum256(out)
	}
	return append(out, sum[:]...), nil
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for j, v := range x {
		out[j] = float64(v)
	}
	return out
}

// decodeCheckpoint reads the output of encode. It refuses a damaged file or one with other content.
func decodeCheckpoint(file []byte) (*Checkpoint, error) {
	body, ok := bytes.CutPrefix(file, []byte(checkpointMagic))
	line := bytes.IndexByte(body, '\n')
	if !ok || line < 0 || len(body)-line-1 < sha256.Size {
		return nil, fmt.Errorf("neural: the checkpoint does not begin like one of this version, want a file that a run wrote")
	}
	end := len(file) - sha256.Size
	if sum := sha256.Sum256(file[:end]); !bytes.Equal(sum[:], file[end:]) {
		return nil, fmt.Errorf("neural: the checkpoint is damaged, want it as it was written")
	}
	var h checkpointHeader
	if err := strict.Decode(body[:line], &h); err != nil {
		return nil, fmt.Errorf("neural: checkpoint: %w", err)
	}
	plan, err := strict.ReadPlan[Plan]("neural", h.Plan)
	if err != nil {
		return nil, err
	}
	numbers := body[line+1 : len(body)-sha256.Size]
	if !h.Signed {
		return h.checkpoint(plan, numbers)
	}
	if end -= ed25519.SignatureSize; len(numbers) < ed25519.SignatureSize {
		return nil, errCheckpointLength
	}
	c, err := h.checkpoint(plan, numbers[:len(numbers)-ed25519.SignatureSize])
	if err == nil {
		digest := sha256.Sum256(file[:end])
		c.Digest, c.Signature = digest[:], bytes.Clone(file[end:end+ed25519.SignatureSize])
	}
	return c, err
}

// checkpoint takes the numbers of a header from the bytes that follow it.
func (h checkpointHeader) checkpoint(plan Plan, numbers []byte) (*Checkpoint, error) {
	lengths := []int{h.Weights, h.Frozen, h.AverageSum}
	for _, o := range h.Optimizers {
		lengths = append(lengths, o.Vectors...)
	}
	left := len(numbers) / 8
	for _, n := range lengths {
		if n < 0 || n > left {
			return nil, errCheckpointLength
		}
		left -= n
	}
	if left != 0 || len(numbers)%8 != 0 {
		return nil, errCheckpointLength
	}
	next := func(n int) []float64 {
		if n == 0 {
			return nil
		}
		out := make([]float64, n)
		for j := range out {
			out[j] = math.Float64frombits(binary.LittleEndian.Uint64(numbers))
			numbers = numbers[8:]
		}
		return out
	}
	c := &Checkpoint{Plan: plan, Taken: h.Taken, Ahead: h.Ahead, Divisor: h.Divisor, Levels: h.Levels, settings: h.Settings, Averaged: h.Averaged, Paid: h.Paid}
	c.Weights = next(h.Weights)
	for _, v := range next(h.Frozen) {
		c.Frozen = append(c.Frozen, float32(v))
	}
	c.AverageSum = next(h.AverageSum)
	for _, o := range h.Optimizers {
		state := optimizer.State{Taken: o.Taken}
		for _, n := range o.Vectors {
			state.Vectors = append(state.Vectors, next(n))
		}
		c.Optimizers = append(c.Optimizers, state)
	}
	return c, nil
}

var errCheckpointLength = fmt.Errorf("neural: the checkpoint does not hold as many numbers as it says, want a file that a run wrote")

// checkpointTemporary is the prefix of names of files that are being written.
const checkpointTemporary = ".dither-writing-"

// Write atomically replaces the file at path by the checkpoint, with mode 0600. The path always
// contains the complete old or the complete new checkpoint. The file and its name are on disk when
// Write returns. The returned file is locked if the operating system has locks, so that no other
// run can use it. To write several checkpoints, close each returned file after the next call of
// Write.
func (c *Checkpoint) Write(path string) (*os.File, error) {
	text, err := c.encode()
	if err != nil {
		return nil, err
	}
	file, err := durable.Write(path, checkpointTemporary, text, 0o600)
	if err != nil {
		return nil, fmt.Errorf("neural: checkpoint: %w", err)
	}
	return file, nil
}

// ReadCheckpoint returns the checkpoint in a file that Write wrote.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("neural: checkpoint: %w", err)
	}
	return decodeCheckpoint(text)
}
