package mechanism

import "github.com/ditherml/dither/privacy"

// RandomAllocation is an event that happens at each of Steps steps, on the records that are
// allocated to that step. Before the first step each record draws the one step that it takes part
// in, uniformly and independently of everything else. Nobody learns which step ("balls in bins").
// Later steps may depend on the outputs of earlier ones. Repeat of a RandomAllocation, as over
// several epochs, draws the steps anew each time. Event is a Gaussian or a sequence of Gaussians.
//
// Its price, unlike that of a Partition, depends on the step of a record being secret. No sampling
// of package internal/release draws it: it prices what other programs do.
//
// Source: Chua, Ghazi, Harrison, Leeman, Kamath, Kumar, Manurangsi, Sinha & Zhang, "Balls-and-Bins
// Sampling for DP-SGD", AISTATS 2025, https://arxiv.org/abs/2412.16802; Feldman & Shenfeld,
// "Privacy amplification by random allocation", 2025, https://arxiv.org/abs/2502.08202.
type RandomAllocation struct {
	Steps int
	Event Event
}

// maxAllocation is the largest number of steps.
const maxAllocation = 1 << 20

// String returns text such as "random-allocation(100, gaussian(1.1))".
func (r RandomAllocation) String() string { return call("random-allocation", r.Steps, r.Event) }

func (r RandomAllocation) check() error {
	if r.Steps < 1 || r.Steps > maxAllocation {
		return wrong("number of steps", r, r.Steps, "1 to 2^20")
	}
	return checkJoined(r, r.Event)
}

func (RandomAllocation) unproved(privacy.Neighboring) string { return "" }
func (r RandomAllocation) parts() []Event                    { return []Event{r.Event} }
