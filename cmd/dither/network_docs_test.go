package main

import "testing"

// TestNetworkPage runs the commands of the page, none of which draws noise, and compares their outputs word by word.
func TestNetworkPage(t *testing.T) { checkPage(t, "../../docs/networks.md", 2, sameWords) }
