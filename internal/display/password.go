package display

import (
	"regexp"
	"slices"
)

// secrets are passwords in addresses and in the settings of a connection. PWD is a setting only after a
// quote or a separator, because a column may have that name. In a comment of SQL it is one anywhere.
var (
	secrets = regexp.MustCompile(`(?i)(\w://[^\s/?#@:]*:)\S*(@)|((?:password|[;&?'"$]\s*pwd)\s*(?:=|%3d)\s*)('(?:[^'\\]|\\.)*'|\{(?:[^}]|\}\})*\}|[^\s&;"']+)`)
	ofNotes = regexp.MustCompile(`(?i)(\bpwd\s*(?:=|%3d)\s*)('[^']*'?|"[^"]*"?|\{[^}]*\}?|\S+)`)
	notes   = regexp.MustCompile(`(?s)--[^\r\n]*|/\*.*?(?:\*/|$)`)
)

// HasPassword reports whether a query contains a password.
func HasPassword(query string) bool {
	return secrets.MatchString(query) || slices.ContainsFunc(notes.FindAllString(query, -1), ofNotes.MatchString)
}

// Redact returns a text without the passwords in addresses of databases. Parsed addresses contain
// none. Redact is for texts that quote a command line before it was parsed.
func Redact(text string) string {
	text = notes.ReplaceAllStringFunc(text, func(note string) string { return ofNotes.ReplaceAllString(note, "$1***") })
	return secrets.ReplaceAllString(text, "$1$3***$2")
}
