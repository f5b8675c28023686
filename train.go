package dither

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// Run is the result of Train. All fields are released and may be published.
type Run struct {
	// Model makes predictions. It is safe for concurrent use.
	Model *model.Model
	// Certificate states the guarantee of the run, with the plan that implies it.
	Certificate certificate.Certificate
	files       map[string][]byte
}

// Train returns a linear model that predicts the schema's target. It uses the defaults of the
// command `dither train`. It spends the whole remaining budget, or the amount of WithEpsilon.
// Records are a slice of structs, a file name, a data.Source or a *data.Dataset of the same schema. See
// data.FromStructs for the mapping of struct fields to columns. The number of records is private,
// so an empty data set is not an error.
//
// The price of a training is known before it starts: the epsilon of WithEpsilon, or all that is
// left. `dither train --dry-run` prints the plan that such an epsilon pays for.
//
// Invalid arguments are errors before anything is spent. If too little budget is left, the error
// wraps ledger.ErrOverBudget, and nothing is spent. If an error occurs after the first step, for
// example because ctx ends, the cost stays spent.
//
// Private bounds, bins and levels in the schema are learned by releases that are not Gaussian. Then
// Train needs an unspent budget and spends all of it, even with WithEpsilon.
func Train(ctx context.Context, b *Budget, s *data.Schema, records any, options ...Option) (*Run, error) {
	if err := b.check(s); err != nil {
		return nil, err
	}
	asked, err := settled(ctx, options)
	if err != nil {
		return nil, err
	}
	if err = asked.only("Train", "WithEpsilon", "PerPerson", "WithProgress", "Into", "WithSignature", "WithInteractions"); err != nil {
		return nil, err
	}
	person := asked.plan.Person
	b.calls.Lock()
	defer b.calls.Unlock()
	request, how := train.Defaults()
	request.Delta, request.Neighboring = b.delta, b.neighboring
	words := cmp.Or(asked.words, training.AutoInteractions)
	if request.Transforms, err = training.Transforms(words, nil); err != nil {
		return nil, err
	}
	var o data.ReadOptions
	if person != nil {
		request.Person, o.Extra = &train.PersonUnit{Column: person.Column, MaxRows: person.MaxRows}, []string{person.Column}
	}
	if request.Epsilon, err = b.asked(ctx, asked.epsilon); err != nil {
		return nil, err
	}
	if err = training.Improve(&request, how, s, words, true); err != nil {
		return nil, err
	}
	planned, err := training.Descent(request, how, false, tablesOf(s, records))
	if err != nil {
		return nil, err
	}
	limit, err := b.open(ctx, s.Name, planned.Setup.Plan.Method(), planned.Setup.Plan.Event(), planned.Setup.Plan.Derivation().Unit)
	if err != nil {
		return nil, err
	}
	var written []byte // the certificate
	defer func() { b.settle(ctx, written) }()
	b.note(&planned.Draft)
	if planned.Folder, err = taken(asked.folder); err != nil {
		return nil, err
	}
	defer planned.Close()
	planned.Folder.SignWith(asked.key)
	if planned.Records, err = read(ctx, s, records, o); err != nil {
		return nil, err
	}
	if err = unspent(ctx); err != nil {
		return nil, err
	}
	if asked.progress != nil {
		planned.Options.Progress = func(p train.Progress) { asked.progress(p.Step, p.Steps, p.Epsilon) }
	}
	finished, err := planned.Train(ctx, limit)
	if err != nil {
		return nil, err
	}
	written = finished.Files[certificate.FileName]
	c, err := certificate.Decode(written)
	if err != nil {
		return nil, err
	}
	signed, err := artefact.Signed(finished.Files, asked.key)
	return &Run{Model: finished.Result.Model, Certificate: c, files: signed}, err
}

// taken reserves the name of a folder, if one is given.
func taken(folder *string) (*artefact.Folder, error) {
	if folder == nil {
		return new(artefact.Folder), nil
	}
	if *folder == "" {
		return nil, errors.New("dither: folder of Into is empty, want a name that nothing has")
	}
	if _, err := os.Lstat(*folder); err == nil {
		return nil, fmt.Errorf("dither: folder %s exists, want a name that nothing has", *folder)
	}
	home := filepath.Dir(*folder)
	if _, err := os.Stat(home); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("dither: folder %s is not there, want a place for %s; make it first", home, filepath.Base(*folder))
	}
	return artefact.Claim(*folder, false, io.Discard)
}

// Save writes the model, the certificate and report.html into a new folder, and certificate.sig if
// Train was given WithSignature. Verify and the command read this folder. It is an error if the
// name exists already. It is an error if Train did not return the Run.
func (r *Run) Save(folder string) error {
	if r == nil || len(r.files) == 0 {
		return errors.New("dither: run is empty, want one that Train returned")
	}
	return artefact.Write(folder, r.files)
}

// Open returns the model in a folder that Save or the command wrote. It does not verify the folder:
// see Verify.
func Open(folder string) (*model.Model, error) {
	m, err := model.Load(folder)
	if err != nil && artefact.IsUnfinished(folder) {
		return nil, artefact.Unfinished(folder)
	}
	return m, err
}

// Verification is the result of Verify.
type Verification struct {
	// Verified reports whether all files of the folder agree with the plan and with each other.
	Verified bool
	// Checked lists the comparisons that Verify made, in words.
	Checked []string
	// Disagreements lists two kinds of faults: numbers that do not follow from the plan, and
	// contradictions between files. It is empty for a verified folder.
	Disagreements []string
	// Guarantee states the guarantee in words. It is empty if Verified is false.
	Guarantee string
	// Certificate is the certificate of the folder. It is nil if Verified is false.
	Certificate *certificate.Certificate
	// SignedBy contains the identifier of each key that signed the certificate. The identifier is
	// the hexadecimal SHA-256 of the key's SubjectPublicKeyInfo. The folder does not tell who owns
	// a key.
	SignedBy []string
}

// Verify checks a folder that Save or the command wrote. It recomputes every number that follows
// from the plan and compares all files with the results. It requires a valid signature by each key
// in signedBy. If anything disagrees or a signature is missing, Verified is false and the error is
// nil. The error is not nil if files are missing or unreadable, or if a key has the wrong length.
func Verify(folder string, signedBy ...ed25519.PublicKey) (Verification, error) {
	names := make([]string, len(signedBy))
	for i, key := range signedBy {
		if len(key) != ed25519.PublicKeySize {
			return Verification{}, fmt.Errorf("dither: public key %d has %d bytes, want %d of an Ed25519 key", i+1, len(key), ed25519.PublicKeySize)
		}
		names[i] = fmt.Sprintf("public key %d", i+1)
	}
	v, err := training.Verify(folder, signedBy, names)
	return Verification{v.Verified, v.Checked, v.Disagreements, v.Guarantee, v.Certificate, v.SignedBy}, err
}

// tablesOf describes the records of a run. Where they come from a database, the certificate says so.
func tablesOf(s *data.Schema, records any) training.Tables {
	t := training.Tables{Schema: s}
	if source, ok := records.(data.Source); ok && source.Database != nil {
		t.Source = &source
	}
	return t
}
