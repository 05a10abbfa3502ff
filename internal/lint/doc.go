// Package lint holds this repository to its own rules. It has no users: its tests read every Go file of the tree, nested
// modules too, and fail with the place, what is wrong there, and the cure.
//
// What a tool can judge is the tool's: gofmt, go vet, and staticcheck, whose version is pinned in tools.mod so that go.mod
// stays lean. The rest is one function per rule, from files to findings, with the direction of imports as a table in
// imports.go. Each rule has a test that it finds what it is for.
//
// Documents are held to the tree too: every rule of docs/semantics.md is shown by a test or a scenario, or explained, and
// what they refer to is there.
//
// To change a rule, change it here and say why in the commit; there are no exceptions by comment.
package lint
