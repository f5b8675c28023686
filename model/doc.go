// Package model contains losses and linear models. It computes predictions and the gradients that
// private sums add up. It reads and writes model.json, the file of a linear model or of a network
// of package network. The package knows nothing of privacy. Other packages bound its gradients, so
// a mistake here costs accuracy but not the guarantee.
package model
