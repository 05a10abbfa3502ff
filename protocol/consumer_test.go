package protocol

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"
)

// goldenLines returns the fields of each line of a file in testdata that starts with the word.
func goldenLines(t testing.TB, file, word string) [][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var found [][]string
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if fields[0] == word {
			found = append(found, fields[1:])
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no line that starts with %s", file, word)
	}
	return found
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// goldenSubscriptions and goldenAssignments are the values that testdata/java/ConsumerGolden.java writes.
var (
	goldenSubscriptions = map[string]Subscription{
		"new": {Topics: []string{"orders"}, Generation: -1},
		"full": {
			Topics:     []string{"orders", "a-topic"},
			UserData:   []byte{1, 2, 3},
			Owned:      []TopicPartitions{{"orders", []int32{7}}, {"a-topic", []int32{1}}, {"orders", []int32{2}}, {"a-topic", []int32{0}}},
			Generation: 5,
			Rack:       "rack-1",
		},
		"zero":  {UserData: []byte{}, Owned: []TopicPartitions{{"t", []int32{0}}}},
		"utf16": {Topics: []string{"\uffe6", "\U0001F600", "z"}, Owned: []TopicPartitions{{"\uffe6", []int32{0}}, {"\U0001F600", []int32{0}}}, Generation: -1},
	}
	goldenAssignments = map[string]Assignment{
		"nothing": {},
		"full":    {Partitions: []TopicPartitions{{"orders", []int32{7, 2}}, {"a-topic", []int32{1, 0}}}, UserData: []byte{9, 8}},
	}
)

func TestSubscriptionsAreWrittenAsJavaWritesThem(t *testing.T) { // G-526, G-527, G-529
	for _, fields := range goldenLines(t, "consumer.txt", "subscription") {
		s := goldenSubscriptions[fields[0]]
		fmt.Sscan(fields[1], &s.Version)
		before := fmt.Sprint(s)
		if got := hex.EncodeToString(s.AppendTo(nil)); got != fields[2] {
			t.Errorf("%s v%d\ngot  %s\nwant %s", fields[0], s.Version, got, fields[2])
		}
		if after := fmt.Sprint(s); after != before {
			t.Errorf("writing %s changed it to %s", before, after)
		}
	}
}

func TestAssignmentsAreWrittenAsJavaWritesThem(t *testing.T) { // G-526, G-528, G-529
	for _, fields := range goldenLines(t, "consumer.txt", "assignment") {
		a := goldenAssignments[fields[0]]
		fmt.Sscan(fields[1], &a.Version)
		if got := hex.EncodeToString(a.AppendTo(nil)); got != fields[2] {
			t.Errorf("%s v%d\ngot  %s\nwant %s", fields[0], a.Version, got, fields[2])
		}
	}
}

func TestSubscriptionsAreReadWhereJavaReadsThem(t *testing.T) {
	for _, fields := range goldenLines(t, "consumer.txt", "read-subscription") {
		_, err := DecodeSubscription(unhex(t, fields[0]))
		if (err == nil) != (fields[1] == "ok") {
			t.Errorf("%q: %v, Java says %s", fields[0], err, fields[1])
		}
	}
}

func TestAssignmentsAreReadWhereJavaReadsThem(t *testing.T) {
	for _, fields := range goldenLines(t, "consumer.txt", "read-assignment") {
		_, err := DecodeAssignment(unhex(t, fields[0]))
		if (err == nil) != (fields[1] == "ok") {
			t.Errorf("%q: %v, Java says %s", fields[0], err, fields[1])
		}
	}
}

func TestNewerSubscriptionIsReadAsOurs(t *testing.T) { // G-530
	want := NewSubscription("orders")
	want.Owned = []TopicPartitions{{"orders", []int32{1, 2}}}
	want.Generation, want.Rack = 7, "r"
	b := want.AppendTo(nil)
	want.Version, b[1] = 9, 9
	got, err := DecodeSubscription(append(b, "of the future"...))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v, %v\nwant %v", got, err, want)
	}
}

func TestNegativeGenerationAndEmptyRackAreNone(t *testing.T) { // G-531
	s := NewSubscription()
	s.Generation = -7
	b := s.AppendTo(nil)
	copy(b[len(b)-6:], []byte{0xff, 0xff, 0xff, 0xf0, 0, 0}) // generation -16, rack ""
	got, err := DecodeSubscription(b)
	if err != nil || got.Generation != -1 || got.Rack != "" {
		t.Errorf("generation %d, rack %q, %v", got.Generation, got.Rack, err)
	}
	if s.AppendTo(nil); !bytes.Equal(s.AppendTo(nil)[14:18], []byte{0xff, 0xff, 0xff, 0xff}) {
		t.Error("a negative generation is not written as -1")
	}
}

