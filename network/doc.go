// Package network contains neural networks: layers, their descriptions as text, and forward and
// backward passes. One pass computes the factors of each record's contribution to each block of
// parameters, without forming any gradient.
//
// The package knows nothing of privacy. Packages that add privacy depend on one property: no layer
// mixes records. The outputs and factors of a record are bit for bit independent of the other
// records in the pass and of their number. (Dropout draws a separate mask for each record.) Layers
// without this property, such as batch normalization, do not exist here.
//
// A Network is a list of layers over a Shape; it contains no parameters. A Tape is the scratch
// memory in which one goroutine runs the network over chunks of records. SquaredNorms and AddSum
// are for programs that trust the factors. Package internal/release verifies and sums factors for
// programs that do not.
//
// The last dimension of a shape is the features, and the dimensions before it are the positions. An
// image is [height, width, channels], and a text is [positions, features].
package network
