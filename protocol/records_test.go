package protocol

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// goldenOffset and goldenGroup are the values that testdata/java/RecordGolden.java writes.
func goldenOffset() kmsg.OffsetCommitValue {
	return kmsg.OffsetCommitValue{Offset: 100, LeaderEpoch: 7, Metadata: "meta", CommitTimestamp: 1234, ExpireTimestamp: 5678}
}

func goldenGroup() kmsg.GroupMetadataValue {
	return kmsg.GroupMetadataValue{
		ProtocolType: "consumer", Generation: 7, Protocol: kmsg.StringPtr("range"), Leader: kmsg.StringPtr("m"), CurrentStateTimestamp: 1234,
		Members: []kmsg.GroupMetadataValueMember{
			{
				MemberID: "m", InstanceID: kmsg.StringPtr("i"), ClientID: "c", ClientHost: "/h",
				RebalanceTimeoutMillis: 30000, SessionTimeoutMillis: 10000, Subscription: []byte{1, 2}, Assignment: []byte{3},
			},
			{MemberID: "n", RebalanceTimeoutMillis: -1, Subscription: []byte{}, Assignment: []byte{}},
		},
	}
}

// TestRecordsAreWrittenAsKafkaWritesThem: byte for byte what the coordinator of Kafka 4.4.0 writes (G-324 to G-331).
func TestRecordsAreWrittenAsKafkaWritesThem(t *testing.T) {
	offsets := map[string]func(*kmsg.OffsetCommitValue){
		"plain":    func(v *kmsg.OffsetCommitValue) { v.ExpireTimestamp = -1 },
		"no-epoch": func(v *kmsg.OffsetCommitValue) { v.LeaderEpoch, v.Metadata, v.ExpireTimestamp = -1, "", 0 },
		"topic-id": func(v *kmsg.OffsetCommitValue) { v.ExpireTimestamp, v.TopicID = -1, [16]byte{7: 1, 15: 2} },
		"expiring": func(v *kmsg.OffsetCommitValue) { v.TopicID = [16]byte{7: 1, 15: 2} },
	}
	for _, fields := range goldenLines(t, "records.txt", "written") {
		what, name, wantKey, wantValue := fields[0], fields[1], fields[2], fields[3]
		var key, value []byte
		switch what {
		case "offset":
			v := goldenOffset()
			offsets[name](&v)
			key, value = AppendOffsetKey(nil, "group", "topic", 3), AppendOffsetValue(nil, v)
		case "offset-tombstone":
			key = AppendOffsetKey(nil, "group", "topic", 3)
		case "group":
			empty := kmsg.GroupMetadataValue{ProtocolType: "consumer", Generation: 7, CurrentStateTimestamp: 1234}
			key, value = AppendGroupKey(nil, "group"), AppendGroupValue(nil, empty)
		case "group-tombstone":
			key = AppendGroupKey(nil, "group")
		}
		if got := hex.EncodeToString(key); got != wantKey {
			t.Errorf("%s %s: key %s, want %s", what, name, got, wantKey)
		}
		if got := hex.EncodeToString(value); wantValue != "null" && got != wantValue {
			t.Errorf("%s %s: value\ngot  %s\nwant %s", what, name, got, wantValue)
		}
		rec, err := DecodeRecord(key, value)
		if err != nil || rec.Group != "group" || rec.Tombstone != (wantValue == "null") || (rec.Kind == OffsetRecord) != strings.HasPrefix(what, "offset") {
			t.Errorf("%s %s is read as %+v, %v", what, name, rec, err)
		}
		if rec.Kind == OffsetRecord && (rec.Topic != "topic" || rec.Partition != 3) {
			t.Errorf("%s %s is read as of %s/%d", what, name, rec.Topic, rec.Partition)
		}
	}
}

// TestEveryVersionOfOffsetValuesIsRead: what a version lacks is -1, never 0.
func TestEveryVersionOfOffsetValuesIsRead(t *testing.T) {
	for _, fields := range goldenLines(t, "records.txt", "versioned") {
		if fields[0] != "offset" {
			continue
		}
		want := goldenOffset()
		fmt.Sscan(fields[1], &want.Version)
		if want.Version < 3 {
			want.LeaderEpoch = -1
		}
		if want.Version != 1 {
			want.ExpireTimestamp = -1
		}
		for _, keyVersion := range []int16{0, 1} {
			key := AppendOffsetKey(nil, "group", "topic", 3)
			key[1] = byte(keyVersion)
			got, err := DecodeRecord(key, unhex(t, fields[2]))
			wantRecord := Record{Kind: OffsetRecord, KeyVersion: keyVersion, Group: "group", Topic: "topic", Partition: 3, Offset: want}
			if err != nil || !reflect.DeepEqual(got, wantRecord) {
				t.Errorf("version %d\ngot  %+v, %v\nwant %+v", want.Version, got, err, wantRecord)
			}
		}
	}
}

