// Package kafkagobalancer puts assignors of joinsync into kafka-go's consumer group and Reader, and balancers of kafka-go into
// our members.
//
//	kafka.ReaderConfig{GroupBalancers: []kafka.GroupBalancer{kafkagobalancer.New(mine, failed)}}
//
// kafka-go tells a balancer the least of all clients: what the members subscribe to, their user data, and the racks of brokers.
// It knows no static members, no racks of members and no generations, its members do not say what they own but by user data, and
// offsets it does not tell. It is eager. User data that an assignor attaches to assignments is not sent. There is no limit to the
// time that an assignor takes: kafka-go sets none, and the broker's is the rebalance time-out of the members.
//
// # Assignments
//
// What the member itself is assigned, kafka-go keeps from its balancer. Who uses a kafka.ConsumerGroup can tell it:
//
//	generation, err := group.Next(ctx)
//	balancer.Assigned(generation)
//
// Then the assignor listens to assignments (without what the leader has attached), and sticky ones are sticky. A kafka.Reader
// tells nobody: there an assignor has no OnAssignment, and in UserData was assigned nothing yet, however often it was.
//
// # Other clients in the group
//
// What kafka-go v0.4.51 sends and accepts limits who can be in a group with it, whatever the balancers:
//
//   - It cannot lead members that send more than version 0 of the subscription, as current clients do (Sarama from Config.Version
//     2.4 on): its join fails (kafka-go#1196), it leaves, and comes back after JoinGroupBackoff. Then somebody else leads.
//   - It marks its own subscription as version 1 and leaves a field out (kafka-go#1156). Our leaders, franz-go's and Sarama's read
//     it nevertheless; Java's throw, to whoever polls, and nobody is assigned anything as long as such a consumer leads.
//
// So a group of kafka-go with other clients works as long as one of ours, of franz-go or of Sarama leads.
package kafkagobalancer
