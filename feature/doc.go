// Package feature turns one row of a data set into the input vector of a model. First the encoder
// applies declared scaling, bins and indicators. Public transforms, row normalization, centering,
// whitening and the intercept follow. Each input vector depends on one row and on declared or
// released numbers. So computing it costs no privacy. A Map contains all steps and is part of the
// model.
package feature
