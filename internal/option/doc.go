// Package option holds the names of options in requests, and their default numbers. The packages
// that plan take them from here. So does the command, which lists them for its users. Names are
// text of flags, plans and certificates, so a request from Go has the same text.
package option
