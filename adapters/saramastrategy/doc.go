// Package saramastrategy puts assignors of joinsync into Sarama's consumer group, and strategies of Sarama into our members.
//
//	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{saramastrategy.New(mine)}
//
// Members of the group that use the same assignor under the same name may be of any client: ours, Java's, or Sarama's with its
// own strategy of that name.
//
// Sarama tells a strategy less than an assignor is told in our client: no racks of brokers, no instance ids (so static members
// are in the order of their member ids), no generation, no leader and no offsets. Of its own members it sends no rack. There is
// no limit to the time that an assignor takes: Sarama sets none, and the broker's is the rebalance time-out of the members.
//
// What members are assigned it does tell, with generation and user data, before the session begins; not to one whom the leader
// sent no bytes at all. How to join again, which an assignor can ask for then, it has to be told by the option [Rejoin]. As to
// any member, Kafka answers that with a rebalance if the member leads or sends other user data than before, and otherwise with
// the assignment that it has.
//
// What it plans wrongly, its error and its panic end the leader's join with an error, which Consume returns.
package saramastrategy
