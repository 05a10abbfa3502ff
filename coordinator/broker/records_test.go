package broker

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// packers are the compressions, by their number in a batch's attributes.
var packers = map[int16]func([]byte) []byte{
	0: func(b []byte) []byte { return b },
	1: func(b []byte) []byte { return packed(b, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }) },
	2: func(b []byte) []byte { return s2.EncodeSnappy(nil, b) },
	3: func(b []byte) []byte { return packed(b, func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }) },
	4: func(b []byte) []byte {
		return packed(b, func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			if err != nil {
				panic(err)
			}
			return z
		})
	},
}

func packed(b []byte, writer func(io.Writer) io.WriteCloser) []byte {
	var out bytes.Buffer
	w := writer(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// record returns one record, with its length.
func record(offset int32, value string, headers ...kmsg.Header) []byte {
	r := kmsg.Record{OffsetDelta: offset, Value: []byte(value), Headers: headers}
	r.Length = int32(len(r.AppendTo(nil)) - 1)
	return r.AppendTo(nil)
}

// batchOf returns a batch, and wants only what the checker looks at to be right.
func batchOf(codec int16, count int32, records ...[]byte) []byte {
	b := kmsg.RecordBatch{Magic: 2, Attributes: codec, NumRecords: count, LastOffsetDelta: count - 1, ProducerID: -1,
		Records: packers[codec](bytes.Join(records, nil))}
	b.Length = int32(len(b.AppendTo(nil)) - 12)
	return b.AppendTo(nil)
}

func TestSoundBatchesPass(t *testing.T) {
	c := newBatchChecker(1000, 1)
	header := kmsg.Header{Key: "k", Value: []byte("v")}
	for codec := range packers {
		for name, batch := range map[string][]byte{
			"one record":      batchOf(codec, 1, record(0, "value")),
			"a few":           batchOf(codec, 3, record(0, "a"), record(1, "b", header, header), record(2, "")),
			"32 times larger": batchOf(codec, 1, record(0, strings.Repeat("a", 31_900))),
		} {
			if err := c.check(batch); err != nil {
				t.Errorf("compression %d, %s: %v", codec, name, err)
			}
		}
	}
	block := s2.EncodeSnappy(nil, record(0, "value"))
	java := append(append([]byte{}, javaSnappy...), 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, byte(len(block)))
	batch := kmsgBatch(func(b *kmsg.RecordBatch) { b.Attributes, b.Records = 2, append(java, block...) })
	if err := c.check(batch); err != nil {
		t.Errorf("java's snappy: %v", err)
	}
}

func TestBatchesThatLieAreRefused(t *testing.T) {
	c := newBatchChecker(1000, 1)
	good := record(0, "value")
	longer := append([]byte{good[0] + 2}, good[1:]...) // a length of one more than there is
	for name, test := range map[string]struct {
		count   int32
		records []byte
		want    string
	}{
		"no records":                 {0, nil, "a batch has 0 records"},
		"less than no records":       {-5, nil, "a batch has -5 records"},
		"fewer records than it says": {2, good, errNoRecords.Error()},
		"more records than it says":  {1, append(good, good...), errNoRecords.Error()},
		"a record too long":          {1, longer, errNoRecords.Error()},
		"a record too short":         {1, append([]byte{good[0] - 2}, good[1:]...), errNoRecords.Error()},
		"a record of length -1":      {1, []byte{1, 0, 0, 0, 1, 1, 0}, errNoRecords.Error()},
		"an offset out of order":     {1, record(1, "value"), errNoRecords.Error()},
		"a batch that grows":         {1, record(0, strings.Repeat("a", 33_000)), "it holds more than 32000 bytes"},
	} {
		for codec := range packers {
			if codec == 0 && strings.HasPrefix(test.want, "it holds") {
				continue
			}
			if err := c.check(batchOf(codec, test.count, test.records)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("compression %d, %s: %v, want %s", codec, name, err, test.want)
			}
		}
	}
	if err := c.check(kmsgBatch(func(b *kmsg.RecordBatch) { b.Attributes = 5 })); err == nil {
		t.Error("an unknown compression passes")
	}
	if err := c.check(kmsgBatch(func(b *kmsg.RecordBatch) { b.ProducerID, b.ProducerEpoch = 1, -1 })); err == nil {
		t.Error("a producer without an epoch passes")
	}
}

func kmsgBatch(change func(*kmsg.RecordBatch)) []byte {
	b := kmsg.RecordBatch{Magic: 2, NumRecords: 1, ProducerID: -1, Records: record(0, "value")}
	change(&b)
	b.Length = int32(len(b.AppendTo(nil)) - 12)
	return b.AppendTo(nil)
}

func TestWhatKfakeRefusesItselfPassesTheChecker(t *testing.T) {
	c := newBatchChecker(1000, 1)
	for name, batch := range map[string][]byte{
		"nothing": nil, "half a batch": batchOf(0, 1, record(0, "value"))[:30],
		"another format": kmsgBatch(func(b *kmsg.RecordBatch) { b.Magic = 1 }),
	} {
		if err := c.check(batch); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzBatch(f *testing.F) {
	for codec := range packers {
		f.Add(batchOf(codec, 2, record(0, "a", kmsg.Header{Key: "k"}), record(1, "b")))
	}
	c := newBatchChecker(10_000, 1)
	f.Fuzz(func(_ *testing.T, raw []byte) {
		_ = c.check(raw) // what is asked is that it returns
	})
}
