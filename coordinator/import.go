package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// Imported tells what Import has found in a log.
type Imported struct {
	Groups  int // with members or a generation
	Offsets int // committed
	Pending int // of transactions that have not ended
	Skipped int // records of other kinds of groups than classic
}

// Import reads the log of one partition of a Kafka's __consumer_offsets, in the form that protocol.ReadLog describes, and
// writes what counts of it into the store. Import the log of every partition, and a coordinator that is then started on the
// store has the groups and offsets that Kafka had. partitions is that coordinator's Config.Partitions, zero for the default;
// it need not be Kafka's.
//
// Transactions are settled as Kafka settles them (G-291, G-311). Offsets of those that have not ended are kept, and
// clients that ask for stable offsets wait, until Coordinator.EndTransaction is called for their producers.
//
// No coordinator may use the store meanwhile, nor may another Import. What the store has under the same keys is replaced.
// After an error the store may have a part; importing once more mends that.
func Import(ctx context.Context, store Store, partitions int32, log io.Reader) (Imported, error) {
	i := importer{kept: make(map[string]keptRecord), open: make(map[int64]map[string]string)}
	setDefault(&partitions, defaultPartitions)
	err := positive("partitions", partitions)
	if err == nil {
		err = i.readAll(ctx, log)
	}
	if err == nil {
		err = i.write(ctx, store, partitions)
	}
	if err != nil {
		return Imported{}, fmt.Errorf("coordinator: import: %w", err)
	}
	return i.found, nil
}

// importer is what counts of a log so far, by key.
type importer struct {
	kept  map[string]keptRecord
	reads uint64
	open  map[int64]map[string]string // of each transaction under way: the keys of its offsets, and those that they wait for
	found Imported
}

// keptRecord is the last value of a key, with its place in the log.
type keptRecord struct {
	Record
	group string
	kind  group.RecordKind
	at    uint64
}

func (i *importer) readAll(ctx context.Context, log io.Reader) error {
	for r, err := range protocol.ReadLog(log) {
		if err == nil {
			err = i.read(r)
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// read takes one record of the log.
func (i *importer) read(r protocol.LogRecord) error {
	i.reads++
	if r.Marker != protocol.NoMarker {
		i.settle(r.ProducerID, r.Marker)
		return nil
	}
	id, record, ok, err := decodeRecord(Record{Key: r.Key, Value: r.Value})
	switch {
	case err != nil:
		return err
	case !ok:
		i.found.Skipped++
		return nil
	}
	committed := string(encodeRecord(id, &record).Key)
	switch {
	case record.Kind == group.OffsetTombstone:
		i.dropPending(committed)
	case record.Kind == group.OffsetRecord && r.ProducerID != -1:
		record.Kind, record.ProducerID = group.PendingOffsetRecord, r.ProducerID
	}
	kept := keptRecord{Record: encodeRecord(id, &record), group: id, kind: record.Kind, at: i.reads}
	key := string(kept.Key)
	if record.Kind == group.PendingOffsetRecord {
		if i.open[r.ProducerID] == nil {
			i.open[r.ProducerID] = make(map[string]string)
		}
		i.open[r.ProducerID][key] = committed
	}
	i.kept[key] = kept
	if kept.Value == nil {
		delete(i.kept, key)
	}
	return nil
}

// settle ends a producer's transaction. A committed offset keeps the place in the log at which it was written (G-291).
func (i *importer) settle(producer int64, marker protocol.Marker) {
	if marker == protocol.OtherMarker {
		return
	}
	for key, committed := range i.open[producer] {
		pending := i.kept[key]
		delete(i.kept, key)
		if marker == protocol.CommitMarker && i.kept[committed].at < pending.at {
			pending.Key, pending.kind = []byte(committed), group.OffsetRecord
			i.kept[committed] = pending
		}
	}
	delete(i.open, producer)
}

// dropPending takes away what any transaction would commit under a key (G-294).
func (i *importer) dropPending(committed string) {
	for _, offsets := range i.open {
		for key, c := range offsets {
			if c == committed {
				delete(offsets, key)
				delete(i.kept, key)
			}
		}
	}
}

// importBatch bounds the bytes of one batch for the store, unless a single record has more.
const importBatch = 1 << 20

// write stores what was kept, in the order of the log.
func (i *importer) write(ctx context.Context, store Store, partitions int32) error {
	byPartition := make(map[int32][]keptRecord)
	for _, r := range i.kept {
		p := protocol.PartitionFor(r.group, partitions)
		byPartition[p] = append(byPartition[p], r)
		switch r.kind {
		case group.MetadataRecord:
			i.found.Groups++
		case group.OffsetRecord:
			i.found.Offsets++
		case group.PendingOffsetRecord:
			i.found.Pending++
		}
	}
	for _, p := range slices.Sorted(maps.Keys(byPartition)) {
		records := byPartition[p]
		slices.SortFunc(records, func(a, b keptRecord) int { return cmp.Compare(a.at, b.at) })
		if err := appendAll(ctx, store, p, records); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
	}
	return nil
}

// appendAll appends records to a partition, in batches, one after the other.
func appendAll(ctx context.Context, store Store, partition int32, records []keptRecord) (err error) {
	log, err := store.Open(ctx, partition)
	if err != nil {
		return err
	}
	defer func() {
		if closing := log.Close(); err == nil {
			err = closing
		}
	}()
	for len(records) > 0 {
		var batch []Record
		for size := 0; len(records) > 0 && (len(batch) == 0 || size+len(records[0].Value) <= importBatch); records = records[1:] {
			batch = append(batch, records[0].Record)
			size += len(records[0].Key) + len(records[0].Value)
		}
		done := make(chan error, 1)
		log.Append(batch, func(err error) { done <- err })
		select {
		case err = <-done:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