func TestEveryVersionOfGroupValuesIsRead(t *testing.T) {
	for _, fields := range goldenLines(t, "records.txt", "versioned") {
		if fields[0] != "group" {
			continue
		}
		want := goldenGroup()
		fmt.Sscan(fields[1], &want.Version)
		if want.Version < 3 {
			want.Members[0].InstanceID = nil
		}
		if want.Version < 2 {
			want.CurrentStateTimestamp = -1
		}
		if want.Version < 1 {
			want.Members[0].RebalanceTimeoutMillis = -1
		}
		value := unhex(t, fields[2])
		got, err := DecodeRecord(AppendGroupKey(nil, "group"), value)
		wantRecord := Record{Kind: GroupRecord, KeyVersion: 2, Group: "group", Metadata: want}
		if err != nil || !reflect.DeepEqual(got, wantRecord) {
			t.Errorf("version %d\ngot  %+v, %v\nwant %+v", want.Version, got, err, wantRecord)
		}
		if want.Version == groupValueVersion {
			if rewritten := hex.EncodeToString(AppendGroupValue(nil, got.Metadata)); rewritten != fields[2] {
				t.Errorf("got  %s\nwant %s", rewritten, fields[2])
			}
		}
	}
}

// TestRecordsAreReadWhereKafkaReadsThem: what keeps Kafka from loading a partition is an error here, and nothing else
// is.
func TestRecordsAreReadWhereKafkaReadsThem(t *testing.T) {
	for _, fields := range goldenLines(t, "records.txt", "read") {
		key, outcome := unhex(t, fields[0]), fields[2]
		var value []byte
		if fields[1] != "null" {
			value = unhex(t, fields[1])
		}
		rec, err := DecodeRecord(key, value)
		if (err == nil) != (outcome != "error") {
			t.Errorf("key %s, value %s: %v, Kafka says %s", fields[0], fields[1], err, outcome)
		}
		if outcome == "other" && rec.Kind != OtherRecord {
			t.Errorf("key %s is of kind %d", fields[0], rec.Kind)
		}
		if err != nil && !reflect.DeepEqual(rec, Record{}) {
			t.Errorf("an error comes with %+v", rec)
		}
	}
}

// TestRecordsOfOtherKindsAreToldByTheirNumber: all types of Kafka 4.4.0 that are not ours, and some that are nobody's.
func TestRecordsOfOtherKindsAreToldByTheirNumber(t *testing.T) { // G-312
	for _, version := range []int16{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 1000, -1} {
		key := []byte{byte(version >> 8), byte(version), 0xde, 0xad}
		for _, value := range [][]byte{nil, {1, 2, 3}} {
			rec, err := DecodeRecord(key, value)
			want := Record{Kind: OtherRecord, KeyVersion: version, Tombstone: value == nil}
			if err != nil || !reflect.DeepEqual(rec, want) {
				t.Errorf("key version %d: %+v, %v", version, rec, err)
			}
		}
	}
}

func TestRecordErrorsNameTheField(t *testing.T) { // G-312
	offsetKey, groupKey := AppendOffsetKey(nil, "g", "t", 1), AppendGroupKey(nil, "g")
	group := AppendGroupValue(nil, goldenGroup())
	cases := []struct {
		key, value []byte
		want       string
	}{
		{nil, nil, "record key: version: 2 bytes are needed, but there are 0"},
		{offsetKey[:len(offsetKey)-1], nil, "offset record: key: partition: 4 bytes are needed, but 3 remain"},
		{groupKey[:2], nil, "group record: key: group: 2 bytes are needed, but 0 remain"},
		{offsetKey, []byte{}, "offset record: value: version: 2 bytes are needed, but there are 0"},
		{offsetKey, []byte{0, 9}, "offset record: value: version 9 is not known, only 0-4: a newer Kafka wrote it"},
		{offsetKey, []byte{0, 3, 1}, "offset record: value: offset: 8 bytes are needed, but 1 remain"},
		{groupKey, group[:len(group)-1], "group record: value: members[1].assignment: 4 bytes are needed, but 3 remain"},
	}
	for _, c := range cases {
		if _, err := DecodeRecord(c.key, c.value); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func BenchmarkDecodeRecord(b *testing.B) {
	key, value := AppendOffsetKey(nil, "orders-service", "orders", 3), AppendOffsetValue(nil, goldenOffset())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeRecord(key, value); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleDecodeRecord() {
	key := AppendOffsetKey(nil, "orders-service", "orders", 3)
	value := AppendOffsetValue(nil, kmsg.OffsetCommitValue{Offset: 100, LeaderEpoch: -1, CommitTimestamp: 1700000000000})

	rec, err := DecodeRecord(key, value)
	fmt.Println(rec.Kind == OffsetRecord, rec.Group, rec.Topic, rec.Partition, rec.Offset.Offset, err)

	rec, err = DecodeRecord(key, nil)
	fmt.Println(rec.Tombstone, err)
	// Output:
	// true orders-service orders 3 100 <nil>
	// true <nil>
}
