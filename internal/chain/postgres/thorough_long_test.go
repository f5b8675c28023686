//go:build long

package postgres_test

// thorough says that TestServer races with all requests.
const thorough = true
