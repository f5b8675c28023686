// Package certificate states the privacy cost of a release and recomputes the cost. A certificate
// is a JSON file with the plan of the release, the event of the plan and the price of the event. It
// contains public numbers only.
package certificate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// FileName is the name of the certificate inside a model folder.
const FileName = "certificate.json"

const (
	format        = "dither-certificate"
	formatVersion = 1
)

// maxFileSize is the largest size of a certificate that Read and Decode accept, in bytes.
const maxFileSize = 16 << 20

// Certificate is the content of certificate.json.
type Certificate struct {
	// Format is "dither-certificate".
	Format string `json:"format"`
	// Version is the version of the format: 1.
	Version int `json:"format-version"`
	// Private reports whether Epsilon is finite.
	Private bool `json:"private"`
	// Epsilon is the ε of the guarantee for one row, in nats. It is a proven upper bound. In JSON
	// it is "infinity" for a run without privacy.
	Epsilon Epsilon `json:"epsilon"`
	// Asked is the epsilon, in nats, that the user requested for the whole run. It is 0 if no
	// epsilon was requested for the whole run. Otherwise it is at least Epsilon.
	Asked Epsilon `json:"epsilon-asked,omitempty"`
	// Delta is the δ of the guarantee.
	Delta float64 `json:"delta"`
	// Neighboring is the neighboring relation of the guarantee.
	Neighboring privacy.Neighboring `json:"neighboring"`
	// Unit describes in words what one row stands for, for example "one person".
	Unit string `json:"unit"`
	// Accountant is the name of the accountant that computed Epsilon.
	Accountant string `json:"accountant"`
	// GroupRows is the declared maximum number of rows of one person. 0 means that no maximum is
	// declared.
	GroupRows int `json:"group-rows,omitempty"`
	// GroupEpsilon is the epsilon, in nats, for GroupRows rows of one person together, at the same
	// Delta. It is 0 if GroupRows is 0.
	GroupEpsilon Epsilon `json:"group-epsilon,omitempty"`
	// Event is the released event as text. mechanism.ParseEvent reads it.
	Event string `json:"event"`
	// NoiseDraws is the number of random numbers in the noise of the event.
	NoiseDraws int `json:"noise-draws"`
	// Method is the name of the method to which the plan belongs, for example the name of a
	// training method.
	Method string `json:"method"`
	// Plan is the plan as JSON, with all public numbers of the release.
	Plan json.RawMessage `json:"plan"`
	// Learned lists the released bounds, bins and levels that the plan paid for because the schema
	// does not declare them.
	Learned []Learned `json:"learned,omitempty"`
	// Declared contains statements about data that are not in the folder, made by the person who
	// trained the model. Nil means that there are no such statements.
	Declared *Declared `json:"declared,omitempty"`
	// Recorded identifies the record of a durable ledger that paid for the run. It is nil if no
	// durable ledger was used.
	Recorded *LedgerRecord `json:"ledger,omitempty"`
	// Assumptions are the conditions of the guarantee, in words.
	Assumptions []string `json:"assumptions"`
	// Program is the name and version of the program that made the release.
	Program string `json:"program"`
	// Run is a random identifier of the run, in hexadecimal digits.
	Run string `json:"run"`
	// Created is the time at which the certificate was made, in RFC 3339.
	Created string `json:"created"`
	// ModelSHA256 is the SHA-256 of the model file, in hexadecimal digits.
	ModelSHA256 string `json:"model-sha256"`
	// EvaluationSHA256 is the SHA-256 of the file with a private evaluation. It is empty if the
	// plan has no evaluation.
	EvaluationSHA256 string `json:"evaluation-sha256,omitempty"`
	// IteratesSHA256 is the SHA-256 of the file with the weights after every step. It is empty if
	// these weights are not released.
	IteratesSHA256 string `json:"iterates-sha256,omitempty"`
	// ReportSHA256 is the SHA-256 of report.html. It is empty if there is no report.html. The
	// report repeats the content of other files, and verification does not recompute it.
	ReportSHA256 string `json:"report-sha256,omitempty"`
	// charge is the price that Charge returns.
	charge float64
}

