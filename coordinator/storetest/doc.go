// Package storetest is the contract of coordinator.Store as tests: whoever writes a store runs [Run] on it.
package storetest
