package assignor

import "github.com/joinsync/joinsync/protocol"

// compareMembers is the order of members in Java's range and round robin assignors (G-533): those with an instance id
// first and by it, the others by member id. The member id settles what Java leaves open, two members of one instance
// id, so that the order of a problem's members never depends on the order in which they came.
func compareMembers(a, b *Member) int {
	switch {
	case a.InstanceID != "" && b.InstanceID != "":
		if c := protocol.CompareJava(a.InstanceID, b.InstanceID); c != 0 {
			return c
		}
	case a.InstanceID != "":
		return -1
	case b.InstanceID != "":
		return 1
	}
	return protocol.CompareJava(a.ID, b.ID)
}
