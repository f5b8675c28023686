// Package model holds losses and linear models: what they propose that a record adds to
// a sum of gradients, what they predict, and the model folder's model.json, which may also
// hold a network of package network. It knows nothing of privacy: whatever it proposes is
// verified elsewhere, so a mistake here costs accuracy and never the guarantee.
package model
