package option

// The methods of other releases, as certificates name them.
const (
	// MethodQuery is an answer of package query.
	MethodQuery = "query"
	// MethodEvaluation is a private evaluation of package evaluate.
	MethodEvaluation = "evaluate"
	// MethodSelection is a privately chosen model of package sweep.
	MethodSelection = "dp-select"
)
