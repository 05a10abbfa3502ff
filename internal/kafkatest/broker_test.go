package kafkatest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

func TestBrokerStoresRecordsAndRunsGroups(t *testing.T) {
	for _, version := range kafkatest.Versions {
		t.Run(string(version), func(t *testing.T) {
			broker := kafkatest.Start(t, version)
			if broker.Version() != version {
				t.Errorf("version %s, want %s", broker.Version(), version)
			}
			topic, group := broker.CreateTopic(t, 3), kafkatest.Name(t)
			produce(t, broker.Addr(), topic, 9)

			member := client(t, broker.Addr(), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.ClientID("go"),
				kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.Balancers(kgo.RangeBalancer()))
			for seen := 0; seen < 9; {
				fetches := member.PollFetches(deadline(t))
				if err := fetches.Err(); err != nil {
					t.Fatal(err)
				}
				seen += fetches.NumRecords()
			}
			described, err := kafkatest.DescribeGroup(deadline(t), broker.Addr(), group)
			if err != nil {
				t.Fatal(err)
			}
			if err := described.CheckAssignment(topic, 3); err != nil {
				t.Error(err)
			}
			if described.State != "Stable" || described.Protocol != "range" || len(described.Members) != 1 ||
				described.Members[0].ClientID != "go" {
				t.Errorf("described as %+v", described)
			}
		})
	}
}

// A test that joins right after Start must not have to cope with a coordinator that is still loading.
func TestEveryCoordinatorIsLoadedFromTheStart(t *testing.T) {
	broker := kafkatest.Start(t, kafkatest.V4_4_0)
	cl := client(t, broker.Addr())
	for i := range 16 {
		req := kmsg.NewPtrFindCoordinatorRequest()
		req.CoordinatorKeys = []string{fmt.Sprint("group-", i)}
		resp, err := cl.SeedBrokers()[0].Request(deadline(t), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, coordinator := range resp.(*kmsg.FindCoordinatorResponse).Coordinators {
			if err := kerr.ErrorForCode(coordinator.ErrorCode); err != nil {
				t.Errorf("%s: %v", coordinator.Key, err)
			}
		}
		beat := kmsg.NewPtrHeartbeatRequest()
		beat.Group, beat.MemberID = req.CoordinatorKeys[0], "nobody"
		answer, err := cl.SeedBrokers()[0].Request(deadline(t), beat)
		if err != nil {
			t.Fatal(err)
		}
		if code := answer.(*kmsg.HeartbeatResponse).ErrorCode; code != kerr.UnknownMemberID.Code {
			t.Errorf("heartbeat in %s: %v, want UNKNOWN_MEMBER_ID", beat.Group, kerr.ErrorForCode(code))
		}
	}
}

func TestBrokersOfOneConfigurationAreShared(t *testing.T) {
	first, again := kafkatest.Start(t, kafkatest.V4_4_0), kafkatest.Start(t, kafkatest.V4_4_0)
	if first != again {
		t.Errorf("two brokers, at %s and %s", first.Addr(), again.Addr())
	}
}

func TestPropertiesReachThePrivateBroker(t *testing.T) {
	broker := kafkatest.Start(t, kafkatest.V4_4_0, kafkatest.Private(), kafkatest.With("group.max.session.timeout.ms", "12345"))
	cl := client(t, broker.Addr())
	for timeout, want := range map[int32]error{12345: kerr.MemberIDRequired, 12346: kerr.InvalidSessionTimeout} {
		req := kmsg.NewPtrJoinGroupRequest()
		req.Group, req.ProtocolType, req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = "g", "consumer", timeout, 1000
		protocol := kmsg.NewJoinGroupRequestProtocol()
		protocol.Name = "range"
		req.Protocols = append(req.Protocols, protocol)
		resp, err := cl.SeedBrokers()[0].Request(deadline(t), req)
		if err != nil {
			t.Fatal(err)
		}
		if err := kerr.ErrorForCode(resp.(*kmsg.JoinGroupResponse).ErrorCode); err != want {
			t.Errorf("session timeout %d ms: %v, want %v", timeout, err, want)
		}
	}
	if err := broker.Stop(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := cl.Ping(ctx); err == nil {
		t.Error("a stopped broker answers")
	}
}

func produce(t *testing.T, addr, topic string, count int) {
	t.Helper()
	producer := client(t, addr, kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	for i := range count {
		if err := producer.ProduceSync(deadline(t), kgo.StringRecord(fmt.Sprint("record ", i))).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func client(t *testing.T, addr string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(addr))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// deadline bounds one step of a test: far more than it takes, so that only what hangs meets it.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
