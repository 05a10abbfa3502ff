package wholepath_test

import (
	"bytes"
	"context"
	"fmt"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/protocol"
)

// settle waits until the coordinator and all living workers agree, and checks what is committed. It returns how long
// that took; after limit the test fails with what they did not agree on.
func (p *party) settle(limit time.Duration) time.Duration {
	p.t.Helper()
	began := time.Now()
	for {
		p.replaceFenced()
		synctest.Wait()
		wrong := p.disagreement()
		if wrong == "" {
			p.checkCommitted()
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
	return ""
}

// misled compares one worker with what the coordinator says, and adds what it owns to owners.
func (p *party) misled(w *worker, described map[string]kmsg.DescribeGroupsResponseGroupMember, owners map[int32]string) string {
	state, g := w.member.Standing()
	a := w.assignment()
	m, ok := described[g.MemberID]
	switch {
	case w.member.Err() != nil:
		return fmt.Sprintf("%s has ended: %v", w.name, w.member.Err())
	case state != client.Stable || a.Generation != g:
		return fmt.Sprintf("%s is %v in %v and works in %v", w.name, state, g, a.Generation)
	case g.ID != p.generation():
		return fmt.Sprintf("%s is in generation %d, the group in %d", w.name, g.ID, p.generation())
	case !ok:
		return fmt.Sprintf("%s is member %s, which the coordinator does not know", w.name, g.MemberID)
	case string(m.ProtocolMetadata) != w.name && w.member.Config().InstanceID == "":
		return fmt.Sprintf("%s is described with the metadata of %s", w.name, m.ProtocolMetadata)
	case !bytes.Equal(m.MemberAssignment, a.Bytes):
		return fmt.Sprintf("%s works on another assignment than the coordinator describes", w.name)
	}
	partitions, err := partitionsOf(a.Bytes)
	if err != nil {
		return err.Error()
	}
	for _, partition := range partitions {
		if owner, taken := owners[partition]; taken {
			return fmt.Sprintf("partition %d is owned by %s and by %s", partition, owner, w.name)
		}
		owners[partition] = w.name
	}
	return ""
}

// describe asks the coordinator for the group, over a session of its own.
func (p *party) describe() (kmsg.DescribeGroupsResponseGroup, error) {
	var none kmsg.DescribeGroupsResponseGroup
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.SetVersion(5)
	req.Groups = []string{groupID}
	answer, err := p.ask(context.Background(), req)
	if err != nil {
		return none, err
	}
	described := answer.(*kmsg.DescribeGroupsResponse).Groups[0]
	if code := protocol.ErrorCode(described.ErrorCode); code != protocol.None {
		return none, code
	}
	return described, nil
}

// checkCommitted holds the offsets that are committed against the ledger.
func (p *party) checkCommitted() {
	p.t.Helper()
	all := make([]int32, p.partitions)
	floors := make([]int64, p.partitions)
	for i := range all {
		all[i], floors[i] = int32(i), p.ledger.floor(int32(i))
	}
	offsets, err := fetchOffsets(context.Background(), p.ask, all)
	if err != nil {
		p.t.Errorf("fetching offsets: %v", err)
		return
	}
	for _, partition := range all {
		p.ledger.seen("an onlooker", partition, floors[partition], offsets[partition])
	}
}

// ask sends one request of an onlooker to the coordinator of the moment. Its version must be set.
func (p *party) ask(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	return p.network.coordinator().Handle(ctx, coordinator.Peer{ClientID: "onlooker"}, req)
}
