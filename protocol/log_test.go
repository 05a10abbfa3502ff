package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// logBatch makes a batch of records, each of them a key and a value; nil is null.
func logBatch(attributes int16, producer int64, records ...[2][]byte) []byte {
	batch := kmsg.RecordBatch{
		FirstOffset: 42, Magic: 2, Attributes: attributes, ProducerID: producer, ProducerEpoch: -1, FirstSequence: -1,
		LastOffsetDelta: int32(len(records) - 1), NumRecords: int32(len(records)),
	}
	for i, r := range records {
		record := kmsg.Record{OffsetDelta: int32(i), Key: r[0], Value: r[1]}
		record.Length = int32(len(record.AppendTo(nil)) - 1)
		batch.Records = record.AppendTo(batch.Records)
	}
	return sealed(batch.AppendTo(nil))
}

// sealed sets a batch's length and checksum.
func sealed(batch []byte) []byte {
	binary.BigEndian.PutUint32(batch[8:], uint32(len(batch)-12))
	binary.BigEndian.PutUint32(batch[17:], crc32.Checksum(batch[21:], crc32.MakeTable(crc32.Castagnoli)))
	return batch
}

func readLog(log []byte) (records []string, err error) {
	for r, err := range ReadLog(bytes.NewReader(log)) {
		if err != nil {
			return records, err
		}
		records = append(records, fmt.Sprintf("%s=%s by %d %d", r.Key, r.Value, r.ProducerID, r.Marker))
		if r.Value == nil {
			records[len(records)-1] += " null"
		}
	}
	return records, nil
}

func TestReadLogWalksBatchesInOrder(t *testing.T) { // G-311, G-313
	control := func(kind byte) [2][]byte { return [2][]byte{{0, 0, 0, kind}, {0, 0, 0, 0, 0, 0}} }
	log := bytes.Join([][]byte{
		logBatch(0, -1, [2][]byte{[]byte("a"), []byte("1")}, [2][]byte{[]byte("b"), nil}, [2][]byte{[]byte("c"), {}}),
		logBatch(0, -1), // as compaction may leave one
		logBatch(0x10, 7, [2][]byte{[]byte("a"), []byte("2")}),
		logBatch(0x30, 7, control(1)),
		logBatch(0x30, 8, control(0)),
		logBatch(0x20, -1, control(2), [2][]byte{{}, nil}),
	}, nil)
	got, err := readLog(log)
	if err != nil {
		t.Fatal(err)
	}
	markers := make([]string, 0, 4)
	for r := range ReadLog(bytes.NewReader(log)) {
		if r.Marker != NoMarker {
			markers = append(markers, fmt.Sprint(r.ProducerID, r.Marker))
		}
	}
	want := []string{"a=1 by -1 0", "b= by -1 0 null", "c= by -1 0", "a=2 by 7 0"}
	if fmt.Sprint(got[:4]) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got[:4], want)
	}
	if want := []string{fmt.Sprint(7, CommitMarker), fmt.Sprint(8, AbortMarker), fmt.Sprint(-1, OtherMarker), fmt.Sprint(-1, OtherMarker)}; fmt.Sprint(markers) != fmt.Sprint(want) {
		t.Errorf("markers %v, want %v", markers, want)
	}
}

func TestReadLogEndsWhenItsCallerHasEnough(t *testing.T) {
	log := logBatch(0, -1, [2][]byte{[]byte("a"), nil}, [2][]byte{[]byte("b"), nil})
	for r, err := range ReadLog(bytes.NewReader(log)) {
		if err != nil || string(r.Key) != "a" {
			t.Errorf("went on to %q, %v", r.Key, err)
		}
		break
	}
}

func TestFaultsOfALogSayWhereAndWhy(t *testing.T) {
	good := logBatch(0, -1, [2][]byte{[]byte("key"), []byte("value")})
	changed := func(at int, to byte) []byte {
		b := bytes.Clone(good)
		b[at] = to
		return b
	}
	for name, test := range map[string]struct {
		log  []byte
		want string
	}{
		"an old format":     {changed(16, 1), "message format 1 is not 2: it is from before Kafka 0.11"},
		"a damaged byte":    {changed(len(good)-2, '!'), "the checksum is wrong"},
		"compressed":        {sealed(changed(22, 4)), "it is compressed with zstd: set offsets.topic.compression.codec=0"},
		"who knows how":     {sealed(changed(22, 7)), "compression 7 is not known"},
		"a record too many": {sealed(changed(60, 2)), "a record is cut off"},
		"a record too few":  {sealed(changed(60, 0)), "bytes are left behind its last record"},
		"a negative length": {changed(8, 0xff), "check that the peer"},
		"no batch at all":   {append(make([]byte, 11), 10, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0), "10 bytes are too few"},
	} {
		_, err := readLog(append(bytes.Clone(good), test.log...))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "batch at offset ") {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
	for end := 1; end < len(good); end++ {
		if _, err := readLog(good[:end]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut off after %d bytes: %v", end, err)
		}
	}
}

// FuzzReadLog: no bytes make the reader panic, and what it reads lies within them.
func FuzzReadLog(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add(logBatch(0, -1, [2][]byte{[]byte("a"), []byte("1")}, [2][]byte{[]byte("b"), nil}), false)
	f.Add(logBatch(0x30, 7, [2][]byte{{0, 0, 0, 1}, {0, 0, 0, 0, 0, 0}}), true)
	f.Fuzz(func(t *testing.T, log []byte, seal bool) {
		if seal && len(log) > 21 {
			log = sealed(bytes.Clone(log)) // or a wrong checksum would hide the rest
		}
		read := 0
		for r, err := range ReadLog(bytes.NewReader(log)) {
			if err == nil {
				read += len(r.Key) + len(r.Value)
			}
		}
		if read > len(log) {
			t.Errorf("%d bytes of keys and values in %d bytes", read, len(log))
		}
	})
}
