// Package scoreaudit audits claims of any program by scores of canaries in a file: it is what dither audit
// --scores does.
package scoreaudit
