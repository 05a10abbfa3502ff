package group

import (
	"reflect"
	"testing"
)

func TestDescribe(t *testing.T) { // G-173 to G-178
	instance := "i"
	a := MemberDescription{ID: "a-1", ClientID: "a", ClientHost: "/10.0.0.1", Assignment: []byte("#1 a-1")}
	b := MemberDescription{ID: "b-1", ClientID: "b", ClientHost: "/10.0.0.1", Assignment: []byte("#1 b-1")}
	c := MemberDescription{ID: "c-1", ClientID: "c", ClientHost: "/10.0.0.1", Assignment: []byte("#1 c-1"), InstanceID: &instance}
	all := []MemberDescription{a, b, c}
	each := func(change func(*MemberDescription)) []MemberDescription {
		var members []MemberDescription
		for _, m := range all {
			change(&m)
			members = append(members, m)
		}
		return members
	}
	unassigned := each(func(m *MemberDescription) { m.Assignment = nil })
	subscribed := each(func(m *MemberDescription) { m.Metadata = []byte("t1") })
	tests := map[State]Description{
		Dead:                {State: Dead},
		Empty:               {State: Empty, Generation: 2, ProtocolType: "consumer"},
		PreparingRebalance:  {State: PreparingRebalance, Generation: 1, ProtocolType: "consumer", LeaderID: "a-1", Members: all},
		CompletingRebalance: {State: CompletingRebalance, Generation: 1, ProtocolType: "consumer", LeaderID: "a-1", Members: unassigned},
		Stable:              {State: Stable, Generation: 1, ProtocolType: "consumer", Protocol: "range", LeaderID: "a-1", Members: subscribed},
	}
	for state, want := range tests {
		t.Run(state.String(), func(t *testing.T) {
			d := stand(t, state) // with a pending id, which is not described
			got := d.g.Describe()
			d.must(reflect.DeepEqual(got, want), "described as %+v, want %+v", got, want)
		})
	}
	if id := New("g", &testConfig).ID(); id != "g" {
		t.Errorf("the id is %q", id)
	}
}

func TestNamesAreThoseOfKafka(t *testing.T) { // G-001, G-218
	for got, want := range map[string]string{
		Dead.String(): "Dead", Empty.String(): "Empty", PreparingRebalance.String(): "PreparingRebalance",
		CompletingRebalance.String(): "CompletingRebalance", Stable.String(): "Stable", State(9).String(): "Unknown",
		Error(0).String(): "NONE", Error(-1).String(): "UNKNOWN_SERVER_ERROR", Error(12).String(): "OFFSET_METADATA_TOO_LARGE",
		Error(15).String(): "COORDINATOR_NOT_AVAILABLE", Error(16).String(): "NOT_COORDINATOR", Error(22).String(): "ILLEGAL_GENERATION",
		Error(23).String(): "INCONSISTENT_GROUP_PROTOCOL", Error(25).String(): "UNKNOWN_MEMBER_ID", Error(27).String(): "REBALANCE_IN_PROGRESS",
		Error(69).String(): "GROUP_ID_NOT_FOUND", Error(79).String(): "MEMBER_ID_REQUIRED", Error(81).String(): "GROUP_MAX_SIZE_REACHED",
		Error(82).String(): "FENCED_INSTANCE_ID", Error(999).String(): "ERROR_CODE_999",
		Heartbeat.String(): "Heartbeat", Unload.String(): "Unload", Kind(99).String(): "Unknown", Cause(99).String(): "unknown",
		Reason{Cause: Left, MemberID: "a-1"}.String(): "member a-1 left", Reason{Cause: AllJoined}.String(): "the join phase is over",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for c := Joined; c <= Deleted; c++ {
		if c.String() == "" {
			t.Errorf("cause %d has no text", c)
		}
	}
}
