// Capacity runs a group whose members take as much as they can: the worked example of docs/assignors.md.
package main
