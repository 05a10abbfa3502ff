package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/protocol"
)

// story is what happens, in order. Each act begins when the members have read a part of the records.
func (s *stage) story(ctx context.Context) (err error) {
	cast := make(map[string]*member)
	defer func() {
		// Whoever is left leaves at the end, or when the story has come to nothing.
		err = errors.Join(err, s.exit(cast))
	}()
	enter := func(names ...string) (err error) {
		for _, name := range names {
			if cast[name], err = s.enter(name); err != nil {
				return err
			}
		}
		for _, name := range names {
			cast[name].join(ctx)
		}
		return nil
	}

	if err := enter("anna", "bert", "cleo"); err != nil {
		return err
	}
	if err := s.until(ctx, "all three share the topic", 20); err != nil {
		return err
	}
	if err := cast["bert"].leave(ctx); err != nil {
		return err
	}
	if err := s.until(ctx, "two share the topic", 35); err != nil {
		return err
	}
	if err := cast["anna"].kill(ctx); err != nil {
		return err
	}
	if err := s.until(ctx, "cleo carries on alone", 60); err != nil {
		return err
	}
	if err := enter("dora"); err != nil {
		return err
	}
	return s.until(ctx, "cleo and dora read the rest", 100)
}

// until waits for the end of an act: until a percentage of the records has been read.
func (s *stage) until(ctx context.Context, act string, percent int) error {
	if err := s.ledger.awaitProgress(ctx, percent); err != nil {
		return fmt.Errorf("while %s: %w", act, err)
	}
	return nil
}

// exit lets everyone leave who is still there.
func (s *stage) exit(cast map[string]*member) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var all sync.WaitGroup
	errs := make(chan error, len(cast))
	for _, m := range cast {
		if m != nil && !m.gone {
			all.Go(func() { errs <- m.leave(ctx) })
		}
	}
	all.Wait()
	close(errs)
	var joined error
	for err := range errs {
		joined = errors.Join(joined, err)
	}
	return joined
}

// committed asks the coordinator for the group's offsets, as an admin would.
func (s *stage) committed(ctx context.Context) (map[int32]int64, error) {
	session, err := s.coordinator.Open(ctx, protocol.Identity{ClientID: "admin"})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = groupID
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = groupID
	req.Groups = append(req.Groups, g)
	resp, err := session.Request(ctx, req)
	if err != nil {
		return nil, err
	}
	fetched, ok := resp.(*kmsg.OffsetFetchResponse)
	if !ok || len(fetched.Groups) != 1 {
		return nil, fmt.Errorf("fetch the committed offsets: the coordinator answered %T", resp)
	}
	final := make(map[int32]int64)
	for _, t := range fetched.Groups[0].Topics {
		for _, p := range t.Partitions {
			final[p.Partition] = p.Offset
		}
	}
	return final, nil
}
