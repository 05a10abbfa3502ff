// Ownassignor runs a group with an assignor of its own: the one of the README.
package main