// LedgerRecord identifies one record of a durable ledger.
type LedgerRecord struct {
	// Ledger is the identifier of the ledger.
	Ledger string `json:"ledger"`
	// Sequence is the number of the record within the ledger.
	Sequence uint64 `json:"sequence"`
	// Head is the hash of the ledger's chain of records up to this record. A ledger without this
	// hash is a different ledger, or a copy made before this record.
	Head string `json:"head"`
	// Earlier are the records that paid for the interrupted runs which this run continues, oldest
	// first.
	Earlier []LedgerRecord `json:"earlier,omitempty"`
	// Others is the number of other releases that the ledger counted before this record. Spent is the
	// epsilon, in nats, that all releases proved together when the ledger had paid for this run. Limit
	// and LimitDelta are the cap of the ledger. All are 0 for runs of older programs.
	Others     int     `json:"other-releases,omitempty"`
	Spent      Epsilon `json:"epsilon-spent,omitempty"`
	Limit      Epsilon `json:"epsilon-limit,omitempty"`
	LimitDelta float64 `json:"delta-limit,omitempty"`
	// Signature is the ed25519 signature of the run over the certificate without this field, in hexadecimal
	// digits. The record contains the public key. It is empty for runs of older programs.
	Signature string `json:"signature,omitempty"`
	// sign signs the text of a certificate.
	sign func(text []byte) []byte
}

// SignWith makes Encode sign each certificate that names the record. The function sign returns the signature of a
// text. SignWith is for the run that made the record.
func (r *LedgerRecord) SignWith(sign func(text []byte) []byte) { r.sign = sign }

// Charge returns the epsilon, in nats, that an otherwise empty ledger charges for this plan at the
// certificate's delta. The executed noise is rounded, so it differs slightly from the noise of the
// event. The field Epsilon includes the cost of this difference, and Charge does not. If New did
// not return the certificate, Charge returns the field Epsilon.
func (c Certificate) Charge() float64 {
	if c.charge == 0 {
		return float64(c.Epsilon)
	}
	return c.charge
}

// Learned contains the bounds, the bins or the levels that were released for one column, because
// the schema does not declare them. Only one of Bounds, Bins and Levels is set.
type Learned struct {
	// Column is the name of the column.
	Column string `json:"column"`
	// Bounds are the lower and the upper bound of a numeric column.
	Bounds []float64 `json:"bounds,omitempty"`
	// Bins are the cut points of a numeric column, in increasing order. There may be no cut points.
	Bins []float64 `json:"bins,omitempty"`
	// Levels are the levels of a categorical column. There may be no levels.
	Levels []string `json:"levels,omitempty"`
}

// Epsilon is the ε of a guarantee, in nats. In JSON it is a number, or the text "infinity".
type Epsilon float64

// MarshalJSON returns epsilon as a number, or "infinity" for +Inf.
func (e Epsilon) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(e), 1) {
		return []byte(`"infinity"`), nil
	}
	return json.Marshal(float64(e))
}

// UnmarshalJSON reads a number, or "infinity" as +Inf.
func (e *Epsilon) UnmarshalJSON(text []byte) error {
	if string(text) == `"infinity"` {
		*e = Epsilon(math.Inf(1))
		return nil
	}
	var v float64
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("certificate: epsilon is not a number or \"infinity\"")
	}
	*e = Epsilon(v)
	return nil
}

// Claim contains the parts of a certificate that follow from a plan alone.
type Claim struct {
	// Event is the event that the plan releases. Its price is the cost of the plan.
	Event mechanism.Event
	// NoiseDraws is the number of random numbers in the noise of the event.
	NoiseDraws int
	// Neighboring is the neighboring relation of the guarantee.
	Neighboring privacy.Neighboring
	// Delta is the δ of the guarantee.
	Delta float64
	// Unit is the unit that the guarantee protects.
	Unit privacy.Unit
	// Assumptions are the conditions of the guarantee that follow from the plan, in words.
	Assumptions []string
}

