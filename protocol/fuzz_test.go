package protocol

import (
	"bytes"
	"testing"
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
