// Package examples holds small programs that are shown in the README, each whole in a folder of its own. Tests run them
// and hold the README to them.
package examples
