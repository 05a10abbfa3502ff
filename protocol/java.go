package protocol

import (
	"cmp"
	"unicode/utf16"
)

// Kafka's rules on strings are Java's: hashes, lengths and orders are over UTF-16 code units. The functions here
// compute them on Go's UTF-8. Bytes that are not UTF-8 count as U+FFFD, one for each byte.

// JavaHash returns Java's String.hashCode of s: h = 31*h + unit over its UTF-16 code units, wrapping at 32 bits.
func JavaHash(s string) int32 {
	var h int32
	for _, r := range s {
		if r < 0x10000 {
			h = 31*h + r
			continue
		}
		high, low := utf16.EncodeRune(r)
		h = 31*(31*h+high) + low
	}
	return h
}

// JavaLen returns Java's String.length of s: its number of UTF-16 code units. Limits such as
// offset.metadata.max.bytes are compared with it, whatever their names say (G-249).
func JavaLen(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// CompareJava compares two strings in Java's order, that of their UTF-16 code units (G-533), and returns -1, 0 or +1.
// It differs from Go's order only in that characters outside the basic plane, which are pairs of surrogates
// (U+D800 to U+DFFF) in UTF-16, come before U+E000 to U+FFFF.
func CompareJava(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(javaRank(a[i]), javaRank(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// javaRank orders the first differing bytes of two UTF-8 strings: 0xEE and 0xEF, which begin U+E000 to U+FFFF, come
// after 0xF0 to 0xF4, which begin what is outside the basic plane. No other byte of UTF-8 is above 0xED.
func javaRank(b byte) int {
	if b == 0xEE || b == 0xEF {
		return int(b) + 0x100
	}
	return int(b)
}

// PartitionFor returns the partition of __consumer_offsets, out of n, that the group belongs to: the absolute value of
// the Java hash of its id, modulo n (G-232). n is at least 1.
func PartitionFor(groupID string, n int32) int32 {
	h := JavaHash(groupID)
	if h == -1<<31 { // has no positive counterpart; Kafka takes 0
		return 0
	}
	return max(h, -h) % n
}
