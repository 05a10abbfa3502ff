package broker

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A batchChecker looks into batches of records before kfake does, which believes what they say of themselves: a record
// whose length is a lie ends the process when somebody looks up an offset by time, and a batch of a megabyte may unpack
// to gigabytes. Kafka's broker checks the same.
type batchChecker struct {
	limit int           // of the bytes of a batch, unpacked
	turns chan struct{} // bounds how many batches are unpacked at a time
}

// maxRatio is how much a batch may grow when it is unpacked, in terms of the largest one that may be sent.
const maxRatio = 32

func newBatchChecker(maxMessageBytes, atATime int) *batchChecker {
	return &batchChecker{limit: maxRatio * maxMessageBytes, turns: make(chan struct{}, atATime)}
}

var errNoRecords = errors.New("the records do not read as their batch says")

// check tells what is wrong with a batch. What kfake itself refuses is passed on to it, so that the answer is its own:
// batches of other formats, and with a length or a checksum that is wrong.
func (c *batchChecker) check(raw []byte) error {
	var batch kmsg.RecordBatch
	if err := batch.ReadFrom(raw); err != nil || batch.Magic != 2 {
		return nil
	}
	switch {
	case batch.NumRecords < 1:
		return fmt.Errorf("a batch has %d records", batch.NumRecords)
	case batch.ProducerID >= 0 && (batch.ProducerEpoch < 0 || batch.ProducerEpoch > maxEpoch || batch.FirstSequence < 0):
		return fmt.Errorf("a batch of producer %d has epoch %d and sequence %d", batch.ProducerID, batch.ProducerEpoch, batch.FirstSequence)
	}
	c.turns <- struct{}{}
	defer func() { <-c.turns }()
	records, err := unpack(batch.Records, batch.Attributes&7, c.limit)
	if err != nil {
		return fmt.Errorf("unpack a batch: %w", err)
	}
	for i := range batch.NumRecords {
		length, n := binary.Varint(records)
		if n <= 0 || length < 0 || length > int64(len(records)-n) {
			return errNoRecords
		}
		end := n + int(length)
		if !readsAsRecord(records[n:end], i) {
			return errNoRecords
		}
		records = records[end:]
	}
	if len(records) > 0 {
		return errNoRecords
	}
	return nil
}

// readsAsRecord tells whether the bytes are one record, the index-th of its batch, and nothing else.
func readsAsRecord(record []byte, index int32) bool {
	r := kbin.Reader{Src: record}
	r.Int8()    // attributes
	r.Varlong() // timestamp
	offset := r.Varint()
	r.VarintBytes() // key
	r.VarintBytes() // value
	headers := r.VarintArrayLen()
	for i := int32(0); i < headers && r.Ok(); i++ {
		r.VarintBytes()
		r.VarintBytes()
	}
	return r.Ok() && len(r.Src) == 0 && headers >= 0 && offset == index
}

// unpack undoes the compression of a batch's records, up to a limit in bytes.
func unpack(packed []byte, codec int16, limit int) ([]byte, error) {
	switch codec {
	case 0:
		return packed, nil
	case 1:
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		return readUpTo(r, limit)
	case 2:
		return unpackSnappy(packed, limit)
	case 3:
		return readUpTo(lz4.NewReader(bytes.NewReader(packed)), limit)
	case 4:
		r, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(uint64(limit)))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		unpacked, err := readUpTo(r, limit)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = tooLarge(limit)
		}
		return unpacked, err
	}
	return nil, fmt.Errorf("there is no compression %d", codec)
}

func readUpTo(r io.Reader, limit int) ([]byte, error) {
	unpacked, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(unpacked) > limit {
		return nil, tooLarge(limit)
	}
	return unpacked, err
}

func tooLarge(limit int) error { return fmt.Errorf("it holds more than %d bytes", limit) }

// javaSnappy begins what Java clients send: blocks, each with its length before it, after 8 more bytes of versions.
var javaSnappy = []byte("\x82SNAPPY\x00")

func unpackSnappy(packed []byte, limit int) ([]byte, error) {
	if len(packed) < 16 || !bytes.HasPrefix(packed, javaSnappy) {
		return unpackBlock(nil, packed, limit)
	}
	var unpacked []byte
	for rest := packed[16:]; len(rest) > 0; {
		if len(rest) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		size := binary.BigEndian.Uint32(rest)
		if rest = rest[4:]; uint64(size) > uint64(len(rest)) {
			return nil, io.ErrUnexpectedEOF
		}
		var err error
		if unpacked, err = unpackBlock(unpacked, rest[:size], limit); err != nil {
			return nil, err
		}
		rest = rest[size:]
	}
	return unpacked, nil
}

// unpackBlock appends a block to dst, unless dst would become longer than limit.
func unpackBlock(dst, block []byte, limit int) ([]byte, error) {
	size, err := s2.DecodedLen(block)
	if err != nil {
		return nil, err
	}
	if size > limit-len(dst) {
		return nil, tooLarge(limit)
	}
	unpacked, err := s2.Decode(nil, block)
	return append(dst, unpacked...), err
}
