package coordinator

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
)

// An offset of a transaction under way has a key of our own: version -1, which Kafka does not have and skips (G-312),
// then the producer id and the key of the committed offset that it may become. Its value is that offset's.
const pendingKeyVersion int16 = -1

const pendingKeyPrefix = 2 + 8 // version and producer id

func pendingKey(groupID string, r *group.Record) []byte {
	version := pendingKeyVersion
	key := binary.BigEndian.AppendUint16(nil, uint16(version))
	key = binary.BigEndian.AppendUint64(key, uint64(r.ProducerID))
	return protocol.AppendOffsetKey(key, groupID, r.Topic, r.Partition)
}

// isPending tells whether a key is one of pendingKey's.
func isPending(key []byte) bool {
	return len(key) >= 2 && int16(binary.BigEndian.Uint16(key)) == pendingKeyVersion
}

func decodePending(r Record) (groupID string, record group.Record, err error) {
	if len(r.Key) < pendingKeyPrefix {
		return "", record, errors.New("coordinator: the key of a transaction's offset is too short")
	}
	producer := int64(binary.BigEndian.Uint64(r.Key[2:]))
	groupID, record, ok, err := decodeRecord(Record{Key: r.Key[pendingKeyPrefix:], Value: r.Value})
	switch {
	case err != nil:
		return "", record, fmt.Errorf("a transaction's offset: %w", err)
	case ok && record.Kind == group.OffsetRecord:
		record.Kind = group.PendingOffsetRecord
	case ok && record.Kind == group.OffsetTombstone:
		record.Kind = group.PendingOffsetTombstone
	default:
		return "", record, errors.New("coordinator: the key of a transaction's offset is not one of an offset")
	}
	record.ProducerID = producer
	return groupID, record, nil
}
