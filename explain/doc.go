// Package explain puts what is released and what that costs into plain words, for someone who decides and does not
// calculate: events, plans, certificates and the terms of the field.
//
// A Question asks what an event costs; its Cost holds what every accountant says and what an
// attacker can do at most. Of explains a folder, a file, an event or a term. An Explanation is
// sections of sentences, with their numbers.
package explain
