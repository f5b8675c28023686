package grid

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/sweep"
)

// markNone is the value of --mark that marks nothing.
const markNone = "none"

// markSettings reads --mark NAME=VALUE,… for settings that vary.
func (p *Plan) markSettings() ([]sweep.Setting, error) {
	var out []sweep.Setting
	for part := range strings.SplitSeq(p.Mark, ",") {
		name, value, has := strings.Cut(strings.TrimSpace(part), "=")
		one := sweep.Setting{Name: strings.ReplaceAll(strings.TrimSpace(name), " ", "-"), Value: strings.TrimSpace(value)}
		if !has && len(out) > 0 { // a value with commas of its own
			out[len(out)-1].Value += "," + strings.TrimSpace(part)
			continue
		}
		if !has || !p.varies(one.Name) {
			return nil, fmt.Errorf("--mark is %q, want values of settings that vary, such as %s, or %s", p.Mark, p.markExample(), markNone)
		}
		out = append(out, one)
	}
	return out, nil
}

// markExample returns a value of --mark for this sweep.
func (p *Plan) markExample() string {
	var parts []string
	for _, v := range p.Varied {
		parts = append(parts, v.Name+"="+v.Values[0])
	}
	if len(parts) == 0 {
		return "epsilon=1 where epsilon varies"
	}
	return strings.Join(parts, ",")
}

// checkMark checks --mark before anything runs.
func (p *Plan) checkMark() error {
	if p.Mark == "" || p.Mark == markNone {
		return nil
	}
	settings, err := p.markSettings()
	if err != nil {
		return err
	}
	chosen, err := outcome.Choose(p.Candidates, settings)
	if err != nil {
		return fmt.Errorf("--mark: %s", strings.TrimPrefix(err.Error(), "sweep: "))
	}
	p.marked = outcome.Marked{Candidate: chosen, Why: "the choice that --mark names"}
	return nil
}
