package protocol

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A RecordKind tells what a record of __consumer_offsets is about.
type RecordKind uint8

const (
	// OtherRecord is of a kind that is not read here: of a consumer, share or streams group, or of the future.
	OtherRecord RecordKind = iota
	// OffsetRecord is a committed offset, key version 0 or 1 (G-326).
	OffsetRecord
	// GroupRecord is a classic group's metadata, key version 2 (G-329).
	GroupRecord
)

// The versions in which keys and values are written: those of Kafka 4.4.0. For offsets that is 4, not the 3 that
// brokers before it wrote (G-328): the topic id travels in a tagged field of it.
const (
	offsetKeyVersion           int16 = 1
	offsetValueVersion         int16 = 4
	expiringOffsetValueVersion int16 = 1 // the only one with an expire timestamp; it has no leader epoch (G-328)
	groupKeyVersion            int16 = 2
	groupValueVersion          int16 = 3
)

// noTimestamp and noLeaderEpoch are what fields hold that a version of a value lacks.
const (
	noTimestamp   int64 = -1
	noLeaderEpoch int32 = -1
)

// A Record is one record of __consumer_offsets (G-324).
type Record struct {
	Kind RecordKind

	// KeyVersion is the version at the start of the key, which is the record's type. Of an OtherRecord nothing else
	// is known but whether it is a tombstone.
	KeyVersion int16

	// Tombstone says that there is no value: the offset or the group is gone.
	Tombstone bool

	// Group is the group's id.
	Group string

	// Topic and Partition are those of an OffsetRecord.
	Topic     string
	Partition int32

	// Offset is the value of an OffsetRecord. Its LeaderEpoch and ExpireTimestamp are -1 if there is none, and its
	// TopicID is zero. Timestamps are milliseconds since 1970.
	Offset kmsg.OffsetCommitValue

	// Metadata is the value of a GroupRecord. Its CurrentStateTimestamp, and a member's RebalanceTimeoutMillis, are -1
	// if there is none.
	Metadata kmsg.GroupMetadataValue
}

// The layouts of keys and values, from Kafka's message definitions. A version stands before each of them.
var (
	offsetKeySchema   = schema{flexible: never, fields: []field{str("group"), str("topic"), fixed("partition", 4)}}
	groupKeySchema    = schema{flexible: never, fields: []field{str("group")}}
	offsetValueSchema = schema{versions: VersionRange{0, 4}, flexible: 4, fields: []field{
		fixed("offset", 8),
		fixed("leaderEpoch", 4).since(3),
		str("metadata"),
		fixed("commitTimestamp", 8),
		fixed("expireTimestamp", 8).since(1).until(1),
	}}
	groupValueSchema = schema{versions: VersionRange{0, 4}, flexible: 4, fields: []field{
		str("protocolType"),
		fixed("generation", 4),
		str("protocol").orNull(0),
		str("leader").orNull(0),
		fixed("currentStateTimestamp", 8).since(2),
		list("members",
			str("memberId"),
			str("groupInstanceId").since(3).orNull(3),
			str("clientId"),
			str("clientHost"),
			fixed("rebalanceTimeout", 4).since(1),
			fixed("sessionTimeout", 4),
			blob("subscription"),
			blob("assignment"),
		),
	}}
)

// DecodeRecord reads a record of __consumer_offsets. A nil value is a tombstone; an empty one is malformed.
//
// A key version that is not one of offsets or of classic groups makes an [OtherRecord] and is no error: Kafka skips
// what it does not know (G-312). An unknown version of a value, and malformed bytes, are errors, which keep Kafka from
// loading a partition; bytes behind what is known are ignored, as Kafka does. Strings are copied; the byte slices of
// members refer to value.
func DecodeRecord(key, value []byte) (Record, error) {
	r := kbin.Reader{Src: key}
	rec := Record{KeyVersion: r.Int16(), Tombstone: value == nil}
	if !r.Ok() {
		return Record{}, fmt.Errorf("record key: version: 2 bytes are needed, but there are %d", len(key))
	}
	var err error
	switch rec.KeyVersion {
	case 0, offsetKeyVersion:
		rec.Kind = OffsetRecord
		err = rec.decodeOffset(&r, value)
	case groupKeyVersion:
		rec.Kind = GroupRecord
		err = rec.decodeGroup(&r, value)
	}
	if err != nil {
		return Record{}, err
	}
	return rec, nil
}

