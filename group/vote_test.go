package group

import "testing"

func TestVote(t *testing.T) {
	tests := []struct {
		name    string
		members [][]string // their protocols, in order of preference
		want    string
	}{
		{"each votes for its first that all support, most votes win (G-090, G-091)",
			[][]string{{"x", "range", "roundrobin"}, {"roundrobin", "range"}, {"y", "range", "roundrobin"}}, "range"},
		{"a protocol that one lacks is no candidate, however many want it",
			[][]string{{"sticky", "range"}, {"sticky", "range"}, {"range"}}, "range"},
		{"tie: sticky before range (G-092, as Kafka)", [][]string{{"range", "sticky"}, {"sticky", "range"}}, "sticky"},
		{"tie: range before roundrobin", [][]string{{"roundrobin", "range"}, {"range", "roundrobin"}}, "range"},
		{"tie: roundrobin before cooperative-sticky",
			[][]string{{"cooperative-sticky", "roundrobin"}, {"roundrobin", "cooperative-sticky"}}, "roundrobin"},
		{"tie: a before b", [][]string{{"b", "a"}, {"a", "b"}}, "a"},
		{"tie in one bucket: the first vote cast", [][]string{{"q", "a"}, {"a", "q"}}, "q"},
		{"more votes beat a lower bucket",
			[][]string{{"roundrobin", "sticky"}, {"sticky", "roundrobin"}, {"roundrobin", "sticky"}}, "roundrobin"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := drive(t, testConfig)
			var first Token
			for i, names := range test.members {
				token := d.park(newcomer(string(rune('a'+i)), listing("", names...)))
				if i == 0 {
					first = token
				}
			}
			d.advance(60_000)
			r := d.answer(first)
			d.must(r.ProtocolName == test.want, "chose %s", r.ProtocolName)
		})
	}
}

// The buckets of the built-in assignors are those of Java's HashMap with up to twelve entries.
func TestBucketIsThatOfAJavaHashMap(t *testing.T) {
	for name, want := range map[string]uint32{
		"sticky": 8, "range": 9, "roundrobin": 10, "cooperative-sticky": 15,
		"": 0, "polygenelubricants": 0x8000 & 15, // a hash of the least integer: only the spread bits are left
		"é": 0xe9 & 15, "😀": (0xd83d*31+0xde00)>>16&15 ^ (0xd83d*31+0xde00)&15,
	} {
		if got := bucket(name, bucketCount(2)); got != want {
			t.Errorf("bucket of %q is %d, want %d", name, got, want)
		}
	}
	for n, want := range map[int]uint32{0: 16, 12: 16, 13: 32, 24: 32, 25: 64} {
		if got := bucketCount(n); got != want {
			t.Errorf("%d entries have %d buckets, want %d", n, got, want)
		}
	}
}
