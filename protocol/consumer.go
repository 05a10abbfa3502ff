package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kbin"
)

// ConsumerProtocol is the protocol type of consumer groups: their members' metadata are Subscriptions and their
// assignments are Assignments.
const ConsumerProtocol = "consumer"

// ConsumerVersion is the highest version of [Subscription] and [Assignment] that this library knows, and the one that
// it writes by itself (KIP-881; G-529). Each version is a prefix of the next (G-532).
const ConsumerVersion int16 = 3

// TopicPartitions is a topic with some of its partitions.
type TopicPartitions struct {
	Topic      string
	Partitions []int32
}

var errMalformed = errors.New("truncated or malformed bytes")

// readConsumerVersion reads the version that subscriptions and assignments start with, and returns the version whose
// layout the rest is to be read with: a newer one than ours is read as ours (G-530).
func readConsumerVersion(r *kbin.Reader) (stated, layout int16, err error) {
	stated = r.Int16()
	switch {
	case !r.Ok():
		return 0, 0, fmt.Errorf("version: %w", errMalformed)
	case stated < 0:
		return 0, 0, fmt.Errorf("version: %d is negative", stated)
	}
	return stated, min(stated, ConsumerVersion), nil
}

// readTopics reads an array of strings.
//
// This and readTopicPartitions go through their bytes twice: once to check and to measure them, and again to fill
// slices of exactly the right size. So nothing is allocated for lengths that are not true, and a million partitions
// cost three allocations. All names share one string, which is a copy, so that no map key can change under its owner.
func readTopics(r *kbin.Reader) ([]string, error) {
	ahead := *r
	n, err := arrayLen(&ahead, 2)
	if err != nil || n == 0 {
		*r = ahead
		return nil, err
	}
	nameBytes := 0
	for range n {
		nameBytes += len(ahead.Span(int(ahead.Int16())))
	}
	if !ahead.Ok() {
		return nil, errMalformed
	}

	var names strings.Builder
	names.Grow(nameBytes)
	topics := make([]string, n)
	arrayLen(r, 2)
	for i := range topics {
		topics[i] = readName(r, &names)
	}
	return topics, nil
}

// readTopicPartitions reads an array of topics with partitions.
func readTopicPartitions(r *kbin.Reader) ([]TopicPartitions, error) {
	ahead := *r
	n, err := arrayLen(&ahead, 2+4)
	if err != nil || n == 0 {
		*r = ahead
		return nil, err
	}
	nameBytes, partitionCount := 0, 0
	for range n {
		nameBytes += len(ahead.Span(int(ahead.Int16())))
		count, err := arrayLen(&ahead, 4)
		if err != nil {
			return nil, err
		}
		ahead.Span(4 * count)
		partitionCount += count
	}
	if !ahead.Ok() {
		return nil, errMalformed
	}

	var names strings.Builder
	names.Grow(nameBytes)
	partitions := make([]int32, 0, partitionCount)
	topics := make([]TopicPartitions, n)
	arrayLen(r, 2+4)
	for i := range topics {
		topics[i].Topic = readName(r, &names)
		first := len(partitions)
		count, _ := arrayLen(r, 4)
		for raw := r.Span(4 * count); len(raw) > 0; raw = raw[4:] {
			partitions = append(partitions, int32(binary.BigEndian.Uint32(raw)))
		}
		topics[i].Partitions = slices.Clip(partitions[first:])
	}
	return topics, nil
}

// arrayLen reads the length of an array whose elements have at least elementSize bytes each.
func arrayLen(r *kbin.Reader, elementSize int) (int, error) {
	switch n := int(r.Int32()); {
	case !r.Ok():
		return 0, errMalformed
	case n < 0:
		return 0, fmt.Errorf("the array length is %d", n)
	case n > len(r.Src)/elementSize:
		return 0, fmt.Errorf("the array length is %d, but %d bytes remain: %w", n, len(r.Src), errMalformed)
	default:
		return n, nil
	}
}

// readName reads a string as the next part of names, which has room for it.
func readName(r *kbin.Reader, names *strings.Builder) string {
	first := names.Len()
	names.Write(r.Span(int(r.Int16())))
	return names.String()[first:]
}

// appendTopicPartitions writes topics with their partitions in the order in which they come.
func appendTopicPartitions(dst []byte, topics []TopicPartitions) []byte {
	dst = kbin.AppendArrayLen(dst, len(topics))
	for _, t := range topics {
		dst = kbin.AppendString(dst, t.Topic)
		dst = kbin.AppendArrayLen(dst, len(t.Partitions))
		for _, p := range t.Partitions {
			dst = kbin.AppendInt32(dst, p)
		}
	}
	return dst
}

// sortedTopicPartitions returns topics in Java's order, each once, with ascending partitions (G-529). It returns the
// slice that it got if that is so already, and a copy if not.
func sortedTopicPartitions(topics []TopicPartitions) []TopicPartitions {
	sorted := true
	for i, t := range topics {
		sorted = sorted && slices.IsSorted(t.Partitions) && (i == 0 || CompareJava(topics[i-1].Topic, t.Topic) < 0)
	}
	if sorted {
		return topics
	}
	byTopic := slices.Clone(topics)
	slices.SortStableFunc(byTopic, func(a, b TopicPartitions) int { return CompareJava(a.Topic, b.Topic) })
	merged := byTopic[:0]
	for _, t := range byTopic {
		if last := len(merged) - 1; last >= 0 && merged[last].Topic == t.Topic {
			merged[last].Partitions = append(merged[last].Partitions, t.Partitions...)
			continue
		}
		t.Partitions = slices.Clone(t.Partitions)
		merged = append(merged, t)
	}
	for _, t := range merged {
		slices.Sort(t.Partitions)
	}
	return merged
}
