// Package explain describes releases and their costs in plain words, for readers who do not
// calculate. It explains events, plans, certificates and terms of differential privacy.
//
// A Question asks for the cost of an event. A Cost is the answer: the bounds of every accountant,
// and bounds on the success of attackers. The function Of explains a folder, a file, an event or a
// term. Its result is an Explanation, which consists of sections with sentences and numbers.
package explain
