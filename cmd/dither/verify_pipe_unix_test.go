//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/model"
)

// TestPipesAreNotWaitedFor puts a pipe, which nobody writes to, in the place of each file that is read before the list
// of files is compared. Reading one would take without end.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	pipe := func(name string) {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip("there are no pipes here")
		}
	}
	for _, name := range []string{model.WeightsFileName, model.FileName, certificate.FileName} {
		pipe(name)
	}
	_, weights := feature.FilesIn(dir)(model.WeightsFileName)
	_, loaded := model.Load(dir)
	_, read := certificate.Read(filepath.Join(dir, certificate.FileName))
	_, verified := artefact.Verify(dir)
	for name, err := range map[string]error{"weights": weights, "model": loaded, "certificate": read, "folder": verified} {
		if err == nil || !strings.Contains(err.Error(), "plain file") {
			t.Errorf("%s: the error of a pipe is %v, want that it is no plain file", name, err)
		}
	}
}

// TestVerifyRefusesLongCertificates refuses a certificate by its length, before its text is read.
func TestVerifyRefusesLongCertificates(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	path := filepath.Join(made.folder, certificate.FileName)
	if err := os.Truncate(path, 16<<20+1); err != nil {
		t.Fatal(err)
	}
	if _, err := artefact.Verify(made.folder); err == nil || !strings.Contains(err.Error(), "plain file") {
		t.Errorf("the error of a certificate of more than 16 MiB is %v, want that of a file that is not read", err)
	}
}
