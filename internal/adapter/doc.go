// Package adapter is what the adapters for other clients have in common: an assignor as one member of a group uses it, whatever
// client that member is of.
package adapter
