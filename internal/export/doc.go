// Package export writes a model in formats of other programs: ONNX, SQL, Python with scikit-learn, Go and
// safetensors. Every file takes raw columns, except safetensors, which has the weights alone. A file
// repeats the numbers of the model's certificate.
package export
