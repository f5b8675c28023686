package display

import "testing"

func TestSpreadsheet(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "low": "low", "<=50K": "<=50K", "=1+1": "'=1+1", "+1": "+1", "-1": "-1", "-1.5e3": "-1.5e3", "-1+1": "'-1+1", "+": "'+",
		"@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx", "a=b": "a=b", "-low": "'-low",
	} {
		if got := Spreadsheet(text); got != want {
			t.Errorf("Spreadsheet(%q): got %q, want %q", text, got, want)
		}
	}
}
