// Package parquet reads Parquet files for package data: data.Source.Formats takes [Formats]. A
// [Writer] writes tables of predictions.
//
// A file is a table of named columns, as a CSV file is. Its columns can hold:
//
//	numbers    FLOAT, DOUBLE, INT32 and INT64, signed or not, and DECIMAL on INT32 or INT64;
//	           integers beyond 2^53 are rounded to the nearest float64
//	texts      STRING, ENUM, JSON, and BYTE_ARRAY without annotation, in UTF-8
//	dates      DATE: days since 1970-01-01 as a number, else 2024-02-29
//	moments    TIMESTAMP and INT96: seconds since 1970-01-01 00:00 UTC, else 2024-02-29 17:30:00
//	BOOLEAN    the levels false and true, in small letters, capitalized or in capitals, or
//	           the numbers 0 and 1
//
// A null is a missing cell, and so is a number that is not finite. Some columns are refused unless
// the schema ignores them: times of a day, longer decimals, bytes of a fixed length, and nested or
// repeated columns. Pages may be compressed with snappy, gzip or zstd. A column with another
// compression is refused. Encrypted files are refused. Checksums of pages are verified if the file
// has them.
//
// Whatever a file claims, reading takes no more stack than 32 nested values need. Its memory is
// limited to the footer and, for each column, a dictionary, a page and a block of cells. A page has
// at most 1 GiB after decompression, and beyond 16 MiB at most 1000 times its size. Texts made from
// prefixes have at most 256 MiB a block.
//
// Source: the Parquet format, https://github.com/apache/parquet-format.
package parquet
