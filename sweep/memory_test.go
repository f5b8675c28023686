package sweep

import "sync"

// memory is a journal that no file keeps.
type memory struct {
	mutex   sync.Mutex
	begun   map[string]int
	results map[string]Measurement
}

func newMemory() *memory { return &memory{begun: map[string]int{}, results: map[string]Measurement{}} }

func (m *memory) Begin(runs []Run) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, r := range runs {
		m.begun[runKey(r.Settings, r.Baseline)]++
	}
	return nil
}

func (m *memory) End(results []Measurement) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, r := range results {
		m.results[r.key()] = r
	}
	return nil
}

func (m *memory) Result(r Run) (Measurement, bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	found, has := m.results[r.key()]
	return found, has
}

// ofCandidate is how many runs of a candidate began.
func (m *memory) ofCandidate(c *Candidate) int { return m.begun[c.key()] }
