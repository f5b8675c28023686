//go:build !long

package main

// editEvery says that every edit is tried, editShare one in how many otherwise.
const editEvery, editShare = false, 211
