package sim

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/joinsync/joinsync/group"
)

// member models a client as Kafka's are: it joins, syncs, heartbeats, commits, and takes answers as they do.
type member struct {
	name      string // member ids begin with it
	instance  *string
	old       bool // of a version that does not come again with an id (G-050)
	knowsSkip bool // KIP-814
	session   group.Millis
	rebalance group.Millis
	protocols []group.Protocol

	alive      bool
	id         string
	generation int32
	phase      phase
	roster     []group.JoinedMember // a leader's
	partitions partitions           // that it works on
	waiting    uint64               // for the answer to the JoinGroup or SyncGroup of this number; 0: for none
	asked      group.Time           // when it asked
	next       group.Time           // when it acts again, once all is calm
}

type phase uint8

const (
	outside phase = iota // it has to join
	joined               // it has to sync
	working
)

func newMember(i int, d *dice) *member {
	m := &member{
		name: string(rune('a' + i)), old: d.oneIn(4), knowsSkip: d.oneIn(2), alive: true,
		session: pick[group.Millis](d, 3000, 6000, 10_000), rebalance: pick[group.Millis](d, 1000, 10_000, 30_000),
	}
	if d.oneIn(3) {
		instance := "i" + m.name
		m.instance = &instance
	}
	m.changeMind(d)
	return m
}

// changeMind makes the member subscribe to something, in protocols of its liking.
func (m *member) changeMind(d *dice) {
	m.list(pick(d, "t1", "t2"), pick(d, []string{"range"}, []string{"sticky", "range"}, []string{"range", "sticky"},
		[]string{"roundrobin", "range", "sticky"}, []string{"sticky"})...)
}

func (m *member) list(topic string, names ...string) {
	m.protocols = nil
	for _, name := range names {
		m.protocols = append(m.protocols, group.Protocol{Name: name, Metadata: []byte(topic)})
	}
}

// subscription reads the metadata that members have: the name of one topic.
func subscription(metadata []byte) ([]string, bool) {
	return []string{string(metadata)}, len(metadata) > 0
}

func (m *member) newID(n int) string { return m.name + "-" + strconv.Itoa(n) }

// named tells whether a member id was made for this member.
func (m *member) named(id string) bool {
	name, _, _ := strings.Cut(id, "-")
	return name == m.name
}

// restart makes the member a new process.
func (m *member) restart() {
	m.id, m.generation, m.waiting = "", -1, 0
	m.outside()
}

func (m *member) outside() { m.phase, m.partitions, m.roster = outside, 0, nil }

// ask sends a request; the answers to joins and syncs are waited for.
func (m *member) ask(s *simulation, ev group.Event) {
	s.asked++
	ev.MemberID, ev.InstanceID = m.id, m.instance
	if ev.Kind == group.Join || ev.Kind == group.Sync {
		m.waiting, m.asked = s.asked, s.time
	}
	s.wire.send(s, message{request: &request{m, s.asked, ev}})
}

// patience is how long a member waits for an answer before it asks again: longer than any join phase.
const patience group.Time = 35_000

// proceed does what the member has to do next, if that is not to wait.
func (m *member) proceed(s *simulation) {
	switch {
	case m.waiting != 0:
	case m.phase == outside:
		m.ask(s, group.Event{
			Kind: group.Join, ClientID: m.name, ClientHost: "/h", ProtocolType: "consumer", Protocols: m.protocols,
			SessionTimeout: m.session, RebalanceTimeout: m.rebalance, RequiresKnownID: !m.old && m.instance == nil, KnowsSkip: m.knowsSkip,
		})
	case m.phase == joined:
		m.ask(s, group.Event{Kind: group.Sync, Generation: m.generation, Assignments: m.plan(s)})
	default:
		m.beat(s)
	}
}

func (m *member) beat(s *simulation) {
	m.ask(s, group.Event{Kind: group.Heartbeat, Generation: m.generation})
}

// commit commits an offset or two that nobody has committed before, now and then within a transaction.
func (m *member) commit(s *simulation) {
	ev := group.Event{Kind: group.Commit, Generation: m.generation, Offsets: s.newOffsets()}
	ev.Transactional, ev.ProducerID = s.dice.oneIn(4), int64(s.dice.intN(2))
	m.ask(s, ev)
}

// hear takes the answer to a request. What was asked in another life is none of its business.
func (m *member) hear(s *simulation, asked *request, r *group.Reply) {
	switch asked.event.Kind {
	case group.Join, group.Sync:
		if asked.number != m.waiting {
			return
		}
		m.waiting = 0
	default:
		if asked.event.MemberID != m.id || asked.event.Generation != m.generation {
			return
		}
	}
	m.next = s.time + 100
	switch r.Error {
	case group.None:
		m.granted(s, asked.event.Kind, r)
	case group.MemberIDRequired:
		m.id = r.MemberID
	case group.UnknownMemberID, group.FencedInstanceID, group.UnknownServerError, group.GroupMaxSizeReached:
		m.restart()
	case group.InconsistentGroupProtocol:
		m.list("t1", "range", "sticky", "roundrobin")
		m.outside()
	case group.IllegalGeneration, group.RebalanceInProgress:
		m.outside()
	}
}

func (m *member) granted(s *simulation, kind group.Kind, r *group.Reply) {
	switch kind {
	case group.Join:
		m.id, m.generation, m.phase, m.roster = r.MemberID, r.Generation, joined, nil
		if r.LeaderID == r.MemberID && !r.Skip {
			m.roster = r.Members
		}
	case group.Sync:
		m.phase = working
		a := readAssignment(r.Assignment)
		m.partitions = a.partitions
		s.must(r.Assignment == nil || a.generation == m.generation, ownGeneration,
			"%s of generation %d has one of %d", m.id, m.generation, a.generation)
	}
}

// partitions is a set of those that there are to share.
type partitions uint64

const allPartitions partitions = 1<<60 - 1

// assignment is what a member is given, with where it comes from.
type assignment struct {
	generation int32
	plan       uint32
	partitions partitions
}

// plan deals the partitions to the members that a leader knows of.
func (m *member) plan(s *simulation) []group.Assignment {
	if m.roster == nil {
		return nil
	}
	s.plans++
	shares := make([]partitions, len(m.roster))
	for p := range 60 {
		shares[p%len(shares)] |= 1 << p
	}
	var plan []group.Assignment
	for i, to := range m.roster {
		bytes := binary.BigEndian.AppendUint32(nil, uint32(m.generation))
		bytes = binary.BigEndian.AppendUint32(bytes, s.plans)
		bytes = binary.BigEndian.AppendUint64(bytes, uint64(shares[i]))
		plan = append(plan, group.Assignment{MemberID: to.ID, Assignment: bytes})
	}
	return plan
}

func readAssignment(bytes []byte) assignment {
	if bytes == nil {
		return assignment{}
	}
	return assignment{
		generation: int32(binary.BigEndian.Uint32(bytes)), plan: binary.BigEndian.Uint32(bytes[4:]),
		partitions: partitions(binary.BigEndian.Uint64(bytes[8:])),
	}
}
