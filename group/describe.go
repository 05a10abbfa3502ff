package group

// Description is a group as DescribeGroups shows it.
type Description struct {
	State        State
	Generation   int32
	ProtocolType string
	Protocol     string // empty unless Stable (G-175)
	LeaderID     string
	Members      []MemberDescription // in join order
}

// MemberDescription is one member of a Description. Ids that were given out and have not joined are not described
// (G-178).
type MemberDescription struct {
	ID         string
	InstanceID *string
	ClientID   string
	ClientHost string
	Metadata   []byte // for the protocol; nil unless the group is Stable (G-175)
	Assignment []byte // the last one
}

// Describe returns the group as it is now (G-174, G-180).
func (g *Group) Describe() Description {
	d := Description{State: g.state, Generation: g.generation, ProtocolType: g.protocolType}
	if g.leader != nil {
		d.LeaderID = g.leader.id
	}
	if g.state == Stable {
		d.Protocol = g.protocol
	}
	for m := range g.members.all {
		md := MemberDescription{
			ID: m.id, InstanceID: m.instanceID, ClientID: m.clientID, ClientHost: m.clientHost, Assignment: m.assignment,
		}
		if g.state == Stable {
			md.Metadata = m.metadata(g.protocol)
		}
		d.Members = append(d.Members, md)
	}
	return d
}

// ID returns the group's id.
func (g *Group) ID() string { return g.id }

// State returns the state; Dead is a group that does not exist.
func (g *Group) State() State { return g.state }

// ProtocolType returns the protocol type; empty is none. It outlives the last member (G-007).
func (g *Group) ProtocolType() string { return g.protocolType }
