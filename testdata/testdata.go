// Package testdata holds the scenarios within the program: requests of group members and the answers to them, as text.
package testdata

import "embed"

// Scenarios has the folder scenarios, with a script in each of its files that ends with .txt.
//
//go:embed scenarios
var Scenarios embed.FS
