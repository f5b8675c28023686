// Package model holds losses and linear models, with their predictions and their proposals for sums
// of gradients. It reads and writes the model folder's model.json, which may also hold a network of
// package network. The package knows nothing of privacy. Other packages verify its proposals, so a
// mistake here costs accuracy and never the guarantee.
package model
