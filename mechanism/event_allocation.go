package mechanism

import "github.com/ditherml/dither/privacy"

// RandomAllocation is an event that happens once in each step of a series. In each step it concerns
// only the records that are allocated to that step. Each record is allocated to one step, uniformly
// and independently of everything else. The allocation is secret ("balls in bins"). Later steps may
// depend on the outputs of earlier steps. A Repeat of a RandomAllocation, for example over epochs,
// allocates anew each time. Event is a Gaussian or a sequence of Gaussians.
//
// The cost depends on the secrecy of the allocation, unlike the cost of a Partition. This module
// never draws such an allocation. The event serves to compute the cost of releases by other
// programs.
//
// Source: Chua, Ghazi, Harrison, Leeman, Kamath, Kumar, Manurangsi, Sinha & Zhang, "Balls-and-Bins
// Sampling for DP-SGD", AISTATS 2025, https://arxiv.org/abs/2412.16802; Feldman & Shenfeld,
// "Privacy amplification by random allocation", 2025, https://arxiv.org/abs/2502.08202.
type RandomAllocation struct {
	// Steps is the number of steps.
	Steps int
	// Event is the event of one step, a Gaussian or a sequence of Gaussians.
	Event Event
}

// maxAllocation is the largest number of steps.
const maxAllocation = 1 << 20

// String returns text such as "random-allocation(100, gaussian(1.1))". The arguments are the number
// of steps and the event.
func (r RandomAllocation) String() string { return call("random-allocation", r.Steps, r.Event) }

func (r RandomAllocation) check() error {
	if r.Steps < 1 || r.Steps > maxAllocation {
		return wrong("number of steps", r, r.Steps, "1 to 2^20")
	}
	return checkJoined(r, r.Event)
}

func (RandomAllocation) unproved(privacy.Neighboring) string { return "" }
func (r RandomAllocation) parts() []Event                    { return []Event{r.Event} }
