// Package feature turns one row of a dataset into the input vector of a model. The encoder applies
// declared scaling, bins and indicators. Public transforms, row normalization, centering, whitening
// and the intercept follow. A map uses one row at a time and contains only declared or released
// numbers, so applying it costs no privacy. It is part of the model.
package feature
