package protocol

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// FuzzDecodeSubscription: no bytes make the decoder panic; what it accepts can be written and read again to the same
// effect; and what it accepts the broker's reader accepts too.
func FuzzDecodeSubscription(f *testing.F) {
	for _, fields := range goldenLines(f, "consumer.txt", "subscription") {
		f.Add(unhex(f, fields[2]))
	}
	for _, fields := range goldenLines(f, "consumer.txt", "read-subscription") {
		f.Add(unhex(f, fields[0]))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeSubscription(b)
		if err != nil {
			return
		}
		once := s.AppendTo(nil)
		again, err := DecodeSubscription(once)
		if err != nil || !bytes.Equal(again.AppendTo(nil), once) {
			t.Errorf("%x is written as %x, which is read as %v, %v", b, once, again, err)
		}
		if topics, err := SubscribedTopics(b); err != nil || len(topics) != len(s.Topics) {
			t.Errorf("the broker reads topics %q, %v, the leader %q", topics, err, s.Topics)
		}
	})
}

func FuzzDecodeAssignment(f *testing.F) {
	for _, fields := range goldenLines(f, "consumer.txt", "assignment") {
		f.Add(unhex(f, fields[2]))
	}
	for _, fields := range goldenLines(f, "consumer.txt", "read-assignment") {
		f.Add(unhex(f, fields[0]))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := DecodeAssignment(b)
		if err != nil {
			return
		}
		once := a.AppendTo(nil)
		again, err := DecodeAssignment(once)
		if err != nil || !bytes.Equal(again.AppendTo(nil), once) {
			t.Errorf("%x is written as %x, which is read as %v, %v", b, once, again, err)
		}
	})
}

// FuzzDecodeRequest: no frame makes the decoders panic, and what they accept is written again as something that they
// accept.
func FuzzDecodeRequest(f *testing.F) {
	formatter := kmsg.NewRequestFormatter(kmsg.FormatterClientID("client"))
	rng := rand.New(rand.NewPCG(3, 4))
	for key := range kmsg.MaxKey + 1 {
		if s := requestSchema(int16(key)); s != nil {
			for version := s.versions.Min; version <= s.versions.Max; version++ {
				req := kmsg.RequestForKey(int16(key))
				req.SetVersion(version)
				fill(rng, reflect.ValueOf(req).Elem())
				f.Add(formatter.AppendRequest(nil, req, 1)[4:])
			}
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		header, body, err := ReadRequestHeader(frame)
		if err != nil {
			return
		}
		req, err := DecodeRequest(header.Key, header.Version, body)
		if err != nil {
			return
		}
		again := req.AppendTo(nil)
		if _, err := DecodeRequest(header.Key, header.Version, again); err != nil {
			t.Errorf("%x is written as %x: %v", body, again, err)
		}
	})
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x03one\x00\x00\x00\x00"), 10)
	f.Add([]byte("\x7f\xff\xff\xff"), 1<<31-1)
	f.Add([]byte("\xff\xff\xff\xff"), 0)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		r := bytes.NewReader(stream)
		for {
			before := r.Len()
			frame, err := ReadFrame(r, limit)
			if err != nil {
				return
			}
			if len(frame) > limit || before-r.Len() != 4+len(frame) {
				t.Fatalf("a frame of %d bytes, of %d, limit %d", len(frame), before-r.Len(), limit)
			}
		}
	})
}

// FuzzDecodeRecord: no record makes the decoder panic, and one that was read can be written and read again.
func FuzzDecodeRecord(f *testing.F) {
	for _, fields := range goldenLines(f, "records.txt", "written") {
		if fields[3] != "null" {
			f.Add(unhex(f, fields[2]), unhex(f, fields[3]))
		}
	}
	for _, fields := range goldenLines(f, "records.txt", "versioned") {
		key := AppendOffsetKey(nil, "group", "topic", 3)
		if fields[0] == "group" {
			key = AppendGroupKey(nil, "group")
		}
		f.Add(key, unhex(f, fields[2]))
	}
	f.Fuzz(func(t *testing.T, key, value []byte) {
		rec, err := DecodeRecord(key, value)
		if err != nil || rec.Tombstone {
			return
		}
		switch rec.Kind {
		case OffsetRecord:
			key = AppendOffsetKey(nil, rec.Group, rec.Topic, rec.Partition)
			value = AppendOffsetValue(nil, rec.Offset)
		case GroupRecord:
			key = AppendGroupKey(nil, rec.Group)
			value = AppendGroupValue(nil, rec.Metadata)
		}
		again, err := DecodeRecord(key, value)
		if err != nil || again.Group != rec.Group || again.Offset.Offset != rec.Offset.Offset || len(again.Metadata.Members) != len(rec.Metadata.Members) {
			t.Errorf("%+v is read again as %+v, %v", rec, again, err)
		}
	})
}
