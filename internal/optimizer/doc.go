// Package optimizer has what turns released sums of gradients into steps: descent with momentum, Adam, L-BFGS of
// baselines, and their learning rates. Linear models and networks train by the same code. Optimizers accept nothing but
// released values, so they cost no privacy.
package optimizer
