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

// ColumnKind is how the cells of a column are set.
type ColumnKind int

// Kinds of columns.
const (
	Words     ColumnKind = iota // wrap
	ShortText                   // stands on one line
	Number                      // stands on one line, to the right
)

// Class returns the class of the cells in the page.
func (k ColumnKind) Class() string { return [...]string{"words", "short", "number"}[k] }
