package kgotransport_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/protocol"
)

// cluster is a fake cluster on a network in memory, for use in a synctest bubble.
type cluster struct {
	*kfake.Cluster
	network *kfake.VirtualNetwork
}

func newCluster(t *testing.T, opts ...kfake.Opt) *cluster {
	t.Helper()
	network := new(kfake.VirtualNetwork)
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.Ports(9092, 9093, 9094), kfake.ListenFn(network.Listen)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &cluster{c, network}
}

// transport returns a transport to the cluster.
func (c *cluster) transport(t *testing.T, opts ...kgo.Opt) protocol.Transport {
	t.Helper()
	return newTransport(t, append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(c.network.DialContext)}, opts...)...)
}

func newTransport(t *testing.T, opts ...kgo.Opt) protocol.Transport {
	t.Helper()
	transport, err := kgotransport.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

// open returns a session of its own.
func open(t *testing.T, transport protocol.Transport) protocol.Session {
	t.Helper()
	s, err := transport.Open(t.Context(), protocol.Identity{ClientID: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// joinRequest is a JoinGroup of group g.
func joinRequest(memberID string, rebalanceMillis int32) *kmsg.JoinGroupRequest {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.ProtocolType = "g", memberID, "shards"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 45000, rebalanceMillis
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name = "fair"
	req.Protocols = append(req.Protocols, p)
	return req
}

// join joins group g over a session, with the member id that the coordinator gives.
func join(ctx context.Context, s protocol.Session, rebalanceMillis int32) (*kmsg.JoinGroupResponse, error) {
	var memberID string
	for {
		resp, err := s.Request(ctx, joinRequest(memberID, rebalanceMillis))
		if err != nil {
			return nil, err
		}
		joined := resp.(*kmsg.JoinGroupResponse)
		switch code := protocol.ErrorCode(joined.ErrorCode); code {
		case protocol.None:
			return joined, nil
		case protocol.MemberIDRequired:
			memberID = joined.MemberID
		default:
			return nil, code
		}
	}
}

func heartbeat() *kmsg.HeartbeatRequest {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID = "g", "nobody"
	return req
}

// shards is a protocol that gives every member a number.
type shards struct{}

func (shards) Type() string           { return "shards" }
func (shards) Offers() []client.Offer { return []client.Offer{{Name: "fair"}} }
func (shards) PerformAssignment(_ context.Context, e client.Election) (map[string][]byte, error) {
	all := make(map[string][]byte)
	for i, m := range e.Members {
		all[m.ID] = fmt.Appendf(nil, "%d of %d", i, len(e.Members))
	}
	return all, nil
}
func (shards) Assigned(context.Context, client.Assignment) error { return nil }
func (shards) Release(context.Context, client.Release) bool      { return false }

func wantErr(t *testing.T, err, target error, permanent bool, words ...string) {
	t.Helper()
	if err == nil || target != nil && !errors.Is(err, target) {
		t.Fatalf("error is %v, want %v", err, target)
	}
	if client.Permanent(err) != permanent {
		t.Errorf("error %q: permanent is %v", err, !permanent)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not mention %q", err, word)
		}
	}
}
