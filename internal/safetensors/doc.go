// Package safetensors reads and writes files of named arrays of numbers in the safetensors format (Hugging Face,
// "Safetensors", section "Format", https://github.com/huggingface/safetensors#format), which other programs
// for networks read and write too. A file holds no code. Errors name the array and not the file, which the
// caller knows.
package safetensors
