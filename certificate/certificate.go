// Package certificate states the privacy cost of a release and recomputes it. A certificate is a
// JSON file with the plan, its events and their price. It contains public numbers only.
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
	// Private is true if epsilon is finite.
	Private bool `json:"private"`
	// Epsilon is an upper bound on the privacy loss in nats. In JSON it is "infinity" for a run
	// without privacy.
	Epsilon Epsilon `json:"epsilon"`
	// Asked is the epsilon that the user requested for the whole run. It is at least Epsilon, or 0
	// if no epsilon was requested for the whole run.
	Asked       Epsilon             `json:"epsilon-asked,omitempty"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
	Unit        string              `json:"unit"`
	Accountant  string              `json:"accountant"`
	// GroupRows is the declared number of rows of one person; 0 means not declared. GroupEpsilon is
	// the epsilon for all rows of one person together, at the same delta.
	GroupRows    int     `json:"group-rows,omitempty"`
	GroupEpsilon Epsilon `json:"group-epsilon,omitempty"`
	// Event is the released event as text. NoiseDraws is the number of random numbers that its
	// noise needed.
	Event      string `json:"event"`
	NoiseDraws int    `json:"noise-draws"`
	// Method is the name of the method. Plan is its JSON with all public numbers.
	Method string          `json:"method"`
	Plan   json.RawMessage `json:"plan"`
	// Learned lists the released bounds, bins and levels that the plan paid for because the schema
	// does not declare them.
	Learned []Learned `json:"learned,omitempty"`
	// Declared are statements of the trainer about data that are not in the folder; nil means none.
	Declared *Declared `json:"declared,omitempty"`
	// Recorded identifies the record of a durable ledger that paid for the run. It is nil if no
	// durable ledger was used.
	Recorded    *LedgerRecord `json:"ledger,omitempty"`
	Assumptions []string      `json:"assumptions"`
	Program     string        `json:"program"`
	Run         string        `json:"run"`
	Created     string        `json:"created"`
	ModelSHA256 string        `json:"model-sha256"`
	// EvaluationSHA256 is the hash of the file with a private evaluation. It is empty if the plan
	// has no evaluation.
	EvaluationSHA256 string `json:"evaluation-sha256,omitempty"`
	// IteratesSHA256 is the hash of the file with the weights after every step. It is empty if they
	// are not released.
	IteratesSHA256 string `json:"iterates-sha256,omitempty"`
	// ReportSHA256 is the hash of report.html, or empty without that page. The page repeats the
	// content of other files. Verification does not recompute it.
	ReportSHA256 string `json:"report-sha256,omitempty"`
	// charge is the price that Charge returns.
	charge float64
}

// LedgerRecord identifies one record of a durable ledger. Head is the hash of the ledger's chain up
// to that record. A ledger without this hash is a different ledger or an older copy.
type LedgerRecord struct {
	Ledger   string `json:"ledger"`
	Sequence uint64 `json:"sequence"`
	Head     string `json:"head"`
	// Earlier are the records that paid for the interrupted runs that this run continues, oldest
	// first.
	Earlier []LedgerRecord `json:"earlier,omitempty"`
}

// Charge returns the epsilon, in nats, that an otherwise empty ledger charges for this plan at the
// certificate's delta. It excludes the slack between executed and accounted noise. For a
// certificate that New did not make it returns Epsilon.
func (c Certificate) Charge() float64 {
	if c.charge == 0 {
		return float64(c.Epsilon)
	}
	return c.charge
}

// Learned is the release about one column: two bounds, cut points of bins, or levels. The cut
// points or levels may be empty.
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

// UnmarshalJSON reads a number or "infinity".
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

// Claim is everything that the certificate derives from a plan alone.
type Claim struct {
	Event       mechanism.Event
	NoiseDraws  int
	Neighboring privacy.Neighboring
	Delta       float64
	Unit        privacy.Unit
	// Assumptions are the conditions of the guarantee that follow from the plan, in words.
	Assumptions []string
}

// Method derives the claim from the JSON of a plan. Each training method has one.
type Method func(plan json.RawMessage) (Claim, error)

// New returns the certificate of a plan and its claim, including its price. The caller adds
// provenance, hashes, and the assumptions that the plan does not imply.
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

// Hash returns the SHA-256 of a model file, in the format of certificates.
func Hash(model []byte) string {
	sum := sha256.Sum256(model)
	return hex.EncodeToString(sum[:])
}

// Encode returns the bytes of certificate.json.
func (c Certificate) Encode() ([]byte, error) {
	out, err := json.MarshalIndent(c, "", " ")
	return append(out, '\n'), err
}

// Read returns the certificate in a file. Unknown fields are errors.
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

// VerifyEvent performs the checks of VerifyPlan except for the prices, which take most of the time.
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

// VerifyPlan recomputes everything that needs no model file. It derives the events from the plan
// and, if these agree, epsilon from the events. The returned error joins all disagreements.
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
