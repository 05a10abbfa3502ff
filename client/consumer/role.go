package consumer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/protocol"
)

// role is the consumer as its member sees it. All methods are called by the member's goroutine, so its fields need no
// lock.
type role struct {
	*Consumer
	previous   int32                      // the last generation in which the consumer was assigned something; 0 if none
	last       []protocol.TopicPartitions // what that was
	mismatches int                        // assignments in a row that were refused
}

var _ client.Protocol = (*role)(nil)

// Type returns "consumer".
func (r *role) Type() string { return protocol.ConsumerProtocol }

// Offers lists the assignors with the subscription. An eager consumer owns nothing when it joins (G-496).
func (r *role) Offers() []client.Offer {
	_, g := r.member.Standing()
	subscription := protocol.NewSubscription(r.cfg.Topics...)
	subscription.Generation, subscription.Rack = g.ID, r.cfg.Rack
	offers := make([]client.Offer, 0, len(r.cfg.Assignors))
	for _, a := range r.cfg.Assignors {
		offers = append(offers, client.Offer{Name: a.Name(), Metadata: r.metadata(a, subscription)})
	}
	return offers
}

// metadata is the subscription, with what the assignor adds to it: sticky ones what the consumer was last assigned (G-553).
func (r *role) metadata(a assignor.Assignor, subscription protocol.Subscription) []byte {
	if a, ok := a.(assignor.UserDataAssignor); ok {
		generation := r.previous
		if generation <= 0 {
			generation = -1
		}
		subscription.UserData = a.UserData(r.last, generation)
	}
	return subscription.AppendTo(nil)
}

// Assigned takes an assignment over (G-506 to G-509).
func (r *role) Assigned(ctx context.Context, a client.Assignment) error {
	partitions, err := decodeAssignment(a.Bytes)
	if err != nil {
		return err
	}
	r.previous, r.last = a.Generation.ID, nil
	topics, of := byTopic(partitions)
	for _, topic := range topics {
		r.last = append(r.last, protocol.TopicPartitions{Topic: topic, Partitions: of[topic]})
	}
	if a.Leader {
		r.watch.start(r.Consumer)
	}
	if foreign := r.foreign(partitions); foreign != "" {
		return r.refuse(ctx, foreign)
	}
	r.mismatches = 0
	r.setAssigned(Assignment{Generation: a.Generation, Leader: a.Leader, Partitions: partitions})
	if r.cfg.OnAssigned != nil {
		r.cfg.OnAssigned(ctx, slices.Clone(partitions))
	}
	return nil
}

// foreign finds a topic that the consumer has not subscribed to; empty if there is none.
func (r *role) foreign(partitions []TopicPartition) string {
	for _, p := range partitions {
		if !slices.Contains(r.cfg.Topics, p.Topic) {
			return p.Topic
		}
	}
	return ""
}

// refuse joins again instead of taking over an assignment that is not for this consumer (G-507). From the second time
// on it waits a little, as a leader that always errs would keep the group spinning.
func (r *role) refuse(ctx context.Context, topic string) error {
	const reason = "received assignment does not match the current subscription"
	r.log.Warn(reason, zap.String("topic", topic))
	r.mismatches++
	if r.mismatches > 1 {
		timer := time.NewTimer(r.cfg.Member.RetryBackoffMax)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", reason, context.Cause(ctx))
		}
	}
	r.setAssigned(none)
	r.member.Rejoin(reason)
	return nil
}

// none is the assignment of who owns nothing.
var none = Assignment{Generation: client.Generation{ID: -1}}

// Release gives the assignment up (G-483, G-492, G-493).
func (r *role) Release(ctx context.Context, release client.Release) {
	r.watch.stop()
	owned := r.Assignment()
	tell := r.cfg.OnRevoked
	if release.Lost && r.cfg.OnLost != nil {
		tell = r.cfg.OnLost
	}
	took := owned.Generation.ID >= 0 // it may have refused what it was assigned
	if (release.Lost || release.Leaving) && len(owned.Partitions) == 0 {
		took = false
	}
	if took && tell != nil {
		tell(ctx, owned.Partitions)
	}
	r.setAssigned(none)
}