func (rec *Record) decodeOffset(key *kbin.Reader, value []byte) error {
	if _, bad := offsetKeySchema.walk(key.Src, 0); bad != nil {
		return fmt.Errorf("offset record: key: %s: %s", bad.path, bad.reason)
	}
	rec.Group, rec.Topic, rec.Partition = key.String(), key.String(), key.Int32()
	if rec.Tombstone {
		return nil
	}
	version, err := offsetValueSchema.checkValue(value)
	if err != nil {
		return fmt.Errorf("offset record: value: %w", err)
	}
	if err := rec.Offset.ReadFrom(value); err != nil {
		return fmt.Errorf("offset record: value: %w", err)
	}
	if version < 3 { // kmsg leaves 0, which is an epoch and a time
		rec.Offset.LeaderEpoch = noLeaderEpoch
	}
	if version != expiringOffsetValueVersion {
		rec.Offset.ExpireTimestamp = noTimestamp
	}
	return nil
}

func (rec *Record) decodeGroup(key *kbin.Reader, value []byte) error {
	if _, bad := groupKeySchema.walk(key.Src, 0); bad != nil {
		return fmt.Errorf("group record: key: %s: %s", bad.path, bad.reason)
	}
	rec.Group = key.String()
	if rec.Tombstone {
		return nil
	}
	if _, err := groupValueSchema.checkValue(value); err != nil {
		return fmt.Errorf("group record: value: %w", err)
	}
	if err := rec.Metadata.ReadFrom(value); err != nil {
		return fmt.Errorf("group record: value: %w", err)
	}
	return nil
}

// checkValue checks a value, with the version before it, against the schema.
func (s *schema) checkValue(value []byte) (version int16, err error) {
	r := kbin.Reader{Src: value}
	version = r.Int16()
	switch {
	case !r.Ok():
		return 0, fmt.Errorf("version: 2 bytes are needed, but there are %d", len(value))
	case !s.versions.Contains(version):
		return 0, fmt.Errorf("version %d is not known, only %v: a newer Kafka wrote it", version, s.versions)
	}
	if _, bad := s.walk(r.Src, version); bad != nil {
		return 0, fmt.Errorf("%s: %s", bad.path, bad.reason)
	}
	return version, nil
}

// AppendOffsetKey appends the key of a committed offset to dst.
func AppendOffsetKey(dst []byte, group, topic string, partition int32) []byte {
	key := kmsg.OffsetCommitKey{Version: offsetKeyVersion, Group: group, Topic: topic, Partition: partition}
	return key.AppendTo(dst)
}

// AppendOffsetValue appends the value of a committed offset to dst, in the version that Kafka 4.4.0 writes, whatever
// the value's own says. An ExpireTimestamp of 0 or -1 is none; with any other the leader epoch and the topic id are
// lost (G-328). A LeaderEpoch of -1 is none.
func AppendOffsetValue(dst []byte, value kmsg.OffsetCommitValue) []byte {
	value.Version = offsetValueVersion
	if value.ExpireTimestamp != 0 && value.ExpireTimestamp != noTimestamp {
		value.Version = expiringOffsetValueVersion
	}
	return value.AppendTo(dst)
}

// AppendGroupKey appends the key of a classic group's metadata to dst.
func AppendGroupKey(dst []byte, group string) []byte {
	key := kmsg.GroupMetadataKey{Version: groupKeyVersion, Group: group}
	return key.AppendTo(dst)
}

// AppendGroupValue appends a classic group's metadata to dst, in the version that Kafka 4.4.0 writes, whatever the
// value's own says.
func AppendGroupValue(dst []byte, value kmsg.GroupMetadataValue) []byte {
	value.Version = groupValueVersion
	return value.AppendTo(dst)
}
