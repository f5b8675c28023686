//go:build long

package main

// editEvery says that TestVerifyRefusesEveryEdit tries every edit, editShare one in how many otherwise.
const editEvery, editShare = true, 1
