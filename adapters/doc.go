// Package adapters tests the adapters together: clients of all makes, each member in a process of its own, in groups of a real
// Kafka. It is a module of its own, as each adapter below it is, so that nobody has to require a client that is not used.
package adapters
