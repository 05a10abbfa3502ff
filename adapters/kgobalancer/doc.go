// Package kgobalancer puts assignors of joinsync into franz-go's client, and balancers of franz-go into ours.
//
//	kgo.Balancers(kgobalancer.New(mine, nil))
//
// Members of the group that use the same assignor under the same name may be of any client: ours, Java's, or franz-go's with its
// own balancer of that name.
//
// An assignor in kgo is given everything that it is given in our client but for Problem.Previous, which stays 0. Of topics that the
// leader does not consume itself kgo may know the number of partitions only, and then their replicas, and so the racks, are
// unknown. There is no limit to the time that it takes: kgo sets none, and the broker's is the rebalance time-out of the members.
//
// What it plans wrongly, its error and its panic end the leader's join with an error, which kgo logs and gives to its hook
// HookGroupManageError; it then joins again.
package kgobalancer
