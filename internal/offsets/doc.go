// Package offsets asks a cluster for a group's offsets: what is committed, and from where to where the logs go.
package offsets
