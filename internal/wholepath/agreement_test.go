package wholepath_test

import (
	"context"
	"fmt"
	"slices"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// settle waits until the coordinator, all living workers and the ledger agree. It returns how long that took; after limit
// the test fails with what they did not agree on.
func (p *party) settle(limit time.Duration) time.Duration {
	p.t.Helper()
	began := time.Now()
	for {
		p.replaceFenced()
		synctest.Wait()
		wrong := p.disagreement()
		if wrong == "" {
			return time.Since(began)
		}
		if time.Since(began) > limit {
			p.t.Fatalf("after %v: %s", limit, wrong)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// disagreement says in what respect the group is not stable, complete, or what its members take it for; empty means
// that all is well.
func (p *party) disagreement() string {
	described, err := p.describe()
	if err != nil {
		return err.Error()
	}
	state := "Stable"
	if len(p.living) == 0 {
		state = "Empty"
	}
	if described.State != state || len(described.Members) != len(p.living) {
		return fmt.Sprintf("the group is %s with %d members, but %d live", described.State, len(described.Members), len(p.living))
	}
	byID := make(map[string]kmsg.DescribeGroupsResponseGroupMember)
	for _, m := range described.Members {
		byID[m.MemberID] = m
	}
	owners := make(map[int32]string)
	for _, w := range p.living {
		if wrong := p.misled(w, byID, owners); wrong != "" {
			return wrong
		}
	}
	if len(p.living) > 0 && len(owners) != int(p.partitions) {
		return fmt.Sprintf("%d of %d partitions are owned", len(owners), p.partitions)
	}
	if err := p.checkCommitted(); err != nil {
		return fmt.Sprintf("fetching offsets: %v", err)
	}
	return ""
}

// misled compares one worker with what the coordinator says, and adds what it owns to owners.
func (p *party) misled(w *worker, described map[string]kmsg.DescribeGroupsResponseGroupMember, owners map[int32]string) string {
	state, g := w.Standing()
	a := w.Assignment()
	m, ok := described[g.MemberID]
	switch {
	case w.Err() != nil:
		return fmt.Sprintf("%s has ended: %v", w.name, w.Err())
	case state != client.Stable || a.Generation != g:
		return fmt.Sprintf("%s is %v in %v and works in %v", w.name, state, g, a.Generation)
	case g.ID != p.generation():
		return fmt.Sprintf("%s is in generation %d, the group in %d", w.name, g.ID, p.generation())
	case !ok:
		return fmt.Sprintf("%s is member %s, which the coordinator does not know", w.name, g.MemberID)
	}
	given, err := protocol.DecodeAssignment(m.MemberAssignment)
	if err != nil {
		return fmt.Sprintf("%s is described with an assignment that cannot be read: %v", w.name, err)
	}
	var partitions []consumer.TopicPartition
	for _, t := range given.Partitions {
		for _, number := range t.Partitions {
			partitions = append(partitions, consumer.TopicPartition{Topic: t.Topic, Partition: number})
		}
	}
	if !slices.Equal(partitions, a.Partitions) {
		return fmt.Sprintf("%s works on %v, but is described with %v", w.name, a.Partitions, partitions)
	}
	for _, partition := range a.Partitions {
		if owner, taken := owners[partition.Partition]; taken {
			return fmt.Sprintf("%v is owned by %s and by %s", partition, owner, w.name)
		}
		owners[partition.Partition] = w.name
	}
	return ""
}

// describe asks the coordinator for the group, over a session of its own.
func (p *party) describe() (kmsg.DescribeGroupsResponseGroup, error) {
	var none kmsg.DescribeGroupsResponseGroup
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.SetVersion(5)
	req.Groups = []string{groupID}
	answer, err := p.ask(req)
	if err != nil {
		return none, err
	}
	described := answer.(*kmsg.DescribeGroupsResponse).Groups[0]
	if code := protocol.ErrorCode(described.ErrorCode); code != protocol.None {
		return none, code
	}
	return described, nil
}

// checkCommitted holds the offsets that are committed against the ledger. The error is of a coordinator that cannot tell
// now: what the store was given last may just have failed.
func (p *party) checkCommitted() error {
	began := p.ledger.clock.now()
	all := make([]int32, p.partitions)
	floors := make([]int64, p.partitions)
	for i := range all {
		all[i], floors[i] = int32(i), p.ledger.floor(int32(i))
	}
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Version, req.RequireStable = 9, true
	g := kmsg.NewOffsetFetchRequestGroup()
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic, t.Partitions = topic, all
	g.Group, g.Topics = groupID, append(g.Topics, t)
	req.Groups = append(req.Groups, g)
	answer, err := p.ask(req)
	if err != nil {
		return err
	}
	fetched := answer.(*kmsg.OffsetFetchResponse).Groups[0]
	if err := protocol.ErrorCode(fetched.ErrorCode).Err(); err != nil {
		return err
	}
	for _, partition := range fetched.Topics[0].Partitions {
		p.ledger.seen("an onlooker", partition.Partition, floors[partition.Partition], max(0, partition.Offset), began)
	}
	return nil
}

// ask sends one request of an onlooker to the coordinator of the moment. Its version must be set.
func (p *party) ask(req kmsg.Request) (kmsg.Response, error) {
	return p.network.coordinator().Handle(context.Background(), coordinator.Peer{ClientID: "onlooker"}, req)
}
