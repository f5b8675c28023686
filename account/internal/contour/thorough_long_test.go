//go:build long

package contour

// thorough says that TestReferenceTable and TestLaplaceAgreesWithConvolution go through all reference rows.
const thorough = true
