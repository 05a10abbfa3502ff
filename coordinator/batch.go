package coordinator

import (
	"encoding/binary"
	"fmt"

	"github.com/joinsync/joinsync/group"
)

// Sizes of Kafka's record batches (magic 2): of a batch without records, and of what each of them needs beside its length,
// key and value, which are an attributes byte, a time stamp delta of 0 and a count of 0 headers.
const (
	batchOverhead  = 61
	recordOverhead = 3
)

// fits returns an error if Kafka would not take the records as one batch (G-301). What only deletes is never too much, so
// that what is too old or has lost its topic goes, however much of it there is.
func (c *Config) fits(batch []Record) error {
	size, deletes := batchOverhead, true
	for i := range batch {
		size += recordSize(i, &batch[i])
		deletes = deletes && batch[i].Value == nil
	}
	if size > c.MaxBatchBytes && !deletes {
		return fmt.Errorf("%w: %w: %d records need %d bytes, and MaxBatchBytes (message.max.bytes) is %d",
			ErrRefused, ErrTooLarge, len(batch), size, c.MaxBatchBytes)
	}
	return nil
}

// recordSize is how many bytes a record needs as the one of that index in its batch.
func recordSize(index int, r *Record) int {
	body := recordOverhead + varintSize(index) + varintSize(len(r.Key)) + len(r.Key) + varintSize(-1)
	if r.Value != nil {
		body += varintSize(len(r.Value)) - varintSize(-1) + len(r.Value)
	}
	return varintSize(body) + body
}

func varintSize(n int) int {
	var b [binary.MaxVarintLen64]byte
	return binary.PutVarint(b[:], int64(n))
}

// mostOfRecord is how much an offset's record can need in a batch, but for its strings.
const mostOfRecord = 128

// roomBeside returns how many bytes there are sure to be left in a batch that has these records.
func (c *Config) roomBeside(groupID string, records []group.Record) int {
	room := c.MaxBatchBytes - batchOverhead
	for i := range records {
		room -= mostOfRecord + len(groupID) + len(records[i].Topic) + len(records[i].Offset.Metadata)
	}
	return room
}

// mostOfCommit returns how many bytes the records of a commit can need.
func mostOfCommit(groupID string, commit *group.Event) int {
	size := 0
	for i := range commit.Offsets {
		size += mostOfRecord + len(groupID) + len(commit.Offsets[i].Topic) + len(commit.Offsets[i].Metadata)
	}
	return size
}
