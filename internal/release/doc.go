// Package release is the trusted core of dither: it draws the sample, verifies
// in integers what each record contributes, sums exactly, asks for payment and
// adds noise. The noise that is drawn and the cost that is charged are one value: an event of package mechanism.
//
// The chain of types is Rows → Sum → Bounded → Noisy. Rows are records on an integer grid. A Sum
// accepts proposals for coefficients from untrusted gradient code and adds what it has verified.
// Seal makes it a Bounded, which one record cannot change by more than the declared bound. Only a
// paid Release makes a Noisy, and only a Noisy may reach an optimizer.
package release
