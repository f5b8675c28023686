// Package safetensors reads and writes files of named arrays of numbers in the safetensors format.
// Other programs for networks read and write it too (Hugging Face, "Safetensors", section "Format",
// https://github.com/huggingface/safetensors#format). A file holds no code. Errors name the array
// and not the file, which the caller knows.
package safetensors
