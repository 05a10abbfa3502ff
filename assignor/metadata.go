package assignor

import "encoding/binary"

// metadata is one member's subscription, split into its fields. The lists stay bytes: most members of a group send the
// same topics, and most assignors do not read what is owned, so that to make strings and slices of all that, as
// protocol.DecodeSubscription does, would cost a leader of thousands most of its time and memory.
//
// The slices alias the bytes that were split.
type metadata struct {
	topics     []byte // length and names: equal bytes mean equal subscriptions
	userData   []byte // nil when null
	owned      []byte // length and topic partitions; nil below version 1 (KIP-429)
	claims     int    // how many partitions are in owned
	generation int32  // -1 below version 2 (KIP-792) or when there is none (G-531)
	rack       string // "" below version 3 (KIP-881) or when there is none (G-531)
}

// splitMetadata splits a subscription of any version and reports whether it is one (G-526, G-527, G-530): it accepts
// what protocol.DecodeSubscription does, and version 1 without its one field, as kafka-go sends it. known is the topics section of another member, tried first, because to compare
// is quicker than to walk; it may be nil.
func splitMetadata(src, known []byte) (metadata, bool) {
	r := reader{rest: src}
	version := r.int16()
	if version < 0 {
		return metadata{}, false
	}
	m := metadata{generation: -1}
	if r.startsWith(known) {
		m.topics = r.take(len(known))
	} else {
		m.topics = r.array((*reader).skipString)
	}
	m.userData = r.nullable(int(r.int32()))
	if version > 1 || version == 1 && len(r.rest) > 0 {
		m.owned = r.array((*reader).skipTopicPartitions)
		m.claims = r.partitions
	}
	if version >= 2 {
		m.generation = max(r.int32(), -1)
	}
	if version >= 3 {
		m.rack = string(r.nullable(int(r.int16())))
	}
	return m, !r.failed
}

// reader walks the fields of a subscription. Past the end, or at a length that cannot be, it fails, and from then on it
// reads zeros.
type reader struct {
	rest       []byte
	failed     bool
	partitions int // how many skipTopicPartitions has passed
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest, r.failed = nil, true
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) int16() int16 {
	if b := r.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) int32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

// nullable takes n bytes; nil if n is negative, which means null.
func (r *reader) nullable(n int) []byte {
	if n < 0 {
		return nil
	}
	return r.take(n)
}

func (r *reader) string() []byte { return r.take(int(r.int16())) }

func (r *reader) skipString() { r.string() }

func (r *reader) skipTopicPartitions() {
	r.skipString()
	n := int(r.int32())
	if n < 0 {
		r.failed = true
		return
	}
	r.take(4 * n)
	r.partitions += n
}

// array takes a whole array, its length included. A length that is not true costs no more than the bytes that there are,
// as every element has some.
func (r *reader) array(skipElement func(*reader)) []byte {
	all := r.rest
	n := r.int32()
	r.failed = r.failed || n < 0
	for ; n > 0 && !r.failed; n-- {
		skipElement(r)
	}
	if r.failed {
		return nil
	}
	taken := len(all) - len(r.rest)
	return all[:taken:taken]
}

func (r *reader) startsWith(p []byte) bool {
	return len(p) > 0 && len(r.rest) >= len(p) && string(r.rest[:len(p)]) == string(p)
}
