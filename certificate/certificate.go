// Package certificate states what a model cost in privacy, and recomputes that: plan and events to
// JSON and back. A certificate holds public numbers only.
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
	Format  string `json:"format"`
	Version int    `json:"format-version"`
	// Private is false when epsilon is infinite.
	Private bool `json:"private"`
	// Epsilon is an upper bound in nats; "infinity" in JSON for a run without privacy.
	Epsilon Epsilon `json:"epsilon"`
	// Asked is the epsilon that the whole run was allowed, at least Epsilon. It is 0 where no
	// epsilon was asked for the whole run.
	Asked       Epsilon             `json:"epsilon-asked,omitempty"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
	Unit        string              `json:"unit"`
	Accountant  string              `json:"accountant"`
	// GroupRows is the declared number of rows of one person (0: not declared). GroupEpsilon is the
	// epsilon for all of them together, at the same delta.
	GroupRows    int     `json:"group-rows,omitempty"`
	GroupEpsilon Epsilon `json:"group-epsilon,omitempty"`
	// Event is what was released, and NoiseDraws the number of random numbers that were drawn.
	Event      string `json:"event"`
	NoiseDraws int    `json:"noise-draws"`
	// Method is the kind of the plan, and Plan its public numbers.
	Method string          `json:"method"`
	Plan   json.RawMessage `json:"plan"`
	// Learned are the bounds, bins and levels that the plan paid for instead of declaring, as
	// released.
	Learned []Learned `json:"learned,omitempty"`
	// Declared are the statements of the trainer about data outside the folder, nil for none.
	Declared *Declared `json:"declared,omitempty"`
	// Recorded is the record of a durable ledger that paid for the run, nil where none counts it.
	Recorded    *LedgerRecord `json:"ledger,omitempty"`
	Assumptions []string      `json:"assumptions"`
	Program     string        `json:"program"`
	Run         string        `json:"run"`
	Created     string        `json:"created"`
	ModelSHA256 string        `json:"model-sha256"`
	// EvaluationSHA256 is the hash of the file with a private evaluation, if the plan has one.
	EvaluationSHA256 string `json:"evaluation-sha256,omitempty"`
	// IteratesSHA256 is the hash of the file with the weights after every step, if they are released.
	IteratesSHA256 string `json:"iterates-sha256,omitempty"`
	// ReportSHA256 is the hash of the page about the run, if there is one. The page states what the
	// other files say, and nothing recomputes the page.
	ReportSHA256 string `json:"report-sha256,omitempty"`
	// charge is the price that Charge returns.
	charge float64
}

// LedgerRecord names one record of a durable ledger. Head is the hash of the chain up to that record.
// A ledger that does not have it is another one, or an older copy.
type LedgerRecord struct {
	Ledger   string `json:"ledger"`
	Sequence uint64 `json:"sequence"`
	Head     string `json:"head"`
}

// Charge returns the price that a ledger with this plan alone charges at the whole of delta. It is
// the price before the slack of the noise is added. For a certificate that New did not make it is
// Epsilon.
func (c Certificate) Charge() float64 {
	if c.charge == 0 {
		return float64(c.Epsilon)
	}
	return c.charge
}

// Learned is what was released about one column: two bounds, cut points of bins, or levels. There
// may be no cut points or levels.
type Learned struct {
	Column string    `json:"column"`
	Bounds []float64 `json:"bounds,omitempty"`
	Bins   []float64 `json:"bins,omitempty"`
	Levels []string  `json:"levels,omitempty"`
}

// Epsilon is a privacy loss in nats. Its JSON form is a number, or "infinity".
type Epsilon float64

// MarshalJSON returns a number or "infinity".
func (e Epsilon) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(e), 1) {
		return []byte(`"infinity"`), nil
	}
	return json.Marshal(float64(e))
}

// UnmarshalJSON reads what MarshalJSON returns.
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

// Claim is what follows from a plan.
type Claim struct {
	Event       mechanism.Event
	NoiseDraws  int
	Neighboring privacy.Neighboring
	Delta       float64
	Unit        privacy.Unit
	// Assumptions are what the guarantee depends on, as far as the plan alone says.
	Assumptions []string
}

// Method returns what follows from a plan's JSON; each training method has one.
type Method func(plan json.RawMessage) (Claim, error)

// New returns the certificate of a plan and its claim, priced. The caller fills in provenance,
// hashes, and the assumptions that do not follow from the plan alone.
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

// Hash returns the SHA-256 of a model file as the certificate spells it.
func Hash(model []byte) string {
	sum := sha256.Sum256(model)
	return hex.EncodeToString(sum[:])
}

// Encode returns the bytes of certificate.json.
func (c Certificate) Encode() ([]byte, error) {
	out, err := json.MarshalIndent(c, "", " ")
	return append(out, '\n'), err
}

// Read returns the certificate in a file; unknown fields are errors.
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

// Decode returns the certificate that Encode wrote.
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

// VerifyEvent returns the disagreements of VerifyPlan, but does not recompute prices, which take
// most of the time.
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

// VerifyPlan recomputes everything that needs no model file: the events from the plan and, where
// those agree, epsilon from the events. It returns every disagreement, joined.
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
