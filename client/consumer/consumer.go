package consumer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
)

// Consumer is one consumer of a group. All its methods may be called concurrently.
type Consumer struct {
	cfg         Config
	cooperative bool // keeps its partitions while it joins
	member      *client.Member
	log         *zap.Logger
	watch       watch

	mu       sync.Mutex
	assigned Assignment
}

// New returns a consumer that has not joined yet. It opens the member's session, so Close must be called in the end. It
// reports all faults of cfg together.
func New(transport client.Transport, cfg Config) (*Consumer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("consumer configuration: %w", err)
	}
	c := &Consumer{cfg: cfg.withDefaults(), assigned: none}
	c.cooperative = c.cfg.protocols().Has(assignor.Cooperative)
	member, err := client.New(transport, &role{Consumer: c, last: assignor.Assignment{Generation: -1}}, c.cfg.Member)
	if err != nil {
		return nil, err
	}
	c.member = member
	c.cfg.Member = member.Config()
	c.log = c.cfg.Member.Logger.With(zap.String("group", c.cfg.Member.Group), zap.String("client", c.cfg.Member.ClientID))
	return c, nil
}

// Join makes the consumer join its group and returns the future of its assignment, as [client.Member.Join] does. A new
// cooperative consumer is often assigned nothing at first: what moves to it comes with the next rebalance.
func (c *Consumer) Join(ctx context.Context) *client.Future[Assignment] {
	return client.Chain(c.member.Join(ctx), decodeAssignment)
}

// Rejoin makes the group rebalance, as [client.Member.Rejoin] does.
func (c *Consumer) Rejoin(reason string) { c.member.Rejoin(reason) }

// Assignment returns what the consumer owns at this moment: each partition from before OnAssigned until after OnRevoked or
// OnLost. Its generation is the last in which it was assigned, or -1, without partitions, if the consumer has given that up.
func (c *Consumer) Assignment() Assignment {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.assigned
	a.Partitions = slices.Clone(a.Partitions)
	return a
}

// Standing returns where the consumer stands in its group, as [client.Member.Standing] does.
func (c *Consumer) Standing() (client.State, client.Generation) { return c.member.Standing() }

// Done is closed when the consumer has ended: by Close, or by an error that it cannot get over.
func (c *Consumer) Done() <-chan struct{} { return c.member.Done() }

// Err returns why the consumer has ended, as [client.Member.Err] does.
func (c *Consumer) Err() error { return c.member.Err() }

// Close gives up the assignment, leaves the group and ends the consumer, as [client.Member.Close] does.
func (c *Consumer) Close(ctx context.Context) error {
	err := c.member.Close(ctx)
	select {
	case <-c.Done():
		c.watch.wait()
	default: // Close has given up
	}
	return err
}

func (c *Consumer) setAssigned(a Assignment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.assigned = a
}
