// Package report shows what there is to know: a trained model as one self-contained HTML page and as a text for
// the terminal, experiments as documents with tables and figures, and figures as files of their own (SVG, PNG).
// The page of a model explains the guarantee in words and as what an attacker can do, lists what was declared
// public and what was assumed, and shows the budget, the coefficients and metrics over public records.
//
// It computes nothing but the consequences of the stated guarantee. Every string it is given is treated as
// hostile text: names of features, curves and files may come from a stranger's table. Pages fetch nothing; a
// page with figures runs one constant script, which its security policy names by hash, and loses nothing but
// comfort where scripts are off.
package report
