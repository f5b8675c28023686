// Package network contains neural networks: layers, their descriptions as text, and forward and
// backward passes. A record's gradient for a matrix of parameters is a sum of outer products of
// vectors. A backward pass computes these vectors, called factors, for each record. It never forms
// a gradient.
//
// The package knows nothing of privacy. Packages that add privacy depend on one property: no layer
// mixes records. The outputs and factors of a record do not depend on the other records in the pass
// or on their number. Not even the last bit changes. (Dropout draws a separate mask for each
// record.) Layers without this property, such as batch normalization, do not exist here.
//
// A Network is a list of layers for inputs of a Shape. It contains no parameters. A Tape is the
// scratch memory in which one goroutine runs the network over chunks of records. SquaredNorms and
// AddSum are for programs that trust the factors. Package internal/release verifies and sums
// factors for programs that do not trust them.
//
// The last dimension of a shape counts features, and the dimensions before it count positions. An
// image is [height, width, channels], and a text is [positions, features].
package network
