package bookkeeping

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/calibration"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// askOf returns what a certificate asks to be paid for.
func askOf(c certificate.Certificate) (budget.Ask, error) {
	if !c.Private {
		return budget.Ask{}, errors.New("the certificate is of a run without privacy, want one of finite epsilon; no budget covers it")
	}
	e, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return budget.Ask{}, err
	}
	return budget.Ask{Event: e, Draws: c.NoiseDraws, Delta: c.Delta, Own: budget.Guarantee{Epsilon: float64(c.Epsilon), Delta: c.Delta, Accountant: c.Accountant},
		Neighboring: c.Neighboring, Unit: privacy.Unit{Row: c.Unit, RowsPerPerson: c.GroupRows}, Purpose: purposeOf(c.Method), Run: c.Run}, nil
}

// purposeOf says what a method is for.
func purposeOf(method string) string {
	switch method {
	case option.MethodQuery, option.MethodEvaluation:
		return method
	}
	return "training (" + method + ")"
}

// mostSubject bounds a file with a plan or a certificate, in bytes.
const mostSubject = 16 << 20

// subject returns what a plan, a certificate, a model folder or an event asks to be paid for. An
// event is of the unit and relation of the ledger.
func (l *Ledger) subject(name string) (budget.Ask, error) {
	header, c, err := headerOf(name)
	if err != nil {
		return budget.Ask{}, err
	}
	if c != nil {
		a, failed := askOf(*c)
		if failed != nil {
			failed = fmt.Errorf("%s: %w", name, failed)
		}
		return a, failed
	}
	q, err := explain.Read(name)
	if err != nil {
		return budget.Ask{}, err
	}
	t := l.Terms()
	a := budget.Ask{Event: q.Event, Delta: min(t.Delta, calibration.DefaultDelta), Neighboring: t.Neighboring, Unit: t.Unit, Purpose: "the plan"}
	if q.Neighboring != 0 {
		a.Neighboring, a.Delta = q.Neighboring, q.Delta
	}
	if header.Unit != "" {
		a.Unit = privacy.Unit{Row: header.Unit, RowsPerPerson: header.RowsPerPerson}
	}
	return a, nil
}

// headerOf reads what a file says of its unit, or its certificate. Both are empty for an event.
func headerOf(name string) (header certificate.Subject, c *certificate.Certificate, err error) {
	info, err := os.Stat(name)
	switch {
	case err != nil: // an event, or explain.Read says what is wrong
		return header, nil, nil
	case info.IsDir():
		_, read, failed := artefact.ReadCertificate(name)
		return header, &read, failed
	case !info.Mode().IsRegular() || info.Size() > mostSubject:
		return header, nil, fmt.Errorf("%s is no plain file of at most %d MiB, want a plan, a certificate or a model folder", name, mostSubject>>20)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return header, nil, err
	}
	var parts map[string]json.RawMessage
	if json.Unmarshal(text, &parts) != nil { // explain.Read says so
		return header, nil, nil
	}
	if parts["certificate"] != nil {
		text = parts["certificate"]
	} else if parts["format"] == nil {
		_ = json.Unmarshal(text, &header) // explain.Read refuses what is malformed
		return header, nil, nil
	}
	read, err := certificate.Decode(text)
	if err != nil {
		return header, nil, fmt.Errorf("%s: %w", name, err)
	}
	return header, &read, nil
}
