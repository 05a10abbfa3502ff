// Standby runs a group whose members keep copies of each other's state, and ends one of them: docs/assignors.md.
package main
