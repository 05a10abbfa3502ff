package group

// Output is what one or more Steps ask of their caller. It belongs to the caller, who resets and reuses it; Step only
// appends. The duties, in this order:
//
//  1. Send the Replies. None of them depends on the Records beside it: an answer that does is kept by the group until
//     it learns what became of them.
//  2. If there are Records, append them as one atomic batch. When they are durable give each to Apply, in order, and
//     Step a Stored event; when they are refused Step a Refused event. Until then Step nothing else, but for the Commits
//     that Step gathered before the batch was handed over and an Unload: see [Group.Step].
//  3. Look at NextDeadline.
type Output struct {
	Replies     []Reply
	Records     []Record
	Transitions []Transition // for logs, metrics and people
	Removals    []Removal    // likewise
}

// Reset empties the output and keeps its memory. What it held is let go.
func (o *Output) Reset() {
	clear(o.Replies)
	clear(o.Records)
	o.Replies, o.Records = o.Replies[:0], o.Records[:0]
	o.Transitions, o.Removals = o.Transitions[:0], o.Removals[:0]
}

// Reply answers one request: a tagged union, of which Kind, that of the event, says what fields count.
type Reply struct {
	Token Token
	Kind  Kind
	Error Error

	// Superseded says that Kafka never answers this request: a later one of the same member took its place, or the
	// member left (G-015, G-117). On a wire it means silence; every other field is empty.
	Superseded bool

	// Join. MemberID is the joiner's, or as the rule of the error says (G-099).
	MemberID     string
	Generation   int32
	ProtocolType string         // empty: null; also in an answer to Sync
	ProtocolName string         // empty: null; also in an answer to Sync
	LeaderID     string         // the member whose id this is computes the assignment
	Members      []JoinedMember // the leader's only, in join order (G-095)
	Skip         bool           // the leader is to sync without assignments: the stored ones stand (KIP-814)

	// Sync.
	Assignment []byte

	// Errors has one code per entry of a Leave's Leaving, a Commit's Offsets, or the Partitions of a DeleteOffsets. Nil
	// means that Error holds for all.
	Errors []Error
}

// JoinedMember is one member as the leader sees it.
type JoinedMember struct {
	ID         string
	InstanceID *string
	Metadata   []byte // for the selected protocol
}

// Transition is a change of a group's state.
type Transition struct {
	From, To   State
	Generation int32 // after the change
	Members    int   // after the change
	Reason     Reason
}

// Removal says that a member is no longer in the group.
type Removal struct {
	MemberID string
	Cause    Cause
}

// Reason is why a rebalance began or a state changed: a cause, and the member that it is about, if it is about one.
type Reason struct {
	Cause    Cause
	MemberID string
}

// String is a sentence's part that a person can read: "member a-1 joined".
func (r Reason) String() string {
	if r.MemberID == "" {
		return r.Cause.String()
	}
	return "member " + r.MemberID + " " + r.Cause.String()
}

// Cause is the kind of thing that made a group change.
type Cause uint8

// The causes, with what they say of a member.
const (
	Joined           Cause = iota + 1 // joined
	LeaderRejoined                    // rejoined as leader
	MetadataChanged                   // rejoined with other metadata
	Left                              // left
	SessionExpired                    // missed its session timeout
	JoinExpired                       // did not rejoin in time
	SyncExpired                       // did not sync in time
	Refusal                           // was refused, the group being full
	Replaced                          // came back as a static member, under a new id
	AllJoined                         // the join phase is over
	AssignmentStored                  // the leader's assignment is stored
	StoreFailed                       // records were refused by the store
	Loaded                            // the group was loaded
	Unloaded                          // the group's partition went away
	GroupCreated                      // the group was created
	Deleted                           // the group was deleted, or nothing of it was left
)

var causeNames = [...]string{
	"", "joined", "rejoined as leader", "rejoined with other metadata", "left", "missed its session timeout",
	"did not rejoin in time", "did not sync in time", "was refused by the full group",
	"came back as a static member", "the join phase is over",
	"the assignment is stored", "the store refused the records", "the group was loaded", "the group's partition went away",
	"the group was created", "the group was deleted",
}

// String returns what the cause says of a member, or of the group.
func (c Cause) String() string {
	if int(c) < len(causeNames) {
		return causeNames[c]
	}
	return "unknown"
}
