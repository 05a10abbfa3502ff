package conform

import (
	"testing"

	"github.com/joinsync/joinsync/internal/script"
)

func TestDifferencesOfOneCauseAreOfOneKind(t *testing.T) {
	type answers struct{ api, want, got string }
	for _, test := range []struct {
		name       string
		one, other answers
		same       bool
	}{
		{"the same detail of other partitions",
			answers{"OffsetFetch", "→ NONE offsets=[orders/0@1]", "→ NONE offsets=[orders/0@1(metadata=null)]"},
			answers{"OffsetFetch", "→ NONE offsets=[orders/1@17 orders/2@-1]", "→ NONE offsets=[orders/1@17(metadata=null) orders/2@-1]"}, true},
		{"the same code of other groups",
			answers{"DeleteGroups", "→ groups=[g:NONE]", "→ groups=[g:NON_EMPTY_GROUP]"},
			answers{"DeleteGroups", "→ groups=[h:NONE]", "→ groups=[h:NON_EMPTY_GROUP]"}, true},
		{"the same member id of other members",
			answers{"JoinGroup", "→ UNKNOWN_MEMBER_ID member=$A", "→ UNKNOWN_MEMBER_ID"},
			answers{"JoinGroup", "→ UNKNOWN_MEMBER_ID member=$B2", "→ UNKNOWN_MEMBER_ID"}, true},
		{"ids of another form",
			answers{"JoinGroup", "→ NONE member=$A", "→ NONE member=A-a6704dff9c606f7e96edf131861c5c5f"},
			answers{"JoinGroup", "→ NONE member=$A", "→ NONE member=A-10000000-0000-4000-8000-00000000000f"}, true},
		{"another API",
			answers{"Heartbeat", "→ NONE", "→ ILLEGAL_GENERATION"}, answers{"SyncGroup", "→ NONE", "→ ILLEGAL_GENERATION"}, false},
		{"another code",
			answers{"Heartbeat", "→ NONE", "→ ILLEGAL_GENERATION"}, answers{"Heartbeat", "→ NONE", "→ UNKNOWN_MEMBER_ID"}, false},
		{"another order of the same words",
			answers{"LeaveGroup", "→ NONE members=[a:NONE b:NONE]", "→ NONE members=[b:NONE a:NONE]"},
			answers{"LeaveGroup", "→ NONE members=[c:NONE d:NONE]", "→ NONE members=[d:NONE c:NONE]"}, false},
	} {
		kind := func(a answers) string {
			return Kind(script.Difference{API: a.api, Want: []string{a.want}, Got: []string{a.got}})
		}
		if same := kind(test.one) == kind(test.other); same != test.same {
			t.Errorf("%s: %q and %q", test.name, kind(test.one), kind(test.other))
		}
	}
}
