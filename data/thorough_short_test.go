//go:build !long

package data_test

// thorough says that tests which compare two readers go through many tables and schemas. These are TestCSVPathsAgree,
// TestCSVPathsAgreeOnFaults, TestEditorSchemaAgrees, TestTextPaths and TestJoinNeighbors.
const thorough = false
