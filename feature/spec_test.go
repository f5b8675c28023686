package feature

import (
	"strings"
	"testing"
)

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]string{
		"deskew":                    ``,
		"deskew:shape=28x28":        `{"shape":[28,28]}`,
		"a:shape=032x32x3":          `{"shape":[32,32,3]}`,
		"a:n=27,b=0.5,c=true,d=x":   `{"b":0.5,"c":true,"d":"x","n":27}`,
		"a:b=-1e3,c=28x,d=inf,e=":   `{"b":-1000,"c":"28x","d":"inf","e":""}`,
		"a:shape=00x10,kind=a b\"c": `{"kind":"a b\"c","shape":[0,10]}`,
	} {
		got, err := ParseSpec(text)
		if err != nil || string(got.Parameters) != want || got.Name != strings.SplitN(text, ":", 2)[0] {
			t.Errorf("%s: got %q %s, %v, want %s", text, got.Name, got.Parameters, err, want)
		}
	}
	for _, text := range []string{"", ":a=1", "a:", "a:b", "a:b=1,b=2", "a:=1", "a:b=1,"} {
		if got, err := ParseSpec(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

// TestTransformRefusals names what is wrong in each.
func TestTransformRefusals(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"deskewed:shape=28x28", "want one of crosses, deskew, encoder, fourier, groupnorm, interactions, scattering, standardize"},
		{"deskew", "shape is []"},
		{"deskew:shape=28x27", "want the 784 numbers"},
		{"deskew:shape=28", "parameters"},
		{"deskew:shape=28x28x1x1", "rows and columns"},
		{"deskew:shape=4x4x49", "want a grey image"},
		{"deskew:shape=28x28,angle=1", "unknown field"},
		{"deskew:shape=0x28", "image of 784 numbers"},
		{"deskew:shape=99999999999x99999999999", "image of 784 numbers"},
		{"deskew:shape=16x1152921504606847025", "image of 784 numbers"}, // 784 modulo 2⁶⁴
		{"deskew:shape=99999999999999999999x1", "parameters"},
		{"scattering:shape=28x28x3", "want the 784 numbers"},
		{"scattering:shape=14x56", "multiples of 4"},
		{"scattering:shape=4x196", "at least 8"},
		{"groupnorm", "groups is 0"},
		{"standardize", "mean is missing, want a public constant"},
		{"standardize:mean=1e9", "mean is 1e+09, want at most 1e+06"},
		{"standardize:mean=0,deviation=0", "deviation is 0, want 1e-06 to 1e+06"},
		{"standardize:mean=0,deviation=-1", "deviation is -1"},
		{"standardize:mean=half", "cannot unmarshal"},
		{"groupnorm:groups=-7", "groups is -7"},
		{"groupnorm:groups=9", "a divisor of the 784 numbers"},
		{"groupnorm:groups=784", "2 numbers or more"},
	} {
		spec, err := ParseSpec(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if _, err = newTransforms([]Spec{spec}, surroundings{in: 784}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want an error with %q", c.text, err, c.says)
		}
	}
}
