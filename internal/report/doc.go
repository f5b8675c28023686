// Package report shows results: a trained model as one self-contained HTML page and as a text for
// the terminal. It writes experiments as documents with tables and figures, and figures as files
// (SVG, PNG). The page of a model explains the guarantee in words and by the reach of attackers. It
// lists the public declarations and the assumptions. It shows the budget, the coefficients and
// metrics over public records.
//
// It computes nothing except the consequences of the stated guarantee. Every given string is
// treated as hostile text: names of features, curves and files may come from a stranger's table.
// Pages fetch nothing. A page with figures runs one constant script, which its security policy
// names by hash. Where scripts are off, the page shows the same and is only less convenient.
package report
