//go:build !unix

package process

// OutliveReaders does nothing: such systems have no signal for it.
func OutliveReaders() {}
