// Package auditing shows what attacks on claims of privacy found: as a table, as JSON and as a page.
// It attacks nothing. Packages that attack return a Section for each claim.
package auditing
