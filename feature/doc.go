// Package feature turns one row of a dataset into the vector that a linear model uses. First come
// declared scaling, bins and indicators. Then come public transforms, row normalization, centering,
// whitening and the intercept. A map uses one row at a time and holds only declared or released
// numbers, so applying it costs no privacy. It is part of the model.
package feature
