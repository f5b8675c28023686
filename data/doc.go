// Package data contains tables under a declared, public schema, and readers of table files.
//
// A [Schema] declares the columns of a table, the treatment of bad cells, and a bound on the number
// of records. It is public: nothing in it may come from the records. If a declaration does come
// from the records, the schema lists it under from-data. Such a schema is called tainted.
//
// [Read] turns a CSV, LIBSVM, NPY, NPZ or IDX file into a [Dataset] of float32 columns. It reads
// the file once, row by row. The treatment of a cell depends only on its own row and on the schema.
// A bad cell is never an error. For a malformed file the error is a [FileError], which quotes no
// cell and no header. [ReadBlocks] reads a table that is larger than memory. [Source].Formats adds
// further file formats.
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
//	  debt: {bounds: private, range: [0, 1e9]}                     # bounds to be learned
//	  rent: {numeric: [0, 1e6], bins: private, max-bins: 8}        # bins to be learned
//	  town: {levels: private, max-levels: 20}                      # levels to be learned
//	defaults: {missing: zero, out-of-range: clamp, unknown: other}
//
// The target has one of three forms. With levels, the target is a class; of two classes the second
// is the positive class. With bounds, such as bounds: [0, 500001], the target is a number. With
// above: 0 and two levels, the target is a class that states whether a number is greater than 0.
// The key pixel[0:784] means the columns pixel0 to pixel783. A schema has at most 2^20 columns. The
// treatments are
//
//	missing       indicator, zero (numeric: the value of fill, else the lower bound) or drop
//	out-of-range  clamp, as-missing or drop; numeric columns
//	unknown       other (a level of its own), zero, as-missing or drop; columns of levels
//
// It is an error if neither the column nor defaults decides a treatment. In a numeric column a cell
// that is not a finite number counts as missing. The texts of a text column are hashed, see
// [Hashing]. Every key of text has a default. The treatment of a missing text is zero or drop, by
// default zero. With text: {positions: 200} the first 200 words become tokens in order, for
// networks.
//
// Bounds, cut points and levels may be private if nobody can declare them from public knowledge.
// Training learns them within its budget; see [Learning]. Private bounds lie in a declared wide
// range (by default ±1e12). Private cut points form at most max-bins bins. There are at most
// max-levels private levels. Private bounds need out-of-range: clamp, and private levels need
// unknown: other. So no row is dropped because of other rows. The schema of a trained model has
// learned: true next to each learned declaration. The target is always declared.
//
// In a draft, DECLARE marks the declarations that a person must still make. Such a schema can be
// parsed but not used.
//
// A CSV file has a header, and columns are found by their names. The other formats have no names.
// Their columns are the columns of the schema, in order.
//
//	NPY, NPZ  an array of NumPy; dimensions after the first are flattened in each row. The
//	          target is the last column, or a vector in a separate file.
//	IDX       the format of the MNIST files, read like an NPY array. The separate vector is an
//	          IDX or NPY file. A file is recognized by its first bytes, or by a name that ends
//	          in .idx or -ubyte.
//	LIBSVM    lines of "label index:value ...", with # before a comment. Index 1 is the first
//	          column. Indexes ascend, and a column without an index is 0. The label is the
//	          target. A label or a value is the level with the same text, or else the level
//	          with the same number: +1, 1 and 1.0 are the level "1". A qid is refused, because
//	          it joins rows and the guarantee is for single rows. A file is recognized by its
//	          name if the name ends in .libsvm, .svm or .svmlight. Otherwise it is recognized
//	          by its first line, unless a delimiter is declared. The table is sparse: the
//	          memory use is proportional to the number of entries in the file. If most columns
//	          have the lower bound 0, the time of training and prediction is proportional to
//	          that number as well. A column whose 0 is not encoded as 0 costs an entry in every
//	          record. An example is a column with bounds from -1 to 1.
package data
