// Package data holds columnar tables under a declared, public schema, and their readers.
//
// A [Schema] says what the columns of a table are, how bad cells are treated and how many records
// there may be. It is public: nothing in it may come from the records. A declaration that does come
// from the records is named under from-data, and taints the schema.
//
// [Read] turns a CSV, LIBSVM, NPY, NPZ or IDX file into a [Dataset] of float32 columns, in one pass
// and row by row. The treatment of a cell depends on its own row and on the schema only. A bad cell
// is never an error. A malformed file is a [FileError] that quotes no cell and no header.
// [ReadBlocks] reads a table that is larger than memory. Files of further formats are read by the
// formats in [Source].Formats.
//
// A schema file is YAML:
//
//	dither-schema: 1
//	name: adult
//	row: one person            # what one row is
//	rows-per-person: 1         # optional
//	max-records: 50000         # a public upper bound
//	records: 32561             # optional, a public number
//	missing-marks: ["?"]       # optional; an empty cell is always missing
//	delimiter: comma           # optional: comma, semicolon, tab, pipe, space or a mark
//	target: {column: income, levels: ["<=50K", ">50K"]}
//	columns:
//	  age: {numeric: [17, 90], bins: [25, 35, 45], missing: indicator}
//	  capital-gain: {numeric: [0, 99999], transform: log1p, fill: 10}
//	  workclass: {levels: [Private, State-gov], unknown: other, missing: indicator}
//	  notes: {text: {buckets: 131072, ngrams: 2, stop-words: english}, missing: zero}
//	  fnlwgt: ignore
//	  pixel[0:784]: {numeric: [0, 255]}
//	  debt: {bounds: private, range: [0, 1e9]}                     # to be learned, as
//	  rent: {numeric: [0, 1e6], bins: private, max-bins: 8}        # the next two are
//	  town: {levels: private, max-levels: 20}
//	defaults: {missing: zero, out-of-range: clamp, unknown: other}
//
// The target has one of three forms. levels names its classes; of two, the second is the positive
// one. bounds: [0, 500001] is for regression. above: 0 with two levels asks whether a number is
// greater. The key pixel[0:784] stands for the columns pixel0 to pixel783. A schema has at most
// 2^20 columns. The treatments are
//
//	missing       indicator, zero (numeric: the value of fill, else the lower bound) or drop
//	out-of-range  clamp, as-missing or drop; numeric columns
//	unknown       other (a level of its own), zero, as-missing or drop; columns of levels
//
// A treatment that neither the column nor defaults decides is refused. A cell that is not a number,
// or not a finite one, is missing. A column of texts is hashed, see [Hashing]. Every key that text:
// {} leaves out has a default, and so has missing, which is zero or drop. With text: {positions:
// 200} its first 200 words are tokens in order, for networks.
//
// A declaration that nobody can make may be private: bounds inside a range that is wide enough for
// anything (without one, ±1e12), cut points of at most max-bins bins, at most max-levels levels. A
// training learns them within its budget; see [Learning]. Private bounds need out-of-range: clamp
// and private levels unknown: other, so that no row is dropped because of other rows. The schema of
// a model has learned: true next to each learned declaration. The target is always declared. A
// draft writes DECLARE where a person must still declare something. Such a schema can be parsed but
// not used.
//
// A CSV file has a header, by whose names columns are found. The other formats have no names: their
// columns are the schema's columns in its order.
//
//	NPY, NPZ  an array of NumPy; dimensions after the first are laid flat in each row. The
//	          target is the last column, or a separate vector.
//	IDX       the format of the MNIST files, read like an NPY array; the separate vector is an
//	          IDX or NPY file. A file is known by its first bytes, or by its name where that
//	          ends in .idx or -ubyte.
//	LIBSVM    lines of "label index:value ...", with # before a comment. Index 1 is the first
//	          column; indexes ascend, and one that is left out is 0. The label is the target.
//	          A label or a value is the level with its text, or else the level that is the
//	          same number: +1, 1 and 1.0 are the level "1". A qid is refused: it joins rows,
//	          which a guarantee for single rows does not count together. A file is known by
//	          its first line, unless a delimiter is named, or by its name where that ends in
//	          .libsvm, .svm or .svmlight. The table is kept sparse: memory is in proportion to
//	          the entries of the file, and so is the time of training and prediction where most
//	          columns have bounds that begin at 0. A column whose 0 is not encoded as 0, such as
//	          one with bounds from -1 to 1, costs an entry in every record.
package data
