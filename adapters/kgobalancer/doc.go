// Package kgobalancer puts assignors of joinsync into franz-go's client, and balancers of franz-go into ours.
//
//	b := kgobalancer.New(mine)
//	client, err := kgo.NewClient(kgo.Balancers(b), kgo.WithHooks(b), …)
//
// Members of the group that use the same assignor under the same name may be of any client: ours, Java's, or franz-go's with its
// own balancer of that name.
//
// An assignor in kgo is given everything that it is given in our client. Of topics that the leader does not consume itself kgo
// may know the number of partitions only, and then their replicas, and so the racks, are unknown. There is no limit to the time
// that it takes: kgo sets none, and the broker's is the rebalance time-out of the members.
//
// What it plans wrongly, its error and its panic end the leader's join with an error, which kgo logs and gives to its hook
// HookGroupManageError; it then joins again.
//
// # The client
//
// Some of that a balancer has only if it is a hook of the client too (kgo.WithHooks): offsets, Problem.Previous, the generation
// in OnAssignment, which is -1 otherwise, and the rebalance that OnAssignment asks for, by the client's ForceRebalance. As to any
// member, Kafka answers that with a rebalance if the member leads or sends other user data than before, and otherwise with the
// assignment that it has.
//
// UserData is given what the member owns, by kgo's word, and the user data of its last assignment. OnAssignment is called before
// kgo tells anybody of the assignment.
package kgobalancer