// Method is a function that derives the claim from the JSON of a plan. Each training method has one
// such function.
type Method func(plan json.RawMessage) (Claim, error)

// New returns the certificate of a plan, including its price. The claim d must be derived from the
// plan. The caller adds the program, the time and the hashes. The caller also adds the assumptions
// that the plan does not imply.
func New(method string, plan json.RawMessage, d Claim) (Certificate, error) {
	price, err := priceOf(d)
	if err != nil {
		return Certificate{}, err
	}
	c := Certificate{Format: format, Version: formatVersion, Private: !math.IsInf(price.Epsilon, 1),
		Epsilon: Epsilon(price.Epsilon), Delta: d.Delta, Neighboring: d.Neighboring, Unit: d.Unit.Row, Accountant: d.accountant().Name(),
		GroupRows: d.Unit.RowsPerPerson, Event: d.Event.String(), NoiseDraws: d.NoiseDraws, Method: method, Plan: plan, Assumptions: d.Assumptions, charge: price.charge}
	if d.Unit.RowsPerPerson > 0 {
		c.GroupEpsilon = Epsilon(price.GroupEpsilon)
	}
	return c, nil
}

// Hash returns the SHA-256 of the bytes of a model file, in lower-case hexadecimal digits.
func Hash(model []byte) string {
	sum := sha256.Sum256(model)
	return hex.EncodeToString(sum[:])
}

// Encode returns the bytes of certificate.json.
func (c Certificate) Encode() ([]byte, error) {
	if c.Recorded != nil && c.Recorded.sign != nil {
		unsigned := c.unsigned()
		text, err := unsigned.Encode()
		if err != nil {
			return nil, err
		}
		unsigned.Recorded.Signature = hex.EncodeToString(c.Recorded.sign(text))
		c = unsigned
	}
	out, err := json.MarshalIndent(c, "", " ")
	return append(out, '\n'), err
}

// unsigned returns the certificate without the signature of its run. Encode returns the text that this signature is
// over.
func (c Certificate) unsigned() Certificate {
	if c.Recorded != nil {
		r := *c.Recorded
		r.Signature, r.sign = "", nil
		c.Recorded = &r
	}
	return c
}

// Read returns the certificate in a file. An unknown field is an error.
func Read(path string) (Certificate, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Certificate{}, fmt.Errorf("certificate: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return Certificate{}, fmt.Errorf("certificate: %s is no plain file of at most %d bytes, want a certificate that dither train wrote", path, maxFileSize)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Certificate{}, fmt.Errorf("certificate: %w", err)
	}
	c, err := Decode(text)
	if err != nil {
		return c, fmt.Errorf("certificate: %s: %w", path, err)
	}
	return c, nil
}

// Decode returns the certificate that Encode wrote as this text. An unknown field or another format
// version is an error.
func Decode(text []byte) (Certificate, error) {
	var c Certificate
	if len(text) > maxFileSize {
		return c, fmt.Errorf("not a certificate: the text has more than %d bytes", maxFileSize)
	}
	if err := strict.Decode(text, &c); err != nil {
		return c, fmt.Errorf("not a certificate: %w", err)
	}
	if c.Format != format || c.Version != formatVersion {
		return c, fmt.Errorf("format is %q version %d, want %q version %d", c.Format, c.Version, format, formatVersion)
	}
	return c, nil
}

// derivation reads the plan.
func (c Certificate) derivation(methods map[string]Method) (Claim, error) {
	method, known := methods[c.Method]
	if !known {
		return Claim{}, fmt.Errorf("certificate: method is %q, which this program does not know", c.Method)
	}
	d, err := method(c.Plan)
	if err != nil {
		return Claim{}, fmt.Errorf("certificate: the plan is not valid: %w", err)
	}
	return d, nil
}

