//go:build !long

package main

// editEvery says that TestVerifyRefusesEveryEdit tries every edit and TestChargeIsKept every filter. Otherwise one edit in
// editShare is tried.
const editEvery, editShare = false, 401
