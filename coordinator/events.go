package coordinator

import "github.com/joinsync/joinsync/group"

// Events are told what happens to groups, for logs, metrics and people. A nil function is not called. They are called
// by a partition's owner while it works: they must not block and must not call the coordinator. Calls for one group
// come one after another, calls for several groups may come at once.
type Events struct {
	// Transition reports a change of a group's state.
	Transition func(groupID string, t group.Transition)

	// Removal reports that a member is no longer in its group.
	Removal func(groupID string, r group.Removal)
}
