// Package pick chooses points of a grid and names in private: quantiles, bounds and categories that
// nobody declared, and the median over blocks of records. Questions ask for them, and so does the
// preparation of a training.
package pick
