// Server is a Kafka server of one's own around the coordinator: a socket, the three requests by which any client finds its
// coordinator, and all requests about groups as the coordinator answers them. What keeps records would stand beside it.
// What it leaves out joinsync conform tells: most of what Kafka checks in the three requests that are answered here.
package main
