// Package network holds neural networks: layers, their descriptions as text, and passes forward and
// backward. One pass gives the factors of each record's contribution to each block of parameters,
// without forming any gradient. It knows nothing of privacy. What it promises to whoever builds
// privacy on it is that no layer mixes records: the outputs and factors of a record have the same
// bits whatever records stand next to it, however many there are. (Dropout draws a mask of its own
// for each record.) A layer that cannot promise this, such as batch normalization, is refused.
//
// A Network is a list of layers over a Shape; it holds no numbers. A Tape is the working space in which one
// goroutine runs it over chunks of records. SquaredNorms and AddSum do with factors what a program does that
// trusts them; internal/release verifies and sums them for one that does not.
//
// The last number of a shape is always the features, what stands before it the positions: an image is
// [height, width, channels], a text [positions, features].
package network
