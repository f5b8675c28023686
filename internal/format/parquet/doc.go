// Package parquet reads Parquet files for package data: data.Source.Formats takes [Formats].
//
// A file is a table of named columns, as a CSV file is. What its columns can be:
//
//	numbers    FLOAT, DOUBLE, INT32 and INT64, signed or not, and DECIMAL on INT32 or INT64;
//	           whole numbers beyond 2^53 are rounded to the nearest float64
//	texts      STRING, ENUM, JSON, and BYTE_ARRAY without annotation, in UTF-8
//	BOOLEAN    the levels false and true, in small letters, capitalized or in capitals, or
//	           the numbers 0 and 1
//
// A null is a missing cell, and so is a number that is not finite. A column of dates, times,
// longer decimals, bytes of a fixed length, or one that is nested or repeated, is refused where
// the schema does not ignore it. Pages may be compressed with snappy, gzip or zstd; a column that
// is compressed otherwise is refused. Encrypted files are refused. Checksums of pages are held where
// the file has them.
//
// Whatever a file says of itself, reading takes no more stack than 32 nested values need. It takes
// no more memory than the footer and, for each column, a dictionary, a page and a block of cells.
// A page has at most 1 GiB after decompression, and texts made of prefixes 256 MiB a block.
//
// Source: the Parquet format, https://github.com/apache/parquet-format.
package parquet
