package coordinator

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/group"
	"github.com/joinsync/joinsync/protocol"
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
		return Record{Key: protocol.AppendGroupKey(nil, groupID), Value: metadataValue(r.Metadata)}
	case group.MetadataTombstone:
		return Record{Key: protocol.AppendGroupKey(nil, groupID)}
	case group.OffsetRecord:
		return Record{Key: protocol.AppendOffsetKey(nil, groupID, r.Topic, r.Partition), Value: offsetValue(&r.Offset)}
	case group.PendingOffsetRecord:
		return Record{Key: pendingKey(groupID, r), Value: offsetValue(&r.Offset)}
	case group.PendingOffsetTombstone:
		return Record{Key: pendingKey(groupID, r)}
	default:
		return Record{Key: protocol.AppendOffsetKey(nil, groupID, r.Topic, r.Partition)}
	}
}

func offsetValue(o *group.Offset) []byte {
	value := kmsg.NewOffsetCommitValue()
	value.Offset, value.LeaderEpoch, value.Metadata = o.Offset, o.LeaderEpoch, o.Metadata
	value.CommitTimestamp, value.ExpireTimestamp = int64(o.CommitTimestamp), int64(o.ExpireTimestamp)
	return protocol.AppendOffsetValue(nil, value)
}

func metadataValue(md *group.Metadata) []byte {
	value := kmsg.NewGroupMetadataValue()
	value.ProtocolType, value.Generation = md.ProtocolType, md.Generation
	value.Protocol, value.Leader = nullable(md.Protocol), nullable(md.Leader)
	value.CurrentStateTimestamp = int64(md.Timestamp)
	value.Members = make([]kmsg.GroupMetadataValueMember, len(md.Members))
	for i := range md.Members {
		m := &md.Members[i]
		value.Members[i] = kmsg.GroupMetadataValueMember{
			MemberID: m.ID, InstanceID: m.InstanceID, ClientID: m.ClientID, ClientHost: m.ClientHost,
			RebalanceTimeoutMillis: int32(m.RebalanceTimeout), SessionTimeoutMillis: int32(m.SessionTimeout),
			Subscription: m.Subscription, Assignment: m.Assignment,
		}
	}
	return protocol.AppendGroupValue(nil, value)
}

// decodeRecord turns a record of __consumer_offsets into one of its group. ok is false for the kinds that are not ours.
func decodeRecord(r Record) (groupID string, record group.Record, ok bool, err error) {
	if isPending(r.Key) {
		groupID, record, err = decodePending(r)
		return groupID, record, err == nil, err
	}
	decoded, err := protocol.DecodeRecord(r.Key, r.Value)
	if err != nil {
		return "", record, false, fmt.Errorf("coordinator: %w", err)
	}
	switch decoded.Kind {
	case protocol.OffsetRecord:
		record = group.Record{Kind: group.OffsetTombstone, Topic: decoded.Topic, Partition: decoded.Partition}
		if !decoded.Tombstone {
			record.Kind = group.OffsetRecord
			record.Offset = group.Offset{
				Offset: decoded.Offset.Offset, LeaderEpoch: decoded.Offset.LeaderEpoch, Metadata: decoded.Offset.Metadata,
				CommitTimestamp: group.Time(decoded.Offset.CommitTimestamp),
				ExpireTimestamp: group.Time(decoded.Offset.ExpireTimestamp),
			}
		}
	case protocol.GroupRecord:
		record.Kind = group.MetadataTombstone
		if !decoded.Tombstone {
			record.Kind, record.Metadata = group.MetadataRecord, decodeMetadata(&decoded.Metadata)
		}
	default:
		return "", record, false, nil
	}
	return decoded.Group, record, true, nil
}

func decodeMetadata(value *kmsg.GroupMetadataValue) *group.Metadata {
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
	return md
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
