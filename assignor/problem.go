package assignor

import "slices"

// Problem is what an assignor has to solve: the topics that exist and that somebody subscribes to, and the members. All
// else is by index: a topic is an index of Topics, a member an index of Members, a partition Kafka's number of it
// within its topic. Topics and members are sorted, so that nothing depends on the order in which they came.
//
// A problem is read-only, for the assignor too, and may be read concurrently.
type Problem struct {
	Topics  []Topic  // in Java's string order; each has at least one partition and one subscriber
	Members []Member // those with an instance id first, by it; then by member id; in Java's string order (G-533)
	Classes []Class  // the distinct subscriptions

	Racks map[int32]string // rack of each broker that has one, by the broker ids of Topic.Replicas

	Generation int32 // the generation that the plan is for
	Previous   int32 // the generation in which this member was last assigned; 0 or less if none
	Leader     int   // the leader's index; -1 if unknown
	Self       int   // the index of the member in which the assignor runs; -1 if in none

	group     *Group  // what the problem is made of
	index     []int   // by the group's topics, the index in Topics; absent where it is left out
	base      []int   // base[t] is the number of partitions of the topics before t; one entry more than topics
	audience  []int   // by topic, the index of its subscribers in audiences
	audiences [][]int // the distinct lists of subscribers
	offsets   *offsets
	notes     notes

	whole *Problem // what this is a part of, by Filter; nil if it is all
	ofAll []int    // by topic, its index in whole
}

// Topic is a topic as the cluster's metadata shows it.
type Topic struct {
	Name       string
	Partitions int // their number: they are 0 to Partitions-1

	// Replicas lists, for each partition, the ids of the brokers that hold it, its leader first (-1 if it has none). Nil
	// where that is not known: racks are then not taken into account.
	Replicas [][]int32
}

// Member is one member of the group.
type Member struct {
	ID         string
	InstanceID string // "" for a dynamic member (KIP-345)
	Rack       string // "" if it names none (KIP-881)
	Class      int    // index of its subscription in Problem.Classes

	// Owned is what the member says that it owns (KIP-429): ascending, without doubles, existing partitions only. It may hold
	// partitions of topics to which the member does not subscribe any more, and two members may claim the same one.
	Owned      []Claim
	Generation int32  // of the claim (KIP-792); -1 if none
	UserData   []byte // what the assignor of that member added; nil if nothing. Not trustworthy.
}

// Claim is a partition that a member says it owns: an index of Problem.Topics, and its number. There may be millions of them,
// hence int32.
type Claim struct{ Topic, Partition int32 }

// Class is a set of topics with the members that subscribe to just that set. Every member is in one class.
type Class struct {
	Topics  []int // ascending; empty for members that subscribe to nothing that exists
	Members []int // ascending
}

// Partitions is the number of partitions of all topics.
func (p *Problem) Partitions() int { return p.base[len(p.Topics)] }

// Subscribers lists the members that subscribe to a topic, ascending. Topics with the same subscribers share one list,
// which must not be changed.
func (p *Problem) Subscribers(topic int) []int { return p.audiences[p.audience[topic]] }

// Subscribes reports whether a member subscribes to a topic.
func (p *Problem) Subscribes(member, topic int) bool {
	_, ok := slices.BinarySearch(p.Classes[p.Members[member].Class].Topics, topic)
	return ok
}

// Notes lists what members sent wrongly, and which topics are left out because they do not exist.
func (p *Problem) Notes() []Note { return p.notes.appendTo(nil) }