// TestEveryVersionIsAPrefixOfTheNext is what the broker relies on (G-532).
func TestEveryVersionIsAPrefixOfTheNext(t *testing.T) {
	for name, s := range goldenSubscriptions {
		var shorter []byte
		for s.Version = 0; s.Version <= ConsumerVersion; s.Version++ {
			longer := s.AppendTo(nil)[2:]
			if !bytes.HasPrefix(longer, shorter) {
				t.Errorf("%s: version %d does not start with the one before", name, s.Version)
			}
			shorter = longer
		}
	}
}

func TestSubscribedTopicsReadsAnyVersion(t *testing.T) { // G-094
	s := goldenSubscriptions["full"]
	for _, version := range []int16{-1, 0, 1, 2, 3, 100} {
		s.Version = version
		b := s.AppendTo(nil)
		b[0], b[1] = byte(version>>8), byte(version)
		topics, err := SubscribedTopics(b)
		if err != nil || !slices.Equal(topics, []string{"a-topic", "orders"}) {
			t.Errorf("version %d: %q, %v", version, topics, err)
		}
	}
	for _, bad := range []string{"", "00", "0003", "0003ffffffffffffffff", "000300000001", "000000000000", "000000000001000161ffff"} {
		if topics, err := SubscribedTopics(unhex(t, bad)); err == nil {
			t.Errorf("%q is read as %q", bad, topics)
		}
	}
}

func TestDecodeErrorsNameTheField(t *testing.T) {
	s := goldenSubscriptions["full"]
	s.Version = 3
	b := s.AppendTo(nil)
	for _, c := range []struct {
		length int
		field  string
	}{{1, "version"}, {10, "topics"}, {28, "user data"}, {40, "owned partitions"}, {len(b) - 10, "generation"}, {len(b) - 1, "rack"}} {
		_, err := DecodeSubscription(b[:c.length])
		if err == nil || !strings.HasPrefix(err.Error(), "consumer subscription: "+c.field+": ") {
			t.Errorf("cut to %d bytes: %v, want an error in %s", c.length, err, c.field)
		}
	}
}

// topicPartitions draws what a peer may own: topics and partitions in any order, and more than once.
var topicPartitions = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) TopicPartitions {
	return TopicPartitions{
		Topic:      rapid.SampledFrom([]string{"a", "b", "c", "\uffe6", "\U0001F600"}).Draw(t, "topic"),
		Partitions: rapid.SliceOfN(rapid.Int32Range(-1, 5), 0, 4).Draw(t, "partitions"),
	}
}), 0, 6)

// TestSubscriptionsPassThroughKmsgAndBack: what we write kmsg reads, and what kmsg writes we read.
func TestSubscriptionsPassThroughKmsgAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours := Subscription{
			Version:    rapid.Int16Range(0, ConsumerVersion).Draw(t, "version"),
			Topics:     rapid.SliceOf(rapid.StringN(0, 5, -1)).Draw(t, "topics"),
			UserData:   rapid.SliceOf(rapid.Byte()).Draw(t, "user data"),
			Owned:      topicPartitions.Draw(t, "owned"),
			Generation: rapid.Int32Range(-1, 9).Draw(t, "generation"),
			Rack:       rapid.StringN(0, 5, -1).Draw(t, "rack"),
		}
		written := ours.AppendTo(nil)
		theirs := kmsg.NewConsumerMemberMetadata()
		if err := theirs.ReadFrom(written); err != nil {
			t.Fatal(err)
		}
		if rewritten := theirs.AppendTo(nil); !bytes.Equal(rewritten, written) {
			t.Fatalf("kmsg makes of %x: %x", written, rewritten)
		}
		read, err := DecodeSubscription(written)
		if err != nil {
			t.Fatal(err)
		}
		if rewritten := read.AppendTo(nil); !bytes.Equal(rewritten, written) {
			t.Fatalf("we make of %x: %x", written, rewritten)
		}
		if len(read.Topics) != len(theirs.Topics) || len(read.Owned) != len(theirs.OwnedPartitions) ||
			read.Generation != theirs.Generation && ours.Version >= 2 || len(read.UserData) != len(theirs.UserData) {
			t.Fatalf("we read %v, kmsg %v", read, theirs)
		}
		for i, owned := range read.Owned {
			if owned.Topic != theirs.OwnedPartitions[i].Topic || !slices.Equal(owned.Partitions, theirs.OwnedPartitions[i].Partitions) {
				t.Fatalf("we read %v, kmsg %v", owned, theirs.OwnedPartitions[i])
			}
		}
	})
}

func TestAssignmentsPassThroughKmsgAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours := Assignment{
			Version:    rapid.Int16Range(0, ConsumerVersion).Draw(t, "version"),
			Partitions: topicPartitions.Draw(t, "partitions"),
			UserData:   rapid.SliceOf(rapid.Byte()).Draw(t, "user data"),
		}
		written := ours.AppendTo(nil)
		theirs := kmsg.NewConsumerMemberAssignment()
		if err := theirs.ReadFrom(written); err != nil {
			t.Fatal(err)
		}
		if rewritten := theirs.AppendTo(nil); !bytes.Equal(rewritten, written) {
			t.Fatalf("kmsg makes of %x: %x", written, rewritten)
		}
		read, err := DecodeAssignment(written)
		if err != nil {
			t.Fatal(err)
		}
		if rewritten := read.AppendTo(nil); !bytes.Equal(rewritten, written) {
			t.Fatalf("we make of %x: %x", written, rewritten)
		}
	})
}

// TestDecodedSubscriptionsDoNotShareWhatCanChange: names outlive the bytes that they were read from, and appending to
// one topic's partitions does not touch those of the next.
func TestDecodedSubscriptionsDoNotShareWhatCanChange(t *testing.T) {
	s := NewSubscription("a", "b")
	s.Owned = []TopicPartitions{{"a", []int32{1}}, {"b", []int32{2}}}
	b := s.AppendTo(nil)
	got, err := DecodeSubscription(b)
	if err != nil {
		t.Fatal(err)
	}
	clear(b)
	got.Owned[0].Partitions = append(got.Owned[0].Partitions, 99)
	if got.Topics[1] != "b" || got.Owned[1].Topic != "b" || got.Owned[1].Partitions[0] != 2 {
		t.Errorf("%v has changed behind our back", got)
	}
}

// TestDecodingAllocatesInProportion: a few bytes that promise much cost nothing, and whatever is read is read in a
// fixed number of allocations.
func TestDecodingAllocatesInProportion(t *testing.T) {
	lie := unhex(t, "0001"+"7fffffff"+"ffffffff")
	if got := allocatedBytes(func() { _, _ = SubscribedTopics(lie) }); got > 4<<10 {
		t.Errorf("refusing a false length allocates %d bytes", got)
	}
	allocations := func(metadata []byte) float64 {
		return testing.AllocsPerRun(10, func() { _, _ = DecodeSubscription(metadata) })
	}
	small, large := allocations(largeSubscription(1, 1)), allocations(largeSubscription(100, 100))
	if large > small {
		t.Errorf("reading one partition takes %v allocations, reading 10,000 takes %v", small, large)
	}
}

// allocatedBytes returns how much fn allocates. The runtime counts for the whole process, where something else may
// allocate beside fn, but not in each of several tries: the least is fn's own.
func allocatedBytes(fn func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fn()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

func largeSubscription(topics, partitions int) []byte {
	s := NewSubscription()
	for topic := range topics {
		owned := TopicPartitions{Topic: fmt.Sprintf("topic-%04d", topic)}
		for p := range partitions {
			owned.Partitions = append(owned.Partitions, int32(p))
		}
		s.Topics = append(s.Topics, owned.Topic)
		s.Owned = append(s.Owned, owned)
	}
	return s.AppendTo(nil)
}

func BenchmarkDecodeSubscription(b *testing.B) {
	for _, size := range []struct{ topics, partitions int }{{1, 10}, {100, 10}, {1000, 1000}} {
		b.Run(fmt.Sprintf("%dx%d", size.topics, size.partitions), func(b *testing.B) {
			metadata := largeSubscription(size.topics, size.partitions)
			b.ReportAllocs()
			b.SetBytes(int64(len(metadata)))
			for b.Loop() {
				if _, err := DecodeSubscription(metadata); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecodeSubscriptionKmsg is the same work done by kmsg.
func BenchmarkDecodeSubscriptionKmsg(b *testing.B) {
	metadata := largeSubscription(1000, 1000)
	b.ReportAllocs()
	b.SetBytes(int64(len(metadata)))
	for b.Loop() {
		var m kmsg.ConsumerMemberMetadata
		if err := m.ReadFrom(metadata); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendSubscription(b *testing.B) {
	s, err := DecodeSubscription(largeSubscription(1000, 1000))
	if err != nil {
		b.Fatal(err)
	}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = s.AppendTo(dst[:0])
	}
}

func ExampleSubscription() {
	mine := NewSubscription("orders", "bills")
	mine.Owned = []TopicPartitions{{Topic: "orders", Partitions: []int32{0, 1}}}
	mine.Generation = 4
	metadata := mine.AppendTo(nil)

	read, err := DecodeSubscription(metadata)
	fmt.Println(read.Topics, read.Owned, read.Generation, err)
	// Output: [bills orders] [{orders [0 1]}] 4 <nil>
}
