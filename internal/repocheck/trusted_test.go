package repocheck

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// trusted are the files that sum, check, sample and release: whoever reviews the guarantee reads them first, so they
// stay few. Kernels, and what rounds proposals (verify.go) and drives the kernels (whole.go), are checked by them.
var trusted = []string{"sum.go", "check.go", "entered.go", "secret.go", "group.go", "seen_set.go", "sample.go", "pay.go", "release.go"}

// maxTrusted is how many lines of code, without comments and empty lines, they may have.
const maxTrusted = 1060

// trustedRecursion are the files that plans which release the last iterate alone lean on as well, and
// maxRecursion their lines: there gradients are not verified but made, because the proof is about how
// they depend on the weights.
var trustedRecursion = []string{"lastiterate.go", "recursion.go", "loss_derivative.go"}

const maxRecursion = 370

// trustedMinimizers are the files that the minimizers of objectives over the records lean on as well: there
// a sensitivity is proved of what a search finds, so the search, its error and what it ends at are part of the
// proof; and maxMinimizers their lines.
var trustedMinimizers = []string{"loss.go", "minimize.go", "minimize_gradient.go", "minimize_newton.go", "objective.go", "descend.go", "candidates.go"}

const maxMinimizers = 880

// trustedProducts are the files that sums of a network's gradients lean on as well, and maxProducts their
// lines: contributions come in factors there, of which both sides are rounded and measured.
var trustedProducts = []string{"product.go", "product_check.go", "product_part.go"}

const maxProducts = 500

// trustedSeries are the files that releases with correlated noise, and samples that are cut to a size, lean on as
// well, and maxSeries their lines: who takes part when, and which exact sums noise is added to.
var trustedSeries = []string{"rotation.go", "series.go", "series_open.go", "series_matrix.go"}

const maxSeries = 410

// trustedVectors are the files that sums of vectors lean on as well, of records, of groups of them, and of those
// that random directions clip; and maxVectors their lines.
var trustedVectors = []string{"vector.go", "divide.go", "projected.go"}

const maxVectors = 320

func TestTrustedPartIsSmall(t *testing.T) {
	countTrusted(t, trusted, maxTrusted)
	countTrusted(t, trustedRecursion, maxRecursion)
	countTrusted(t, trustedMinimizers, maxMinimizers)
	countTrusted(t, trustedProducts, maxProducts)
	countTrusted(t, trustedSeries, maxSeries)
	countTrusted(t, trustedVectors, maxVectors)
}

func countTrusted(t *testing.T, files []string, most int) {
	t.Helper()
	lines := 0
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join("internal", "release", name))
		if err != nil {
			t.Fatal(err)
		}
		for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
			if line := strings.TrimSpace(scan.Text()); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	}
	if lines > most {
		t.Errorf("%d lines of code sum, check, sample and release, want at most %d; move out what is not of the proof", lines, most)
	}
	if lines < 100 {
		t.Errorf("%d lines counted, want those of the files %v", lines, files)
	}
}
