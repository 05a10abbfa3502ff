// Package peertest holds what comes with other clients to assignortest, as assignors: it finds the faults that are known, and no
// others.
package peertest
