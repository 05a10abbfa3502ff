// Embed runs two members of a group and their coordinator in one process: the quick start of the README.
package main
