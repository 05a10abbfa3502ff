package protocol

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kbin"
)

// A Subscription is what a member of a consumer group tells the group's leader with each join: the metadata of each of
// its protocols (G-527).
type Subscription struct {
	// Version is the layout, 0 to [ConsumerVersion]. A decoded one may be higher: its sender knows more than we do.
	Version int16

	// Topics are the names of the topics subscribed to.
	Topics []string

	// UserData belongs to the assignor; nil is null.
	UserData []byte

	// Owned are the partitions that the member still owns as it joins (KIP-429). Version 1 and up.
	Owned []TopicPartitions

	// Generation is the one in which the member came to own them, -1 for none (KIP-792). Version 2 and up.
	Generation int32

	// Rack is the member's rack, empty for none (KIP-881). Version 3 and up.
	Rack string
}

// NewSubscription returns the subscription of a new member: of the latest version, owning nothing, of no generation.
func NewSubscription(topics ...string) Subscription {
	return Subscription{Version: ConsumerVersion, Topics: topics, Generation: -1}
}

// AppendTo appends the subscription to dst in the layout of its version, or of [ConsumerVersion] if that is lower, and
// returns the result. As Java does, it sorts topics and owned partitions (G-529), and leaves s unchanged. Names must
// be shorter than 32 KiB, which every legal topic name is.
func (s *Subscription) AppendTo(dst []byte) []byte {
	version := max(0, min(s.Version, ConsumerVersion))
	dst = kbin.AppendInt16(dst, version)

	topics := s.Topics
	if !slices.IsSortedFunc(topics, CompareJava) {
		topics = slices.SortedFunc(slices.Values(topics), CompareJava)
	}
	dst = kbin.AppendArrayLen(dst, len(topics))
	for _, topic := range topics {
		dst = kbin.AppendString(dst, topic)
	}
	dst = kbin.AppendNullableBytes(dst, s.UserData)
	if version >= 1 {
		dst = appendTopicPartitions(dst, sortedTopicPartitions(s.Owned))
	}
	if version >= 2 {
		dst = kbin.AppendInt32(dst, max(-1, s.Generation))
	}
	if version >= 3 {
		var rack *string
		if s.Rack != "" {
			rack = &s.Rack
		}
		dst = kbin.AppendNullableString(dst, rack)
	}
	return dst
}

// DecodeSubscription reads a member's subscription. One of a newer version than ours is read as ours, and bytes behind
// what we know are ignored (G-530); a negative version and malformed bytes are errors. Fields that the version lacks
// are as in [NewSubscription]; a negative generation is -1 (G-531).
//
// UserData refers to b, which must not change as long as it is in use; everything else is copied. Owned may name a
// topic twice, and partitions in any order or negative: a peer wrote it.
func DecodeSubscription(b []byte) (Subscription, error) {
	s, err := decodeSubscription(b)
	if err != nil {
		return Subscription{}, fmt.Errorf("consumer subscription: %w", err)
	}
	return s, nil
}

func decodeSubscription(b []byte) (Subscription, error) {
	r := kbin.Reader{Src: b}
	stated, layout, err := readConsumerVersion(&r)
	if err != nil {
		return Subscription{}, err
	}
	s := Subscription{Version: stated, Generation: -1}
	if s.Topics, err = readTopics(&r); err != nil {
		return Subscription{}, fmt.Errorf("topics: %w", err)
	}
	if s.UserData = r.NullableBytes(); !r.Ok() {
		return Subscription{}, fmt.Errorf("user data: %w", errMalformed)
	}
	if layout >= 1 {
		if s.Owned, err = readTopicPartitions(&r); err != nil {
			return Subscription{}, fmt.Errorf("owned partitions: %w", err)
		}
	}
	if layout >= 2 {
		if s.Generation = max(-1, r.Int32()); !r.Ok() {
			return Subscription{}, fmt.Errorf("generation: %w", errMalformed)
		}
	}
	if layout >= 3 {
		if rack := r.NullableString(); rack != nil {
			s.Rack = *rack
		}
		if !r.Ok() {
			return Subscription{}, fmt.Errorf("rack: %w", errMalformed)
		}
	}
	return s, nil
}

// SubscribedTopics returns the topics of a subscription of any version, negative ones included, as the broker reads
// them: with the layout of version 0, which each later version starts with (G-094, G-532). The topics are copies.
func SubscribedTopics(metadata []byte) ([]string, error) {
	r := kbin.Reader{Src: metadata}
	r.Int16()
	topics, err := readTopics(&r)
	if err != nil {
		return nil, fmt.Errorf("consumer subscription: topics: %w", err)
	}
	if r.NullableBytes(); !r.Ok() {
		return nil, fmt.Errorf("consumer subscription: user data: %w", errMalformed)
	}
	return topics, nil
}
