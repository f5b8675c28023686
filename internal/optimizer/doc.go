// Package optimizer turns released sums of gradients into steps: descent with momentum, Adam,
// L-BFGS for baselines, and their learning rates. Linear models and networks train by the same
// code. Optimizers accept released values only, so they cost no privacy.
package optimizer
