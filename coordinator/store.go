package coordinator

import (
	"context"
	"errors"

	"github.com/joinsync/joinsync/group"
)

// Store keeps the records of the partitions. Its records are those of Kafka's __consumer_offsets: the last value of
// each key counts, and a nil value takes the key away (G-324).
type Store interface {
	// Open makes the caller the owner of a partition, and fences whoever opened it before: from then on the store
	// refuses that one's appends.
	Open(ctx context.Context, partition int32) (Log, error)
}

// Log is one partition's records, opened by its owner.
type Log interface {
	// Replay calls fn for every record that counts, in the order in which they were appended. It is called once, before
	// the first Append. fn keeps the slices. An error of fn ends it and is returned.
	Replay(ctx context.Context, fn func(Record) error) error

	// Append stores a batch, all of it or nothing, and then calls done once: with nil when it is durable; with an
	// error that wraps ErrRefused when nothing of it is or ever will be; with any other error when that is not known.
	// It must not block. done may be called from any goroutine, also before Append returns. Batches are stored in the
	// order of the calls. The log owns the batch and its bytes from then on.
	Append(batch []Record, done func(error))

	// Close gives the partition up. Appends under way are still answered.
	Close() error
}

// Record is one record as bytes.
type Record struct {
	Key   []byte
	Value []byte // nil: a tombstone
}

var (
	// ErrRefused is wrapped by a store's error when it is sure that nothing of a batch was stored.
	ErrRefused = errors.New("coordinator: the store refused the records")

	// ErrTooLarge is wrapped, besides ErrRefused, when a batch is larger than the store takes.
	ErrTooLarge = errors.New("coordinator: the batch of records is too large")

	// ErrFenced is wrapped, besides ErrRefused, when somebody else opened the partition since.
	ErrFenced = errors.New("coordinator: the partition has another owner")
)

// refusalCode is what clients are told when the store refused their records (G-219): the one place that maps errors of
// storage to codes of the wire.
func refusalCode(err error) group.Error {
	switch {
	case errors.Is(err, ErrTooLarge):
		return group.UnknownServerError
	case errors.Is(err, ErrFenced):
		return group.NotCoordinator
	}
	return group.CoordinatorNotAvailable
}
