// Package repocheck holds the tests of the repository as a whole: layers, the trusted core, exported
// names, style, prose and mutants. It has no code of its own.
package repocheck
