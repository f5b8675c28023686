// Package option has the names of what a request may ask for, and the numbers that it gets where it does not say. The
// packages that plan take them from here, and so does the command, which lists them for its users. Names are text of
// flags, plans and certificates, so a request from Go has the same text.
package option
