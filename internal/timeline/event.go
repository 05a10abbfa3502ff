package timeline

import "time"

// Kind says what an [Event] is. Its text is the field event of a JSON line.
type Kind string

// The kinds. Fields says what each means and what it has.
const (
	Opened     Kind = "opened"
	Started    Kind = "started"
	JoinGroup  Kind = "join_group"
	MemberID   Kind = "member_id"
	Joined     Kind = "joined"
	Planned    Kind = "planned"
	SyncGroup  Kind = "sync_group"
	Synced     Kind = "synced"
	Assigned   Kind = "assigned"
	Generation Kind = "generation"
	Rejoining  Kind = "rejoining"
	Released   Kind = "released"
	Fetched    Kind = "fetched"
	Committed  Kind = "committed"
	Consumed   Kind = "consumed"
	Retrying   Kind = "retrying"
	Leaving    Kind = "leaving"
	Left       Kind = "left"
	Killed     Kind = "killed"
	Removed    Kind = "removed"
	Rebalance  Kind = "rebalance"
	Ended      Kind = "ended"
	Warning    Kind = "warning"
	Partition  Kind = "partition"
	Check      Kind = "check"
	Closed     Kind = "closed"
	Dropped    Kind = "dropped"
)

// Event is one thing that happened: a tagged union, of which Kind says what fields count. Its maps and slices must not
// be changed once it is added to a timeline.
type Event struct {
	Kind Kind `json:"event"`

	Member     string     `json:"member,omitempty"`
	MemberID   string     `json:"member_id,omitempty"`
	Group      string     `json:"group,omitempty"`
	Generation int32      `json:"generation,omitempty"`
	Protocol   string     `json:"protocol,omitempty"`
	Leader     string     `json:"leader,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Protocols  []Offer    `json:"protocols,omitempty"`
	Members    []Member   `json:"members,omitempty"`
	Topics     Counts     `json:"topics,omitempty"`
	Partitions Partitions `json:"partitions,omitempty"`
	Offsets    Offsets    `json:"offsets,omitempty"`

	SessionTimeout time.Duration `json:"-"` // session_timeout_ms
	After          time.Duration `json:"-"` // after_ms

	Assignments int `json:"assignments,omitempty"`
	Bytes       int `json:"bytes,omitempty"`
	Records     int `json:"records,omitempty"`
	Failed      int `json:"failed,omitempty"`

	Lost    bool `json:"lost,omitempty"`
	Leaving bool `json:"leaving,omitempty"`

	Error string `json:"error,omitempty"`
	Text  string `json:"text,omitempty"`

	Story   *Story   `json:"story,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
}

// Offer is a protocol that a member offers in JoinGroup, with what its metadata says.
type Offer struct {
	Name   string   `json:"name"`
	Topics []string `json:"topics,omitempty"`
	Bytes  int      `json:"bytes"` // of the metadata
}

// Member is a member as the leader of its generation sees it.
type Member struct {
	Name       string     `json:"member"`
	ID         string     `json:"member_id"`
	Topics     []string   `json:"topics,omitempty"`
	Partitions Partitions `json:"partitions,omitempty"`
}

// Story is what became of one partition from the beginning to the end.
type Story struct {
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Records   int      `json:"records"`   // that it holds
	Reads     int      `json:"reads"`     // of its records, by anyone: more than Records if some were read twice
	Committed int64    `json:"committed"` // the last committed offset, -1 for none
	Owners    []string `json:"owners"`    // by generation, the first first; "" where nobody owned it
}

// Outcome is that of a check.
type Outcome struct {
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // what was counted, or what is wrong
}
