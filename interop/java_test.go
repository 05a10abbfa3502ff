package interop_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// startJavaWith starts a Java consumer with properties of its own.
func startJavaWith(t *testing.T, addr, group, clientID string, properties map[string]string) javaMember {
	properties["heartbeat.interval.ms"] = "300"
	return javaMember{kafkatest.StartConsumer(t, kafkatest.ConsumerConfig{
		Addr: addr, Group: group, Topic: topic, ClientID: clientID, SessionTimeout: 8 * time.Second, Properties: properties,
	})}
}

// Two Java consumers rebalance while they go on with what they keep (KIP-429).
func TestCooperativeSticky(t *testing.T) {
	s, group := serve(t), "shop"
	start := func(clientID string) javaMember {
		return startJavaWith(t, s.addr, group, clientID, map[string]string{
			"partition.assignment.strategy": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
		})
	}
	first := start("first")
	s.awaitMembers(group, 1)
	second := start("second")
	described := s.awaitMembers(group, 2) // in two steps: give up first, take then
	if described.Protocol != "cooperative-sticky" {
		t.Errorf("the protocol is %s", described.Protocol)
	}
	for _, m := range described.Members {
		if len(m.Assigned[topic]) != 3 {
			t.Errorf("%s owns %v", m.ClientID, m.Assigned)
		}
	}
	wantRead(t, s.produce(2), first, second)
	if err := first.leave(); err != nil { // the leader
		t.Fatal(err)
	}
	s.awaitMembers(group, 1)
	wantRead(t, s.produce(2), second)
}

// A static Java consumer that is back within its session has what it had, and nobody rebalances; a second one with the
// same instance id takes its place, and the first is told so (KIP-345, KIP-814).
func TestStaticMembership(t *testing.T) {
	s, group := serve(t), "shop"
	start := func(instance string) javaMember {
		return startJavaWith(t, s.addr, group, instance, map[string]string{"group.instance.id": instance})
	}
	a := start("a")
	s.awaitMembers(group, 1)
	b := start("b")
	before := byInstance(s.awaitMembers(group, 2))
	generation := s.generationOf(group, before["b"])
	wantRead(t, s.produce(2), a, b)

	a.Kill()
	again := start("a")
	back := s.awaitReplaced(group, "a", before["a"])
	if own, had := back["a"].Assigned[topic], before["a"].Assigned[topic]; len(own) != 3 || own[0] != had[0] {
		t.Errorf("a has %v, and had %v", own, had)
	}
	wantRead(t, s.produce(2), again, b)
	if now := s.generationOf(group, back["b"]); now != generation || back["b"].MemberID != before["b"].MemberID {
		t.Errorf("generation %d came after %d: the group rebalanced", now, generation)
	}

	usurper := start("a")
	s.awaitReplaced(group, "a", back["a"])
	ctx := deadline(t)
	if err := again.await(ctx, func([]string) bool { return false }); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the first of two with one instance id goes on: %v", err)
	}
	wantRead(t, s.produce(2), usurper, b)
	if now := s.generationOf(group, back["b"]); now != generation {
		t.Errorf("generation %d came after %d: the group rebalanced", now, generation)
	}
}

func byInstance(g kafkatest.Group) map[string]kafkatest.GroupMember {
	members := make(map[string]kafkatest.GroupMember)
	for _, m := range g.Members {
		members[m.InstanceID] = m
	}
	return members
}

// awaitReplaced waits until an instance has another member id than it had.
func (s *server) awaitReplaced(group, instance string, had kafkatest.GroupMember) map[string]kafkatest.GroupMember {
	s.t.Helper()
	described, err := kafkatest.AwaitGroup(deadline(s.t), s.addr, group, func(g kafkatest.Group) bool {
		id := byInstance(g)[instance].MemberID
		return id != "" && id != had.MemberID && g.State == "Stable"
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return byInstance(described)
}

// generationOf finds the generation in which a member's heartbeat is good.
func (s *server) generationOf(group string, m kafkatest.GroupMember) int32 {
	s.t.Helper()
	for generation := range int32(10) {
		req := kmsg.NewPtrHeartbeatRequest()
		req.Group, req.MemberID, req.InstanceID, req.Generation = group, m.MemberID, &m.InstanceID, generation
		resp, err := req.RequestWith(deadline(s.t), s.kgo)
		if err != nil {
			s.t.Fatal(err)
		}
		if resp.ErrorCode == 0 {
			return generation
		}
	}
	s.t.Fatalf("no heartbeat of %s is good", m.MemberID)
	return 0
}
