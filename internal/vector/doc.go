// Package vector is a group with its topics in the JSON of the cases in testdata/vectors, whose README has the form, and the way
// from there to what a leader gets: subscriptions as bytes, and the cluster's metadata.
package vector
