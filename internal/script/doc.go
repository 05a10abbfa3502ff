// Package script runs scenario scripts: requests of group members and the answers to them, as readable text, on this
// library's coordinator, through a socket, on a real Apache Kafka, and by joinsync conform on a broker of anybody's. One text
// is right for all of them.
//
//	# A new member is given an id, and joins with it.
//	# G-049 G-055 KIP-394
//
//	defaults group=g session=30s rebalance=30s type=consumer protocols=[range:orders]
//
//	A: JoinGroup v9
//	  → MEMBER_ID_REQUIRED member=$A
//	A: JoinGroup v9 member=$A
//	  → NONE gen=1 type=consumer protocol=range leader=$A member=$A members=[$A:orders]
//	B: JoinGroup v3
//	  parked
//	A: JoinGroup v9 member=$A
//	  → NONE gen=2 type=consumer protocol=range leader=$A member=$A members=[$A:orders $B:orders]
//	  B JoinGroup → NONE gen=2 protocol=range leader=$A member=$B
//
// The scripts are in testdata/scenarios. A script is a list of steps, each on a line of its own; the indented lines below
// a step are what must come of it, no more and no less. Lines that start with # are comments: the first says what the
// script shows, the second names the rules.
//
// # Requests
//
// "A: JoinGroup v9 key=value …" sends a request as the client A, whose client id is its name. Keys and values are those
// of [protocol.Transcript], which renders answers as well; what is left out has the value of the last defaults line,
// if the API has the field in that version, or else that of Kafka's schema. The API must be in the table of request.go.
//
// A request is answered at once ("→ …"), or "parked", which is what Kafka calls purgatory; or the connection ends
// ("✗ …"). The answers to earlier requests that it sets free follow, with client and API before the arrow. A client may
// have any number of requests under way.
//
// # Other steps
//
//	settings group.max.size=2       broker properties that the script needs; before all other steps
//	skip 3.9.2: reason              targets that the script is not for; before all other steps
//	alone reason                    no other script runs on the same broker meanwhile; before all other steps
//	topics orders:4 payments:1      topics with their numbers of partitions
//	drop refunds                    topics are deleted, which no other script uses
//	defaults group=g session=30s    fields that requests need not repeat
//	client A id=""                  a client whose client id is not its name
//	disconnect A                    the client's connections end, without a leave
//	advance 2s                      time passes; below it, the answers that come meanwhile
//	parked                          below it, the requests that have no answer
//
// # Differences between targets
//
// Untagged answers are those of Kafka 4.4.0, and of every target that has no lines of its own: "[3.9.2] → NONE". A step
// that starts with a tag runs on these targets alone: "[4.4.0 core] A: OffsetCommit v10 …". If a target has nothing where
// others have an answer it says "[3.9.2] nothing". A script that asks for an API which a backend lacks is skipped there.
//
// # Names
//
// A member id that appears in an answer to JoinGroup is called after its client from then on, $A, and $A2 if the client
// gets another. It must have the form that Kafka gives it: client id (or instance id), hyphen, random UUID. Member
// ids that nobody was given are written as they are. Producer ids get such names from the answers to InitProducerID, apart
// from those of members. Group ids, transactional ids and topics get a prefix on a broker that others use too; the empty one
// does not, so that only one script may use it.
//
// # What is taken out of the answers
//
// Kafka leaves the following open, so scripts do not show it:
//
//   - throttle times, which depend on quotas and load, the hosts of members and the addresses of coordinators, which
//     depend on the network, and the words with which FindCoordinator explains an error;
//   - the order of the members that a leader is told, and that DescribeGroups lists (G-095): by name;
//   - the order of the groups that DescribeGroups and ListGroups list, whose partitions are asked at the same time; of the
//     listed ones, those of other scripts are left out;
//   - the order of topics and partitions in answers about offsets, where the broker's front end puts its own refusals
//     first (G-260), and of the groups that DeleteGroups has deleted;
//   - the order of answers that come of one step: the step's own first, the others by client;
//   - which member leads after the leader has gone, if several could (G-012): a script must leave only one;
//   - of the APIs that ApiVersions lists, those that scripts cannot ask for;
//   - a request that another has replaced (G-015) stays parked, as with Kafka, although the core knows better.
//
// # Transactions
//
// InitProducerID, AddOffsetsToTxn and EndTxn are for the coordinator of transactions. A broker is asked again while that is
// not ready, or still at the producer's last transaction, as producers ask it; and an EndTxn is answered when all groups have
// heard of the end, which Kafka tells them after its answer. Beside the core stands as much of such a coordinator as it
// takes: see coreTransactions.
//
// # Time
//
// In a testing/synctest bubble time is virtual, and everything that can happen without time passing has happened when a
// step ends. A real broker needs real time: see settle. Scripts leave at least half a second between a moment at
// which something may happen and one at which it must have happened, as a script on a real broker takes longer than it says.
//
// # Rewriting
//
//	go test ./internal/script -rewrite -from=4.4.0 -run OnKafka440
//
// writes the answers of a target into the scripts; read the difference before you believe it.
package script
