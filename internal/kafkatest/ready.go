package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// awaitReady waits until the broker is up and has loaded the groups of every partition of __consumer_offsets. Asking for
// the first group makes that topic, and takes about a second.
func (b *Broker) awaitReady(ctx context.Context, cfg config) error {
	partitions, err := strconv.Atoi(cfg.properties["offsets.topic.num.partitions"])
	if err != nil {
		return fmt.Errorf("property offsets.topic.num.partitions: %w", err)
	}
	if err := b.awaitStarted(ctx); err != nil {
		return err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()))
	if err != nil {
		return err
	}
	defer client.Close()
	// A name of one letter hashes to that letter, so names of consecutive letters are in consecutive partitions.
	for i := range partitions {
		if err := b.awaitGroup(ctx, client, string(rune('a'+i))); err != nil {
			return err
		}
	}
	return nil
}

// awaitStarted waits until the log says that the broker is up. To connect would not do: if its port was lost to another
// test binary's broker, that one answers.
func (b *Broker) awaitStarted(ctx context.Context) error {
	for !strings.Contains(b.process.log(), "Kafka Server started") {
		if err := b.stillStarting(ctx); err != nil {
			return err
		}
	}
	return nil
}

// awaitGroup asks for a group until its coordinator answers.
func (b *Broker) awaitGroup(ctx context.Context, client *kgo.Client, group string) error {
	for {
		err := probe(ctx, client, group)
		if err == nil {
			return nil
		}
		if waitErr := b.stillStarting(ctx); waitErr != nil {
			return fmt.Errorf("group %q: %w: %w", group, err, waitErr)
		}
	}
}

// stillStarting waits a little. It returns an error when there is nothing more to wait for.
func (b *Broker) stillStarting(ctx context.Context) error {
	select {
	case <-b.process.done:
		return fmt.Errorf("the broker ended while it was starting (%v)", b.process.err)
	default:
	}
	if !pause(ctx, 25*time.Millisecond) {
		return fmt.Errorf("not ready within %v: %w", startTimeout, ctx.Err())
	}
	return nil
}

// probe asks once, and for no longer than a second, whether a group's coordinator is loaded.
func probe(ctx context.Context, client *kgo.Client, group string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := describe(ctx, client, group)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return nil
	}
	return err
}

// describe asks for one group.
func describe(ctx context.Context, client *kgo.Client, group string) (kmsg.DescribeGroupsResponseGroup, error) {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{group}
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return kmsg.DescribeGroupsResponseGroup{}, err
	}
	if len(resp.Groups) != 1 {
		return kmsg.DescribeGroupsResponseGroup{}, fmt.Errorf("asked for one group, got %d", len(resp.Groups))
	}
	return resp.Groups[0], kerr.ErrorForCode(resp.Groups[0].ErrorCode)
}
