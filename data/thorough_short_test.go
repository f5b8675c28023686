//go:build !long

package data_test

// thorough says that TestCSVPathsAgree, TestCSVPathsAgreeOnFaults and TestTextPaths go through many tables.
const thorough = false
