// Package training runs one training of any method, from its plan to the folder of its results. It
// rehearses the files before anything is spent. If it fails, it leaves a record of the cost. The
// command and the front door share it, so that both write the same folders. Its errors name the
// flags of the command.
package training
