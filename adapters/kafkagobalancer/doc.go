// Package kafkagobalancer puts assignors of joinsync into kafka-go's consumer group and Reader, and balancers of kafka-go into our
// members.
//
//	kafka.ReaderConfig{GroupBalancers: []kafka.GroupBalancer{kafkagobalancer.New(mine, nil, failed)}}
//
// kafka-go tells a balancer the least of all clients: what the members subscribe to, their user data, and the racks of brokers. It
// knows no static members, no racks of members and no generations, and its members do not say what they owned, not even by
// user data, which is made without knowing that: with sticky assignors they own nothing. It is eager. User data that an assignor
// attaches to assignments is not sent. There is no limit to the time that an assignor takes: kafka-go sets none, and the broker's
// is the rebalance time-out of the members.
//
// # Other clients in the group
//
// What kafka-go v0.4.51 sends and accepts limits who can be in a group with it, whatever the balancers:
//
//   - It does not lead members of a client that sends more than version 0 of the subscription, which every current one does: its join
//     fails (kafka-go#1196), it leaves, and it comes back after JoinGroupBackoff. Another member leads then.
//   - It marks its own subscription as version 1 and leaves a field out (kafka-go#1156). Our leaders, franz-go's and Sarama's read
//     it nevertheless; Java's throw, and the group has no assignment for as long as a Java consumer leads it.
//
// So a group of kafka-go with other clients works as long as one of ours, franz-go's or Sarama's leads.
package kafkagobalancer
