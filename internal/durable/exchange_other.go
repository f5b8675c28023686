//go:build !linux && !darwin

package durable

func exchange(string, string) error { return ErrNoExchange }

func renameNew(string, string) error { return ErrNoExchange }

// lacking are the errors of systems that have neither step.
var lacking = []error{ErrNoExchange}
