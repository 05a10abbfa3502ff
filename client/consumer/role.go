package consumer

import (
	"context"
	"fmt"
	"runtime/debug"
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
	last      assignor.Assignment // what it was last assigned
	unsettled int                 // assignments in a row after which it joined again
	again     *time.Timer         // for the next rebalance, if the assignor has asked for one
}

var _ client.Protocol = (*role)(nil)

// Type returns "consumer".
func (r *role) Type() string { return protocol.ConsumerProtocol }

// Offers lists the assignors with the subscription, and what the consumer owns: an eager one has given all that up (G-496).
func (r *role) Offers() []client.Offer {
	_, g := r.member.Standing()
	subscription := protocol.NewSubscription(r.cfg.Topics...)
	subscription.Generation, subscription.Rack = g.ID, r.cfg.Rack
	subscription.Owned = grouped(r.Assignment().Partitions)
	offers := make([]client.Offer, 0, len(r.cfg.Assignors))
	for _, a := range r.cfg.Assignors {
		offers = append(offers, client.Offer{Name: a.Name(), Metadata: r.metadata(a, subscription)})
	}
	return offers
}

// metadata is the subscription, with what the assignor adds to it: sticky ones what the consumer was last assigned (G-553).
func (r *role) metadata(a assignor.Assignor, subscription protocol.Subscription) []byte {
	if a, ok := a.(assignor.UserDataAssignor); ok {
		if err := hook(a, func() { subscription.UserData = a.UserData(r.last) }); err != nil {
			panic(err)
		}
	}
	return subscription.AppendTo(nil)
}

// hook calls an assignor outside assignor.Run. Its panic becomes an error that names it.
func hook(a assignor.Assignor, call func()) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &assignor.PanicError{Assignor: a.Name(), Value: value, Stack: debug.Stack()}
		}
	}()
	call()
	return nil
}

// Assigned takes an assignment over (G-506 to G-509).
func (r *role) Assigned(ctx context.Context, a client.Assignment) error {
	assigned, err := decodeAssignment(a)
	if err != nil {
		return err
	}
	partitions := assigned.Partitions
	if a.Leader {
		r.watch.start(r.Consumer)
	}
	if foreign := r.foreign(partitions); foreign != "" {
		return r.refuse(ctx, foreign)
	}
	kept := r.Assignment() // nothing, if it is eager
	added := without(partitions, kept.Partitions)
	taken := without(kept.Partitions, partitions)
	if len(taken) > 0 {
		kept.Partitions = without(kept.Partitions, taken)
		r.giveUp(ctx, r.cfg.OnRevoked, taken, kept)
		if _, now := r.member.Standing(); now != a.Generation {
			return nil // it was thrown out meanwhile: what is kept is lost next, and the rest may have gone to others
		}
	}
	r.last = assignor.Assignment{Generation: a.Generation.ID, Partitions: grouped(partitions), UserData: assigned.UserData}
	if err := r.listen(a.Generation.Protocol); err != nil {
		return err
	}
	r.setAssigned(assigned)
	if r.cfg.OnAssigned != nil {
		r.cfg.OnAssigned(ctx, added)
	}
	if len(taken) > 0 {
		return r.rejoin(ctx, "need to revoke partitions and re-join", r.cfg.Member.RetryBackoff, maxTaken)
	}
	r.unsettled = 0
	return nil
}

// giveUp tells a callback, if there is one, what the consumer has to give up, and leaves it the rest: also if the callback
// panics, so that nothing is given up twice.
func (r *role) giveUp(ctx context.Context, tell callback, partitions []TopicPartition, rest Assignment) {
	defer r.setAssigned(rest)
	if tell != nil {
		tell(ctx, partitions)
	}
}

type callback = func(context.Context, []TopicPartition)

// listen tells the assignor what the consumer is assigned, if it listens, and sees to the rebalance that it asks for.
func (r *role) listen(protocol string) error {
	a, err := r.assignor(protocol)
	if err != nil {
		return nil // the leader has made this known
	}
	listener, ok := a.(assignor.AssignmentListener)
	if !ok {
		return nil
	}
	var rejoin bool
	var after time.Duration
	err = hook(a, func() { rejoin, after = listener.OnAssignment(r.last) })
	reason := fmt.Sprintf("assignor %q asked for it", protocol)
	switch {
	case !rejoin:
	case after <= 0:
		r.member.Rejoin(reason)
	default:
		r.again = time.AfterFunc(after, func() { r.member.Rejoin(reason) })
	}
	return err
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

// refuse joins again instead of taking over an assignment that is not for this consumer (G-507).
func (r *role) refuse(ctx context.Context, topic string) error {
	const reason = "received assignment does not match the current subscription"
	r.log.Warn(reason, zap.String("topic", topic))
	return r.rejoin(ctx, reason, 0, maxRefused)
}

// How many assignments in a row a consumer may refuse, or have something taken by, and soon join again. Members that come one
// after the other take several times.
const (
	maxRefused = 1
	maxTaken   = 4
)

// rejoin joins again because of the assignment that has come, after a pause: when something was taken, a short one, because
// whose SyncGroup is still on its way then is refused its assignment, and does not learn what it has to give up. After more
// than soon in a row the pause is longer: a leader that always errs, or never makes up its mind, would keep the group spinning.
func (r *role) rejoin(ctx context.Context, reason string, pause time.Duration, soon int) error {
	if r.unsettled++; r.unsettled > soon {
		pause = r.cfg.Member.RetryBackoffMax
	}
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", reason, context.Cause(ctx))
		}
	}
	r.member.Rejoin(reason)
	return nil
}

// none is the assignment of who owns nothing.
var none = Assignment{Generation: client.Generation{ID: -1}}

// Release gives the assignment up (G-483, G-492, G-493), or keeps it, if the consumer is cooperative and stays in the group
// (G-494).
func (r *role) Release(ctx context.Context, release client.Release) (kept bool) {
	r.watch.stop()
	if r.again != nil {
		r.again.Stop()
		r.again = nil
	}
	owned := r.Assignment()
	if r.cooperative && !release.Lost && !release.Leaving {
		return owned.Generation.ID >= 0
	}
	tell := r.cfg.OnRevoked
	if release.Lost && r.cfg.OnLost != nil {
		tell = r.cfg.OnLost
	}
	if owned.Generation.ID < 0 || (release.Lost || release.Leaving) && len(owned.Partitions) == 0 {
		tell = nil // it has refused what it was assigned, or was assigned nothing
	}
	r.giveUp(ctx, tell, owned.Partitions, none)
	return false
}
