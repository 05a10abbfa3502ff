package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/internal/timeline"
	"github.com/joinsync/joinsync/protocol"
)

const (
	groupID    = "shop"
	topic      = "orders"
	partitions = 6
	records    = 900 // of all partitions, equally many of each

	initialDelay      = 250 * time.Millisecond
	sessionTimeout    = time.Second
	heartbeatInterval = 100 * time.Millisecond
)

// A stage is what the members play on: the coordinator of their group, and the records of their topic.
type stage struct {
	coordinator *coordinator.Coordinator
	transport   protocol.Transport // to the coordinator
	cluster     *kfake.Cluster
	network     kfake.VirtualNetwork
	ledger      *ledger
	line        *timeline.Timeline
}

// newStage builds a stage with the topic filled. Close it.
func newStage(ctx context.Context, line *timeline.Timeline) (s *stage, err error) {
	s = &stage{ledger: newLedger(), line: line}
	s.coordinator, err = coordinator.New(ctx, coordinator.Config{
		MinSessionTimeout:     sessionTimeout,
		InitialRebalanceDelay: initialDelay,
		Topics:                coordinator.FixedTopics{topic: partitions},
		Events:                &coordinator.Events{Transition: s.transition, Removal: s.removal},
	})
	if err != nil {
		return nil, err
	}
	s.cluster, err = kfake.NewCluster(kfake.Ports(9092), kfake.ListenFn(s.network.Listen), kfake.SeedTopics(partitions, topic))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the cluster that holds the records: %w", err), s.coordinator.Close())
	}
	if err := s.fill(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("fill topic %s: %w", topic, err), s.close())
	}
	return s, nil
}

func (s *stage) close() error {
	s.cluster.Close()
	return s.coordinator.Close()
}

// transition shows why the coordinator rebalances the group.
func (s *stage) transition(_ string, t group.Transition) {
	if t.To == group.PreparingRebalance {
		s.line.Add(timeline.Event{
			Kind: timeline.Rebalance, Member: timeline.ShortName(t.Reason.MemberID), Reason: t.Reason.Cause.String(),
		})
	}
}

// removal shows that the coordinator has given a member up.
func (s *stage) removal(_ string, r group.Removal) {
	if r.Cause == group.Left {
		return
	}
	name := timeline.ShortName(r.MemberID)
	s.line.Add(timeline.Event{Kind: timeline.Removed, Member: name, Reason: r.Cause.String()})
	s.ledger.removed(name)
}

// client returns a client of the records' cluster.
func (s *stage) client(opts ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append(opts, kgo.SeedBrokers("127.0.0.1:9092"), kgo.Dialer(s.network.DialContext))...)
}

// value is that of the record at an offset.
func value(partition int32, offset int64) string {
	return fmt.Sprintf("order %d of shop %d", offset, partition)
}

// fill writes the records.
func (s *stage) fill(ctx context.Context) error {
	cl, err := s.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return err
	}
	defer cl.Close()
	var all []*kgo.Record
	for p := range int32(partitions) {
		for offset := range int64(records / partitions) {
			all = append(all, &kgo.Record{Topic: topic, Partition: p, Value: []byte(value(p, offset))})
		}
	}
	return cl.ProduceSync(ctx, all...).FirstErr()
}
