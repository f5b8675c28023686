package sweep

import "fmt"

// Setting is one setting of a run. Its name is a flag of `dither train` without hyphens, and its
// value is a value of that flag.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Parameter is a setting that a sweep varies, with its values in order.
type Parameter struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// maxConfigurations bounds the configurations of a sweep.
const maxConfigurations = 1_000_000

// Combine returns every combination of the values of parameters. A combination has one value for
// each parameter, in their order. The last parameter varies fastest. No parameters have one
// combination, the empty one. A parameter without values, a repeated name and a repeated value are
// errors. More than a million combinations are an error too.
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
