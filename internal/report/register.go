package report

// Register is a table of words and numbers: one row for each thing that happened. On a narrow
// screen each row is a block of its own.
type Register struct {
	Title   string
	Columns []Column
	Rows    [][]string
}

// Column is a column of a Register.
type Column struct {
	Name string
	Kind ColumnKind
}

// ColumnKind is the way in which the page lays out the cells of a column.
type ColumnKind int

// These are the kinds of columns.
const (
	Words     ColumnKind = iota // cells with text that may wrap
	ShortText                   // cells with text on one line
	Number                      // cells with a number on one line, aligned to the right
)

// Class returns the class of the cells in the page.
func (k ColumnKind) Class() string { return [...]string{"words", "short", "number"}[k] }
