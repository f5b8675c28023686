package main

import (
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/display"
)

// Names of package artefact, as this command says them.
const (
	iteratesName = artefact.IteratesName
	reportName   = artefact.ReportName
)

// verification is what dither verify prints.
type verification = artefact.Verification

func verifyFolder(path string) (verification, error) { return artefact.Verify(path) }
func readPart(path, name string) ([]byte, error)     { return artefact.ReadPart(path, name) }
func sameJSON(a, b []byte) bool                      { return artefact.SameJSON(a, b) }
func isNetwork(method string) bool                   { return artefact.IsNetwork(method) }
func isOther(method string) bool                     { return artefact.IsOther(method) }

func assumptionsOf(p certificate.Premises, s *data.Schema, m *feature.Map, c certificate.Certificate) []string {
	return artefact.AssumptionsOf(p, s, m, c)
}

func oneLine(text string) string { return display.OneLine(text) }
func exists(path string) bool    { return display.Exists(path) }
func pathless(err error) error   { return display.Pathless(err) }
