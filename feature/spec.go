package feature

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// listForm matches a list of integers on one line: 28x28.
var listForm = regexp.MustCompile(`^[0-9]+(x[0-9]+)+$`)

// ParseSpec returns the description of a transform, given in the form NAME or
// NAME:key=value,key=value. A value is a number, true, false, integers separated by x (such as
// 28x28), or any other text. ParseSpec does not check that the transform exists or accepts the
// parameters; NewPipeline does.
func ParseSpec(text string) (Spec, error) {
	name, rest, more := strings.Cut(text, ":")
	if name == "" {
		return Spec{}, fmt.Errorf("feature: transform is %q, want NAME or NAME:key=value,key=value", text)
	}
	if !more {
		return Spec{Name: name}, nil
	}
	parameters := map[string]any{}
	for _, part := range strings.Split(rest, ",") {
		key, value, found := strings.Cut(part, "=")
		if _, twice := parameters[key]; key == "" || !found || twice {
			return Spec{}, fmt.Errorf("feature: transform is %q, want NAME:key=value,key=value with each key once", text)
		}
		parameters[key] = parseValue(value)
	}
	out, err := json.Marshal(parameters)
	if err != nil {
		return Spec{}, fmt.Errorf("feature: transform is %q: %w", text, err)
	}
	return Spec{Name: name, Parameters: out}, nil
}

func parseValue(text string) any {
	if listForm.MatchString(text) {
		list := []json.Number{}
		for _, n := range strings.Split(text, "x") {
			list = append(list, json.Number(strings.TrimLeft(n[:len(n)-1], "0")+n[len(n)-1:]))
		}
		return list
	}
	switch v, err := strconv.ParseFloat(text, 64); {
	case err == nil && v-v == 0:
		return v
	case text == "true" || text == "false":
		return text == "true"
	}
	return text
}
