// Package feature turns one row of a dataset into the vector that a linear model sees:
// declared scaling, bins and indicators, then public transforms, row normalization,
// centering, whitening and the intercept. A map looks at one row at a time and holds only declared or
// released numbers, so applying it costs no privacy. It is part of the model.
package feature
