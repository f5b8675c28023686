// Package arrow reads Arrow IPC files and streams for package data: data.Source.Formats takes
// [Formats].
//
// Feather files of version 2 are Arrow IPC files. A file is a table of named columns, as a CSV file
// is. Its columns can hold:
//
//	numbers    integers, signed or not, floating point of 16, 32 and 64 bits, and decimals;
//	           a number that float64 does not have is rounded to the nearest
//	texts      utf8, large_utf8 and string_view, in UTF-8
//	dates      date32 and date64: days since 1970-01-01 as a number, else 2024-02-29
//	moments    timestamps: seconds since 1970-01-01 00:00 UTC, else 2024-02-29 17:30:00
//	bool       the levels false and true, in small letters, capitalized or in capitals, or
//	           the numbers 0 and 1
//
// Each of these may be encoded by a dictionary, which a stream may extend or replace. A null is a
// missing cell, and so is a number that is not finite. Some columns are refused unless the schema
// ignores them: times of a day, durations, bytes, and nested or repeated columns. Buffers may be compressed with
// lz4 or zstd. Only the buffers of columns that are read are decompressed.
//
// A stream must have its mark of the end, since a stream without it may lack records. It must be in
// a file, since each column is read at its places.
//
// Whatever a file claims, memory is limited to the metadata and little for each column: a dictionary,
// the buffers of one batch, and a block of cells. A buffer has at most 1 GiB
// after decompression, and at most 1000 times its size.
//
// Source: the Arrow columnar format, https://arrow.apache.org/docs/format/Columnar.html.
package arrow
