package protocol

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

func TestPartitionForHasKafkasValues(t *testing.T) { // G-232, G-235
	vectors := []struct {
		group     string
		hash      int32
		partition int32
	}{
		{"", 0, 0},
		{"a", 97, 47},
		{"foo", 101574, 24},
		{"test", 3556498, 48},
		{"group", 98629247, 47},
		{"my-group", -1906497762, 12},
		{"consumer-group", -1738392088, 38},
		{"connect-cluster", 1440343063, 13},
		{"grp\u00e9", 3181732, 32},
		{"polygenelubricants", -2147483648, 0},
		{"\U0001F600", 1772899, 49}, // "\uD83D\uDE00".hashCode() in Java 17
	}
	for _, v := range vectors {
		if got := JavaHash(v.group); got != v.hash {
			t.Errorf("the hash of %q is %d, want %d", v.group, got, v.hash)
		}
		if got := PartitionFor(v.group, 50); got != v.partition {
			t.Errorf("%q belongs to partition %d of 50, want %d", v.group, got, v.partition)
		}
	}
}

// TestJavaStringsAreUTF16 holds each function against the same thing done the long way over UTF-16.
func TestJavaStringsAreUTF16(t *testing.T) {
	// Characters on both sides of each border: of UTF-8's lengths, of the surrogates, of the basic plane.
	border := rapid.StringOfN(rapid.SampledFrom([]rune("a\u007f\u0080\u07ff\u0800\ud7ff\ue000\uefff\uf000\uffff\U00010000\U0010ffff")), 0, 8, -1)
	strs := rapid.OneOf(border, rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		a, b := strs.Draw(t, "a"), strs.Draw(t, "b")
		unitsA, unitsB := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
		if got := JavaLen(a); got != len(unitsA) {
			t.Errorf("length %d, want %d", got, len(unitsA))
		}
		var hash int32
		for _, unit := range unitsA {
			hash = 31*hash + int32(unit)
		}
		if got := JavaHash(a); got != hash {
			t.Errorf("hash %d, want %d", got, hash)
		}
		if got, want := CompareJava(a, b), slices.Compare(unitsA, unitsB); got != want {
			t.Errorf("comparison %d, want %d", got, want)
		}
	})
}

func TestCompareJavaIsAnOrderOnAnyBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.SliceOfN(rapid.SampledFrom([]byte{'a', 0xED, 0xEE, 0xEF, 0xF0, 0xF4, 0xFE, 0xFF}), 0, 4)
		a, b := string(bytes.Draw(t, "a")), string(bytes.Draw(t, "b"))
		c := string(bytes.Draw(t, "c"))
		if CompareJava(a, b) != -CompareJava(b, a) || (CompareJava(a, b) == 0) != (a == b) {
			t.Errorf("the order of %q and %q depends on who asks", a, b)
		}
		if CompareJava(a, b) < 0 && CompareJava(b, c) < 0 && CompareJava(a, c) >= 0 {
			t.Errorf("%q < %q < %q, yet not %[1]q < %[3]q", a, b, c)
		}
	})
}

func BenchmarkCompareJava(b *testing.B) {
	left, right := strings.Repeat("topic-", 6)+"a", strings.Repeat("topic-", 6)+"b"
	for b.Loop() {
		CompareJava(left, right)
	}
}

func ExamplePartitionFor() {
	fmt.Println(PartitionFor("my-group", 50))
	// Output: 12
}
