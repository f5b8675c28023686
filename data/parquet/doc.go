// Package parquet reads Parquet files for package data: name [Format] in data.Source.Formats.
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
// longer decimals, bytes of a fixed length, or one that is nested, repeated or compressed with
// lz4, is refused where the schema does not ignore it. Pages may be compressed with snappy,
// gzip, zstd or brotli; encrypted files are refused.
//
// The file is read with github.com/parquet-go/parquet-go. A panic of that library on a
// damaged file is an error here.
package parquet
