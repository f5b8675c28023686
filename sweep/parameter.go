package sweep

import "fmt"

// Setting is one setting of a run and its value.
type Setting struct {
	// Name is the name of a flag of `dither train`, without the leading hyphens.
	Name string `json:"name"`
	// Value is a value of the flag, as text.
	Value string `json:"value"`
}

// Parameter is a setting that a sweep varies, with the values that it takes.
type Parameter struct {
	// Name is the name of a flag of `dither train`, without the leading hyphens.
	Name string `json:"name"`
	// Values are the values that the setting takes, in order.
	Values []string `json:"values"`
}

// maxConfigurations bounds the configurations of a sweep.
const maxConfigurations = 1_000_000

// Combine returns every combination of the parameters' values. A combination has one setting for
// each parameter, in the order of the argument. The last parameter varies fastest. Without
// parameters there is one combination, which is empty. It is an error if a parameter has no values,
// or if a name or a value is repeated. More than a million combinations are an error too.
func Combine(parameters []Parameter) ([][]Setting, error) {
	out, seen := [][]Setting{nil}, map[string]bool{}
	for _, p := range parameters {
		if len(p.Values) == 0 || seen[p.Name] {
			return nil, fmt.Errorf("sweep: parameter %q has %d values or is named twice, want it once with at least 1 value", p.Name, len(p.Values))
		}
		if len(out) > maxConfigurations/len(p.Values) {
			return nil, fmt.Errorf("sweep: the parameters have more than %d combinations, want fewer; vary less", maxConfigurations)
		}
		seen[p.Name] = true
		values := map[string]bool{}
		next := make([][]Setting, 0, len(out)*len(p.Values))
		for _, head := range out {
			for _, v := range p.Values {
				next = append(next, append(head[:len(head):len(head)], Setting{p.Name, v}))
			}
		}
		for _, v := range p.Values {
			if values[v] {
				return nil, fmt.Errorf("sweep: parameter %q has the value %q twice, want each once", p.Name, v)
			}
			values[v] = true
		}
		out = next
	}
	return out, nil
}
