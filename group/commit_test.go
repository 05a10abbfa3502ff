package group

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestCommitIsSeenWhenItIsStored(t *testing.T) { // G-251, G-256, G-275
	d := alone(t)
	d.hold = true
	ev := committing("a-1", 1)
	ev.Offsets = []OffsetCommit{
		{Topic: "t1", Partition: 3, Offset: 7, LeaderEpoch: 5, Metadata: "m", Retention: -1},
		{Topic: "t1", Partition: 4, Offset: -9, LeaderEpoch: -1, Retention: 1000}, // G-254: the offset is not checked
		{Topic: "t1", Partition: 3, Offset: 6, LeaderEpoch: -1, Retention: -1},    // G-259, G-255: the later counts
	}
	commit := d.park(ev)
	_, seen := d.g.Offset("t1", 3)
	d.must(!seen && len(d.records) == 3, "seen %v, %d records", seen, len(d.records))
	d.accept()
	r := d.answer(commit)
	d.want(r, None)
	d.must(r.Errors == nil, "got %+v", r)
	o, _ := d.g.Offset("t1", 3)
	d.must(o == Offset{Offset: 6, LeaderEpoch: -1, CommitTimestamp: d.now, ExpireTimestamp: -1}, "stored %+v", o)
	o, _ = d.g.Offset("t1", 4)
	d.must(o == Offset{Offset: -9, LeaderEpoch: -1, CommitTimestamp: d.now, ExpireTimestamp: d.now + 1000}, "stored %+v", o) // G-252
}

func TestRetentionOfACommit(t *testing.T) { // G-252
	for _, test := range []struct {
		retention int64
		want      Time // from now
	}{
		{0, 0}, {1, 1}, {-2, -2}, // any value but -1 is taken as it is
	} {
		c := OffsetCommit{Retention: test.retention}
		if got := new(Event).offsetRecord(5000, &c).Offset.ExpireTimestamp; got != 5000+test.want {
			t.Errorf("retention %d expires at %d", test.retention, got)
		}
	}
	for retention, want := range map[int64]Time{-1: -1, math.MaxInt64: Never, math.MaxInt64 - 4999: Never} {
		c := OffsetCommit{Retention: retention}
		if got := new(Event).offsetRecord(5000, &c).Offset.ExpireTimestamp; got != want {
			t.Errorf("retention %d expires at %d, want %d", retention, got, want)
		}
	}
}

func TestMetadataOfACommitIsCountedInUTF16(t *testing.T) { // G-249
	config := testConfig
	config.OffsetMetadataMax = 4
	tests := map[string]struct {
		metadata string
		fits     bool
	}{
		"none":                         {"", true},
		"four letters":                 {"abcd", true},
		"five letters":                 {"abcde", false},
		"four letters in twelve bytes": {"€€€€", true},
		"two surrogate pairs":          {"😀😀", true},
		"two pairs and a letter":       {"😀😀a", false},
		"four bytes of no encoding":    {"\xff\xff\xff\xff", true},
		"five bytes of no encoding":    {"\xff\xff\xff\xff\xff", false},
		"very long":                    {strings.Repeat("x", 5000), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := drive(t, config)
			ev := committing("", -1)
			ev.Offsets[0].Metadata = test.metadata
			ev.Offsets = append(ev.Offsets, OffsetCommit{Topic: "t2", Retention: -1})
			r := d.ask(ev)
			d.want(r, None)
			_, stored := d.g.Offset("t1", 0)
			_, other := d.g.Offset("t2", 0)
			d.must(stored == test.fits && other, "stored %v, the other %v", stored, other) // that partition only
			if !test.fits {
				d.must(slices.Equal(r.Errors, []Error{OffsetMetadataTooLarge, None}), "got %v", r.Errors)
			}
		})
	}
}

func TestCommitOfNothingButTooLargeMetadataNeedsNoStore(t *testing.T) {
	d := alone(t)
	d.hold = true
	ev := committing("a-1", 1)
	ev.Offsets[0].Metadata = strings.Repeat("x", 4097)
	r := d.ask(ev)
	d.must(slices.Equal(r.Errors, []Error{OffsetMetadataTooLarge}), "got %+v", r)
}

func TestSimpleCommitCreatesAGroup(t *testing.T) { // G-006, G-241
	d := drive(t, testConfig)
	d.want(d.ask(committing("whoever", -1)), None)
	d.state(Empty, 0)
	d.must(d.g.ProtocolType() == "", "type %q", d.g.ProtocolType())
	d.want(d.ask(committing("", -1)), None)
	d.must(len(d.transitions) == 1 && d.transitions[0] == Transition{From: Dead, To: Empty, Reason: Reason{Cause: GroupCreated}}, "told of %+v", d.transitions)
	d.reload(testConfig)
	d.state(Empty, 0) // G-314, G-341
	d.want(d.ask(committing("", -1)), None)
	d.park(newcomer("a")) // it becomes one of members
	d.want(d.ask(committing("", -1)), UnknownMemberID)
}

func TestCommitsGatherIntoOneBatch(t *testing.T) { // G-256
	d := alone(t)
	d.hold = true
	first := d.park(committing("a-1", 1))
	next := committing("a-1", 1)
	next.Offsets[0].Offset = 8
	d.must(d.g.Gathers(&next), "does not gather")
	beat := beating("a-1", 1)
	d.must(!d.g.Gathers(&beat), "gathers a heartbeat")
	second := d.park(next)
	d.want(d.ask(committing("z-9", 1)), UnknownMemberID) // a refusal does not wait
	d.must(len(d.records) == 2, "%d records", len(d.records))
	d.accept()
	d.want(d.answer(first), None)
	d.want(d.answer(second), None)
	o, _ := d.g.Offset("t1", 0)
	d.must(o.Offset == 8, "stored %+v", o)
	d.must(!d.g.Gathers(&next), "gathers though nothing is under way")
}

func TestOffsetsWalksInOrder(t *testing.T) {
	d := drive(t, testConfig)
	ev := committing("", -1)
	ev.Offsets = []OffsetCommit{{Topic: "b", Partition: 1}, {Topic: "b", Partition: 0}, {Topic: "a", Partition: 2}}
	d.ask(ev)
	var walked []string
	walk := func(topic string, partition int32, _ Offset) bool {
		walked = append(walked, topic+string('0'+partition))
		return len(walked) < 3
	}
	d.g.Offsets(walk)
	d.must(slices.Equal(walked, []string{"a2", "b0", "b1"}), "walked %v", walked)
	walked = []string{"", ""}
	d.g.Offsets(walk)
	d.must(len(walked) == 3, "went on after it was told to stop: %v", walked)
}

func TestOffsetTombstoneTakesAnOffsetAway(t *testing.T) {
	d := drive(t, testConfig)
	d.want(d.ask(committing("", -1)), None)
	for range 2 { // a second one finds nothing
		d.g.Apply(&Record{Kind: OffsetTombstone, Topic: "t1"})
		_, seen := d.g.Offset("t1", 0)
		d.must(!seen, "still there")
	}
	d.state(Empty, 0) // until it is swept: as Kafka 4.4.0
}
