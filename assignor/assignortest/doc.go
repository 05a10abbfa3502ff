// Package assignortest is what every assignor has to keep to, as one line in a test:
//
//	func TestMine(t *testing.T) { assignortest.Check(t, Mine{}, assignortest.Balanced(1)) }
//
// # What is checked
//
// Of every assignor:
//
//	complete       each partition is given to somebody
//	disjoint       and to one member only
//	subscribed     who subscribes to its topic
//	known          and nothing that is not in the problem is given
//	no panic       whatever the peers send
//	no error       nor does that end the leader's join
//	ends           each Assign within the time of [Within]
//	deterministic  the same problem gives the same plan, after other problems, and in several goroutines at once
//	order          the order in which members and topics come does not matter
//	read-only      the problem is as it was before
//	two rounds     after a change OnAssignment, if there is one, does not ask for a third rebalance at once
//
// Of one that supports the cooperative protocol (KIP-429), moreover, in every input and in groups that live on from one
// rebalance to the next:
//
//	handover       no partition goes to a member while another one owns it, so no two ever own it at a time
//	two rounds     after a change the group comes to rest within two rebalances
//
// What else an assignor promises it is held to by options: [Balanced],
// [BalancedByTopic], [Sticky].
//
// # What it is checked on
//
// Known troublemakers first (corners.jsonl), then inputs drawn at random by pgregory.net/rapid: groups without members, topics
// without partitions, unknown topics, empty and doubled subscriptions, static members, racks, all versions of the
// subscription, claims of partitions that do not exist, that others claim too, or of generations gone by, and garbage as user
// data. Then groups in which members join, leave, change their subscription or miss a rebalance, and topics grow. All of it goes
// through real bytes: each member encodes its subscription, the leader decodes it, the plan is encoded, and the members decode it.
// The offsets that Problem.Offsets tells are made up, for the same partition the same each time.
//
// # What a failure shows
//
// The check, what went wrong, the cure, and the smallest input found, as one line of JSON in the form of testdata/vectors. [Replay]
// runs the checks on that line again, and joinsync assign prints what the built-in assignors make of it. What can be seen over several
// rebalances only is shown as what the leader had to solve in each of the last ones. The flags of rapid count: -rapid.checks=10000
// looks harder, for a minute at most, and -rapid.seed looks in the same places again. A map of the assignor's that two goroutines write
// to at once ends the process, as Go has it, and is shown in its own way; other races need -race.
//
// Whoever imports assignor and not this package does not get rapid.
package assignortest
