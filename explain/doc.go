// Package explain puts releases and their costs into plain words, for someone who decides and does
// not calculate: events, plans, certificates and the terms of the field.
//
// A Question asks for the cost of an event. Its Cost holds the answer of every accountant and the
// most that an attacker can do. Of explains a folder, a file, an event or a term. An Explanation is
// sections of sentences, with their numbers.
package explain
