//go:build !long

package postgres_test

const thorough = false
