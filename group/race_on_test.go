//go:build race

package group

// raced tells the long tests to go less far: the race detector makes them ten times slower.
const raced = true
