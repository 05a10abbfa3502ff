// Package examples holds small programs that are shown in the README and in docs, each whole in a folder of its own. Tests
// run them and hold the documents to them.
package examples