// VerifyEvent derives the event from the plan and compares it with the certificate. It does not
// recompute the prices, which would take most of the time of VerifyPlan. The argument methods
// contains the known methods by name. The returned error joins all disagreements.
func (c Certificate) VerifyEvent(methods map[string]Method) error {
	d, err := c.derivation(methods)
	if err != nil {
		return err
	}
	return c.compareEvent(d)
}

func (c Certificate) compareEvent(d Claim) error {
	return errors.Join(
		same("event", c.Event, d.Event.String(), "the plan"),
		same("number of noise draws", c.NoiseDraws, d.NoiseDraws, "the plan"),
		same("neighboring relation", c.Neighboring, d.Neighboring, "the plan"),
		same("delta", c.Delta, d.Delta, "the plan"),
		same("unit", c.Unit, d.Unit.Row, "the plan"),
		same("rows of one person", c.GroupRows, d.Unit.RowsPerPerson, "the plan"),
		same("accountant", c.Accountant, d.accountant().Name(), "this program"),
		same("private", c.Private, !math.IsInf(float64(c.Epsilon), 1), "epsilon"),
		c.checkSigns(),
	)
}

// VerifyPlan recomputes everything in the certificate that needs no other file. It derives the
// event from the plan and compares it with the certificate. If the event agrees, it also recomputes
// epsilon from the event. The argument methods contains the known methods by name. The returned
// error joins all disagreements.
func (c Certificate) VerifyPlan(methods map[string]Method) error {
	d, err := c.derivation(methods)
	if err != nil {
		return err
	}
	if err = c.compareEvent(d); err != nil {
		return err
	}
	want, err := New(c.Method, c.Plan, d)
	if err != nil {
		return err
	}
	return errors.Join(
		near("epsilon", float64(c.Epsilon), float64(want.Epsilon), c.Accountant),
		near("epsilon for the rows of one person", float64(c.GroupEpsilon), float64(want.GroupEpsilon), c.Accountant),
		c.checkAsked(),
	)
}

// checkAsked refuses a run that spent more than was asked for, and a budget that makes no sense.
func (c Certificate) checkAsked() error {
	if c.Asked == 0 || c.Private && c.Asked >= c.Epsilon && c.Asked <= math.MaxFloat64 {
		return nil
	}
	return fmt.Errorf("certificate: the epsilon that was asked for is %v, want a finite number of at least the epsilon %v of the run", float64(c.Asked), float64(c.Epsilon))
}

// checkSigns refuses a price or a delta with a sign; -0 has one.
func (c Certificate) checkSigns() error {
	if math.Signbit(c.Delta) || math.Signbit(float64(c.Epsilon)) || math.Signbit(float64(c.GroupEpsilon)) || math.Signbit(float64(c.Asked)) {
		return fmt.Errorf("certificate: an epsilon or delta is written with a minus, want none")
	}
	return nil
}

func same[T comparable](what string, got, want T, source string) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("certificate: the %s is %v, want %v, which follows from %s", what, got, want, source)
}

// The relative differences that are allowed between prices of one event on two machines. The
// programs are the same. Elementary functions differ in their last digits, and so do sums that one
// processor fuses and another does not. Compare 70 plans of 1 to 1,000 releases, compiled with and
// without fused multiplication and addition. No price under pld differs by more than 1.4e-11, and
// no price of a formula by more than 1e-13.
const (
	formulaTolerance = 1e-9
	latticeTolerance = 1e-7
)

// near compares two prices. Infinity equals only itself, and NaN nothing.
func near(what string, got, want float64, accountant string) error {
	tolerance := formulaTolerance
	if accountant == account.PLD.Name() {
		tolerance = latticeTolerance
	}
	finite := !math.IsInf(got, 0) && !math.IsInf(want, 0)
	if got == want || finite && math.Abs(got-want) <= tolerance*math.Abs(want) {
		return nil
	}
	return fmt.Errorf("certificate: the %s is %.12g, want %.12g, which follows from the events", what, got, want)
}
