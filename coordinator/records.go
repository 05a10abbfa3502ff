package coordinator

import (
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
)

// encodeRecords turns records of a group into those of __consumer_offsets (G-324 to G-333).
func encodeRecords(groupID string, records []group.Record) []Record {
	batch := make([]Record, len(records))
	for i := range records {
		batch[i] = encodeRecord(groupID, &records[i])
	}
	return batch
}

func encodeRecord(groupID string, r *group.Record) Record {
	switch r.Kind {
	case group.MetadataRecord:
		return Record{Key: metadataKey(groupID), Value: metadataValue(r.Metadata)}
	case group.MetadataTombstone:
		return Record{Key: metadataKey(groupID)}
	case group.OffsetRecord:
		return Record{Key: offsetKey(groupID, r), Value: offsetValue(&r.Offset)}
	default:
		return Record{Key: offsetKey(groupID, r)}
	}
}

func metadataKey(groupID string) []byte {
	return (&kmsg.GroupMetadataKey{Version: 2, Group: groupID}).AppendTo(nil)
}

func offsetKey(groupID string, r *group.Record) []byte {
	return (&kmsg.OffsetCommitKey{Version: 1, Group: groupID, Topic: r.Topic, Partition: r.Partition}).AppendTo(nil)
}

func offsetValue(o *group.Offset) []byte {
	value := kmsg.OffsetCommitValue{
		Version: 3, Offset: o.Offset, LeaderEpoch: o.LeaderEpoch, Metadata: o.Metadata,
		CommitTimestamp: int64(o.CommitTimestamp), ExpireTimestamp: int64(o.ExpireTimestamp),
	}
	if o.ExpireTimestamp >= 0 {
		value.Version = 1 // the only one with an expiry; it has no leader epoch (G-328)
	}
	return value.AppendTo(nil)
}

func metadataValue(md *group.Metadata) []byte {
	value := kmsg.GroupMetadataValue{
		Version: 3, ProtocolType: md.ProtocolType, Generation: md.Generation,
		Protocol: nullable(md.Protocol), Leader: nullable(md.Leader), CurrentStateTimestamp: int64(md.Timestamp),
		Members: make([]kmsg.GroupMetadataValueMember, len(md.Members)),
	}
	for i := range md.Members {
		m := &md.Members[i]
		value.Members[i] = kmsg.GroupMetadataValueMember{
			MemberID: m.ID, InstanceID: m.InstanceID, ClientID: m.ClientID, ClientHost: m.ClientHost,
			RebalanceTimeoutMillis: int32(m.RebalanceTimeout), SessionTimeoutMillis: int32(m.SessionTimeout),
			Subscription: m.Subscription, Assignment: m.Assignment,
		}
	}
	return value.AppendTo(nil)
}

// decodeRecord turns a record of __consumer_offsets into one of its group. ok is false for the kinds that are not ours.
func decodeRecord(r Record) (groupID string, record group.Record, ok bool, err error) {
	if len(r.Key) < 2 {
		return "", record, false, fmt.Errorf("coordinator: a record with a key of %d bytes", len(r.Key))
	}
	switch version := binary.BigEndian.Uint16(r.Key); version {
	case 0, 1:
		return decodeOffset(r)
	case 2:
		return decodeMetadata(r)
	}
	return "", record, false, nil
}

func decodeOffset(r Record) (groupID string, record group.Record, ok bool, err error) {
	var key kmsg.OffsetCommitKey
	if err := key.ReadFrom(r.Key); err != nil {
		return "", record, false, fmt.Errorf("coordinator: the key of an offset: %w", err)
	}
	record = group.Record{Kind: group.OffsetTombstone, Topic: key.Topic, Partition: key.Partition}
	if r.Value == nil {
		return key.Group, record, true, nil
	}
	value := kmsg.NewOffsetCommitValue()
	if err := value.ReadFrom(r.Value); err != nil {
		return "", record, false, fmt.Errorf("coordinator: an offset of group %q: %w", key.Group, err)
	}
	record.Kind = group.OffsetRecord
	record.Offset = group.Offset{
		Offset: value.Offset, LeaderEpoch: value.LeaderEpoch, Metadata: value.Metadata,
		CommitTimestamp: group.Time(value.CommitTimestamp), ExpireTimestamp: -1,
	}
	if value.Version < 3 {
		record.Offset.LeaderEpoch = -1
	}
	if value.Version == 1 {
		record.Offset.ExpireTimestamp = group.Time(value.ExpireTimestamp)
	}
	return key.Group, record, true, nil
}

func decodeMetadata(r Record) (groupID string, record group.Record, ok bool, err error) {
	var key kmsg.GroupMetadataKey
	if err := key.ReadFrom(r.Key); err != nil {
		return "", record, false, fmt.Errorf("coordinator: the key of a group: %w", err)
	}
	if r.Value == nil {
		return key.Group, group.Record{Kind: group.MetadataTombstone}, true, nil
	}
	value := kmsg.NewGroupMetadataValue()
	if err := value.ReadFrom(r.Value); err != nil {
		return "", record, false, fmt.Errorf("coordinator: the metadata of group %q: %w", key.Group, err)
	}
	md := &group.Metadata{
		ProtocolType: value.ProtocolType, Generation: value.Generation, Protocol: text(value.Protocol),
		Leader: text(value.Leader), Timestamp: group.Time(value.CurrentStateTimestamp),
		Members: make([]group.MemberMetadata, len(value.Members)),
	}
	for i := range value.Members {
		m := &value.Members[i]
		md.Members[i] = group.MemberMetadata{
			ID: m.MemberID, InstanceID: m.InstanceID, ClientID: m.ClientID, ClientHost: m.ClientHost,
			RebalanceTimeout: group.Millis(m.RebalanceTimeoutMillis), SessionTimeout: group.Millis(m.SessionTimeoutMillis),
			Subscription: m.Subscription, Assignment: m.Assignment,
		}
	}
	return key.Group, group.Record{Kind: group.MetadataRecord, Metadata: md}, true, nil
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
