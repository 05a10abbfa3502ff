package timeline

import (
	"cmp"
	"slices"
	"strings"
)

// generation is what a timeline remembers of the last one, to tell why the next one came.
type generation struct {
	members  map[string]string // names by member id
	complete bool              // members are all of them
	cause    Event             // what the coordinator said of the rebalance under way; zero if it said nothing
}

// addGeneration adds the event of a new generation with the reason for it, which is, as far as it is known: what the
// coordinator says, who is new and who is gone, or else why the member itself joined. Members are names by id.
func (t *Timeline) addGeneration(e Event, members map[string]string, complete bool, joinReason string) {
	next := generation{members: members, complete: complete}
	e.Members = slices.Clone(e.Members)
	slices.SortFunc(e.Members, func(a, b Member) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID)) })
	t.mu.Lock()
	e.Reason = t.last.reason(e, next, joinReason)
	t.last = next
	t.mu.Unlock()
	t.Add(e)
}

// reason says why next came after last. e is its event.
func (last generation) reason(e Event, next generation, joinReason string) string {
	joined, gone := last.changes(next)
	var reasons []string
	switch {
	case last.cause.Reason == "joined":
		joined = append([]string{last.cause.Member}, joined...)
	case last.cause.Reason != "":
		reasons = append(reasons, strings.TrimSpace(last.cause.Member+" "+last.cause.Reason))
	}
	if len(joined) > 0 {
		reasons = append(reasons, list(joined)+" joined")
	}
	if len(gone) == 1 {
		reasons = append(reasons, gone[0]+" is gone")
	} else if len(gone) > 1 {
		reasons = append(reasons, list(gone)+" are gone")
	}
	switch {
	case len(reasons) > 0:
		return strings.Join(reasons, "; ")
	case last.members == nil:
		return e.Member + " joined"
	case joinReason != "":
		return joinReason
	}
	return "the members are the same"
}

// changes lists who is in next and not in last, and the other way round, sorted, apart from the one that the
// coordinator has named already. Of an incomplete generation nothing follows.
func (last generation) changes(next generation) (joined, gone []string) {
	if !next.complete {
		return nil, nil
	}
	first := last.members == nil && last.cause.Reason != "" // the timeline has seen the group from its beginning
	for id, name := range next.members {
		if (last.complete || first) && last.members[id] == "" && name != last.cause.Member {
			joined = append(joined, name)
		}
	}
	for id, name := range last.members {
		if next.members[id] == "" && name != last.cause.Member {
			gone = append(gone, name)
		}
	}
	slices.Sort(joined)
	slices.Sort(gone)
	return joined, gone
}
