// Package model holds losses and linear models: their proposals for a record's part of a sum of
// gradients, their predictions, and the model folder's model.json. That may also hold a network of
// package network. It knows nothing of privacy: whatever it proposes is verified elsewhere, so a
// mistake here costs accuracy and never the guarantee.
package model
