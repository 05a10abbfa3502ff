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

// splitMetadata splits a subscription of any version and reports whether it is one (G-526, G-527, G-530): it accepts what
// protocol.DecodeSubscription does, and version 1 without its one field, as kafka-go sends it. known is the topics section of
// another member, tried first, because to compare is quicker than to walk; it may be nil.
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
		m.topics = r.strings()
	}
	m.userData = r.nullable(int(r.int32()))
	if version > 1 || version == 1 && len(r.rest) > 0 {
		m.owned, m.claims = r.topicPartitions()
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
	rest   []byte
	failed bool
}

func (r *reader) fail() { r.rest, r.failed = nil, true }

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.fail()
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

// strings takes a whole array of strings, its length included. A length that is not true costs no more than the bytes that
// there are, as every element has some.
func (r *reader) strings() []byte {
	all := r.rest
	n := r.int32()
	if n < 0 {
		r.fail()
	}
	for ; n > 0 && !r.failed; n-- {
		r.string()
	}
	return r.passed(all)
}

// topicPartitions takes a whole array of topics with partitions, its length included, and counts the partitions. As with
// strings, lengths that are not true cost nothing.
//
// There may be a million topics in all, so the loop goes by hand. Most are of the shape of the one before: names of one length,
// as many partitions. To compare that is what a processor can guess, and then it need not wait for one to find the next.
func (r *reader) topicPartitions() (list []byte, partitions int) {
	all := r.rest
	n := r.int32()
	rest := r.rest
	shape, size := uint64(0), 0
	for ; n > 0 && len(rest) >= 2; n-- {
		head := 2 + int(int16(binary.BigEndian.Uint16(rest))) + 4
		if head < 6 || head > len(rest) {
			break
		}
		count := int(int32(binary.BigEndian.Uint32(rest[head-4:])))
		if count < 0 || count > (len(rest)-head)/4 {
			break
		}
		if is := uint64(head)<<32 | uint64(count); is != shape {
			shape, size = is, head+4*count
		}
		rest = rest[size:]
		partitions += count
	}
	if r.rest = rest; n != 0 {
		r.fail()
	}
	return r.passed(all), partitions
}

// passed is what has been read of what was there; nil if that failed.
func (r *reader) passed(all []byte) []byte {
	if r.failed {
		return nil
	}
	taken := len(all) - len(r.rest)
	return all[:taken:taken]
}

func (r *reader) startsWith(p []byte) bool {
	return len(p) > 0 && len(r.rest) >= len(p) && string(r.rest[:len(p)]) == string(p)
}
