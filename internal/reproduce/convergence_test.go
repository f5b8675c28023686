package reproduce

import (
	"context"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/experiment"
)

// TestConvergence runs short descents, whose answers about kernels and single steps are those of long ones: what was
// seen to fail fails at the first weights.
func TestConvergence(t *testing.T) {
	p, err := openConvergence(context.Background(), 200, 60)
	if err != nil {
		t.Fatal(err)
	}
	entry := convergence()
	entry.Run = p.run
	out := check(t, entry, experiment.Environment{})
	if len(out.Comparisons) != 10 || len(out.Figures) != 3 {
		t.Fatalf("got %d rows and %d figures, want 10 and 3", len(out.Comparisons), len(out.Figures))
	}
	for i, want := range []string{"symmetric: yes; positive: yes; loss only falls: yes", "symmetric: no; positive: yes; loss only falls: no", "symmetric: no; ",
		"symmetric: yes; positive: yes; loss only falls: yes", "symmetric: yes; positive: yes; loss only falls: yes", "symmetric: no; positive: yes"} {
		if got := out.Comparisons[i]; !strings.HasPrefix(got.Ours, want) {
			t.Errorf("%s: got %q, want %q at the beginning", got.Quantity, got.Ours, want)
		}
	}
	if flat, layerwise := out.Comparisons[6].Ours, out.Comparisons[7].Ours; !strings.HasPrefix(flat, "yes") || !strings.HasPrefix(layerwise, "no") {
		t.Errorf("two records with opposite errors: got %q for flat and %q for layerwise clipping, want yes and no", flat, layerwise)
	}
	if noisy := out.Comparisons[8].Ours; !strings.HasPrefix(noisy, "no: ") || !strings.HasSuffix(noisy, "in 0 steps without noise") {
		t.Errorf("noise without clipping: got %q, want rises with noise and none without", noisy)
	}
	if rise := out.Comparisons[9].Value; !(rise > 1) {
		t.Errorf("the loss with noise is %v times that without, want more than 1", rise)
	}
}
