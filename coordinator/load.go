package coordinator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/joinsync/joinsync/group"
)

// load opens the partition and replays its records. It must not run in the owner: a store may take its time.
func (p *partition) load(ctx context.Context) error {
	loaded := loadTask{partition: p, groups: make(map[string]*resident)}
	log, err := p.config.Store.Open(ctx, p.index)
	if err == nil {
		loaded.log = log
		err = log.Replay(ctx, loaded.replay)
	}
	if err != nil {
		if log != nil {
			err = errors.Join(err, log.Close())
		}
		return fmt.Errorf("coordinator: loading partition %d: %w", p.index, err)
	}
	p.do(&loaded)
	return nil
}

// reloadDelay is how long to wait before a partition that could not be loaded is tried again.
const reloadDelay = time.Second

// loadUntilDone loads the partition, however often it takes; clients are told that it is loading meanwhile.
func (p *partition) loadUntilDone(ctx context.Context) {
	for ctx.Err() == nil {
		err := p.load(ctx)
		if err == nil {
			return
		}
		p.config.Logger.Error("cannot load a partition; trying again", zap.Error(err))
		select {
		case <-ctx.Done():
		case <-time.After(reloadDelay):
		}
	}
}

// loadTask brings the groups that a replay made.
type loadTask struct {
	partition *partition
	log       Log
	groups    map[string]*resident
	foreign   int // records of kinds that are not ours
}

// replay applies one record. Records of kinds that we do not know are left where they are, and counted (G-312).
func (t *loadTask) replay(r Record) error {
	id, record, ok, err := decodeRecord(r)
	if err != nil {
		return err
	}
	if !ok {
		t.foreign++
		return nil
	}
	loaded := t.groups[id]
	if loaded == nil {
		loaded = newResident(id, t.partition.group)
		t.groups[id] = loaded
	}
	loaded.group.Apply(&record)
	return nil
}

func (t *loadTask) run() {
	p := t.partition
	if p.phase != loading {
		_ = t.log.Close()
		return
	}
	p.log, p.groups, p.phase = t.log, t.groups, active
	if t.foreign > 0 {
		p.config.Logger.Info("left records of other kinds alone", zap.Int32("partition", p.index), zap.Int("records", t.foreign))
	}
	for _, id := range slices.Sorted(maps.Keys(p.groups)) {
		r := p.groups[id]
		p.step(r, &group.Event{Kind: group.Load})
		p.settle(r)
	}
}
