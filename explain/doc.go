// Package explain describes releases and their costs in plain words, for readers who do not
// calculate. It explains events, plans, certificates and terms of differential privacy.
//
// A Question asks for the cost of an event. Its Cost is the answer of every accountant with bounds
// on attacks. The function Of explains a folder, a file, an event or a term. The result is an
// Explanation: sections of sentences, with their numbers.
package explain
