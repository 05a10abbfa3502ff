package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"

	"github.com/twmb/franz-go/pkg/kbin"
)

// A LogRecord is one record of a partition's log, with what its batch says about it.
type LogRecord struct {
	// Key and Value are nil where the log has null. They refer to memory that is not used again.
	Key, Value []byte

	// ProducerID is that of the batch; -1 is none. In __consumer_offsets any other is that of a transaction (G-313).
	ProducerID int64

	// Marker tells whether this is the end of the producer's transaction rather than data.
	Marker Marker
}

// A Marker tells what a record of a control batch says.
type Marker uint8

const (
	// NoMarker is that of data.
	NoMarker Marker = iota
	// AbortMarker ends a transaction whose data counts for nothing.
	AbortMarker
	// CommitMarker ends a transaction whose data counts from here on.
	CommitMarker
	// OtherMarker is of a kind that is not about transactions (G-311).
	OtherMarker
)

// ReadLog walks the records of a log: of a partition's segment files, one after the other in the order of their names,
// or of what Fetch has answered. Both are batches of records of message format 2, which Kafka has written since 0.11.
//
// Batches must not be compressed, as those that a coordinator writes are not unless the broker has
// offsets.topic.compression.codec set. A batch of another format, one that is compressed, one whose checksum is wrong and
// one that is cut off are errors, after which the walk ends.
func ReadLog(r io.Reader) iter.Seq2[LogRecord, error] {
	return func(yield func(LogRecord, error) bool) {
		for {
			b, err := readBatch(r)
			if errors.Is(err, io.EOF) {
				return
			}
			for n := int32(0); err == nil && n < b.count; n++ {
				var rec LogRecord
				if rec, err = b.next(); err == nil && !yield(rec, nil) {
					return
				}
			}
			if err == nil && len(b.records) > 0 {
				err = fmt.Errorf("%d bytes are left behind its last record", len(b.records))
			}
			if err != nil {
				yield(LogRecord{}, fmt.Errorf("batch at offset %d: %w", b.offset, err))
				return
			}
		}
	}
}

// batch is a batch of records that is being read.
type batch struct {
	offset     int64 // of its first record
	attributes int16
	producerID int64
	count      int32
	records    []byte // those that are left
}

// What the attributes of a batch hold.
const (
	compressionMask  int16 = 0x07
	controlAttribute int16 = 0x20
)

const (
	batchFormat = 2
	checksumEnd = 4 + 1 + 4 // leader epoch, format and checksum stand before what the checksum covers
	maxBatch    = MaxFrame
)

var (
	castagnoli   = crc32.MakeTable(crc32.Castagnoli)
	compressions = [...]string{"", "gzip", "snappy", "lz4", "zstd"}
)

// readBatch reads the next batch, of which the offset is known also when there is an error. That is io.EOF if the log ends
// before it.
func readBatch(r io.Reader) (b batch, err error) {
	var offset [8]byte
	if _, err := io.ReadFull(r, offset[:]); err != nil {
		return b, err
	}
	b.offset = int64(binary.BigEndian.Uint64(offset[:]))
	frame, err := ReadFrame(r, maxBatch)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return b, err
	}
	src := kbin.Reader{Src: frame}
	src.Int32() // the leader's epoch
	if format := src.Int8(); src.Ok() && format != batchFormat {
		return b, fmt.Errorf("message format %d is not %d: it is from before Kafka 0.11, or this is not a log", format, batchFormat)
	}
	checksum := src.Uint32()
	b.attributes = src.Int16()
	src.Span(4 + 8 + 8) // the last offset, the first and the last timestamp
	b.producerID = src.Int64()
	src.Span(2 + 4) // the producer's epoch and its first sequence
	b.count = src.Int32()
	b.records = src.Src
	switch compression := b.attributes & compressionMask; {
	case !src.Ok():
		return b, fmt.Errorf("%d bytes are too few", len(frame))
	case crc32.Checksum(frame[checksumEnd:], castagnoli) != checksum:
		return b, errors.New("the checksum is wrong: the log is damaged, or this is not one")
	case int(compression) < len(compressions) && compression != 0:
		return b, fmt.Errorf("it is compressed with %s: set offsets.topic.compression.codec=0 on the broker and let the groups "+
			"be written again, or unpack it", compressions[compression])
	case compression != 0:
		return b, fmt.Errorf("compression %d is not known", compression)
	}
	return b, nil
}

// next reads the next record of the batch.
func (b *batch) next() (rec LogRecord, err error) {
	src := kbin.Reader{Src: b.records}
	length := src.Varint()
	body := kbin.Reader{Src: src.Span(int(length))}
	b.records = src.Src
	body.Int8()    // attributes, of which there are none
	body.Varlong() // timestamp
	body.Varint()  // offset
	rec = LogRecord{Key: body.VarintBytes(), Value: body.VarintBytes(), ProducerID: b.producerID}
	if !src.Ok() || !body.Ok() { // headers, which follow, are not looked at
		return rec, errors.New("a record is cut off")
	}
	if b.attributes&controlAttribute != 0 {
		rec.Marker = markerOf(rec.Key)
	}
	return rec, nil
}

// markerOf reads the key of a control record: its version and its type.
func markerOf(key []byte) Marker {
	src := kbin.Reader{Src: key}
	src.Int16()
	switch kind := src.Int16(); {
	case !src.Ok():
		return OtherMarker
	case kind == 0:
		return AbortMarker
	case kind == 1:
		return CommitMarker
	}
	return OtherMarker
}
