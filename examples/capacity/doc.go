// Package capacity is the worked example of docs/assignors.md: an assignor that gives members as much as they can take, in Go and
// in Java, and a program that is a member by it.
package capacity
