// Package network holds neural networks: layers, their descriptions as text, and forward and
// backward passes. One pass gives the factors of each record's contribution to each block of
// parameters, without forming any gradient.
//
// The package knows nothing of privacy. It makes one promise to packages that add privacy: no layer
// mixes records. The outputs and factors of a record have the same bits whatever other records are
// in the pass, and however many. (Dropout draws a separate mask for each record.) A layer that
// cannot keep this promise, such as batch normalization, is refused.
//
// A Network is a list of layers over a Shape; it holds no numbers. A Tape is the scratch in which
// one goroutine runs the network over chunks of records. SquaredNorms and AddSum are for programs
// that trust the factors. Package internal/release verifies and sums factors for programs that do
// not.
//
// The last number of a shape is the features, and the numbers before it are the positions. An image
// is [height, width, channels], and a text is [positions, features].
package network
