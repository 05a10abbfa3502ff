package group

import (
	"slices"
	"testing"
)

// reading is testConfig with subscriptions that are the names of topics, and a retention of 100 s.
var reading = func() Config {
	config := testConfig
	config.SubscribedTopics, config.OffsetsRetention = oneTopic, 100_000
	return config
}()

func deleting(topics ...string) Event {
	ev := Event{Kind: DeleteOffsets}
	for _, topic := range topics {
		ev.Partitions = append(ev.Partitions, TopicPartition{topic, 0})
	}
	return ev
}

// emptied is an Empty group of former consumers with 7 committed for t1-0 and t2-0.
func emptied(t testing.TB, config Config) *driver {
	d := stable(t, config, newcomer("a"))
	for _, topic := range []string{"t1", "t2"} {
		d.want(d.ask(committing("a-1", 1, of(topic, 0, 7))), None)
	}
	d.want(d.ask(leaving("a-1")), None)
	d.state(Empty, 2)
	return d
}

func TestOffsetsThatMembersMayStillNeedAreNotDeleted(t *testing.T) { // G-201 to G-204
	unreadable := listing("", "range")
	tests := map[string]struct {
		stand func(t testing.TB) *driver
		want  []Error // of t1 and t2; nil: top-level
	}{
		"members subscribe to t1": {func(t testing.TB) *driver { return stable(t, reading, newcomer("a")) }, []Error{GroupSubscribedToTopic, None}},
		"another member subscribes to t2": {func(t testing.TB) *driver {
			return stable(t, reading, newcomer("a"), newcomer("b", listing("t2", "range")))
		}, []Error{GroupSubscribedToTopic, GroupSubscribedToTopic}},
		"members subscribe to who knows what":     {func(t testing.TB) *driver { return stable(t, reading, newcomer("a", unreadable)) }, []Error{GroupSubscribedToTopic, GroupSubscribedToTopic}},
		"before the first generation":             {func(t testing.TB) *driver { d := drive(t, reading); d.park(newcomer("a")); return d }, []Error{GroupSubscribedToTopic, GroupSubscribedToTopic}},
		"loaded":                                  {func(t testing.TB) *driver { d := stable(t, reading, newcomer("a")); d.reload(reading); return d }, []Error{GroupSubscribedToTopic, None}},
		"everybody has left":                      {func(t testing.TB) *driver { return emptied(t, reading) }, []Error{None, None}},
		"everybody has left, and nobody can read": {func(t testing.TB) *driver { return emptied(t, testConfig) }, []Error{None, None}},
		"everybody has left, and it was loaded":   {func(t testing.TB) *driver { d := emptied(t, reading); d.reload(reading); return d }, []Error{None, None}},
		"a simple group":                          {func(t testing.TB) *driver { d := drive(t, reading); d.ask(committing("", -1)); return d }, []Error{None, None}},
		"members of another type":                 {func(t testing.TB) *driver { return stable(t, reading, newcomer("a", ofType("connect"))) }, nil},
		"no group":                                {func(t testing.TB) *driver { return drive(t, reading) }, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := test.stand(t)
			r := d.ask(deleting("t1", "t2"))
			if test.want == nil {
				want := NonEmptyGroup
				if d.g.state == Dead {
					want = GroupIDNotFound // G-200
				}
				d.want(r, want)
				return
			}
			d.want(r, None)
			d.must(slices.Equal(r.Errors, test.want), "got %v", r.Errors)
			_, left := d.g.Offset("t1", 0)
			d.must(!left || test.want[0] != None, "it is still there")
		})
	}
}

func TestOnlyWhatIsThereNeedsATombstone(t *testing.T) { // G-205
	d := emptied(t, reading)
	d.want(d.ask(committing("", -1, of("t3", 0, 7), inTransaction(1))), None)
	d.hold = true
	d.want(d.ask(deleting("t9")), None)
	request := d.park(deleting("t1", "t3", "t9"))
	d.must(len(d.records) == 2, "records %+v", d.records)
	_, there := d.g.Offset("t1", 0)
	d.must(there, "it is gone before it is stored")
	d.accept()
	d.want(d.answer(request), None)
	d.must(!d.g.HasOffsets("t1") && !d.g.HasOffsets("t3") && d.g.HasOffsets("t2"), "the wrong ones are left") // G-294
	d.reload(reading)
	d.must(!d.g.HasOffsets("t1") && !d.g.HasOffsets("t3") && d.g.HasOffsets("t2"), "the wrong ones are left")
}

func TestOnlyAnEmptyGroupIsDeleted(t *testing.T) { // G-189 to G-192
	for state, want := range map[State]Error{
		Dead: GroupIDNotFound, Empty: None, PreparingRebalance: NonEmptyGroup, CompletingRebalance: NonEmptyGroup, Stable: NonEmptyGroup,
	} {
		d := stand(t, state)
		d.want(d.ask(Event{Kind: DeleteGroup}), want)
		d.must((d.g.state == Dead) == (want == None || state == Dead), "%s became %s", state, d.g.state)
	}
}

func TestDeletedGroupLeavesNothing(t *testing.T) { // G-191, G-196
	d := emptied(t, reading)
	d.want(d.ask(committing("", -1, of("t3", 0, 7), inTransaction(1))), None)
	d.want(d.ask(joining("p", "")), MemberIDRequired)
	d.want(d.ask(Event{Kind: DeleteGroup}), None)
	d.state(Dead, 0)
	d.must(len(d.log) == 0 && d.g.NextDeadline() == Never, "left: %+v", d.log)
	last := d.transitions[len(d.transitions)-1]
	d.must(last.From == Empty && last.To == Dead && last.Reason.Cause == Deleted, "told of %+v", last)
	d.want(d.ask(joining("p", "p-1")), UnknownMemberID)
}

func TestRefusedDeletionLeavesTheGroup(t *testing.T) {
	d := emptied(t, reading)
	before := dump(d.g, d.now)
	d.hold = true
	request := d.park(Event{Kind: DeleteGroup})
	d.refuse(CoordinatorNotAvailable)
	d.want(d.answer(request), CoordinatorNotAvailable)
	d.must(dump(d.g, d.now) == before, "the group was\n%s", before)
}

func TestDeletedTopicTakesItsOffsetsAlong(t *testing.T) { // G-321: whoever subscribes to it
	d := stable(t, reading, newcomer("a"))
	for topic, producer := range map[string]int64{"t1": 0, "t2": 0, "t3": 1} {
		ev := committing("a-1", 1, of(topic, 0, 7))
		ev.Transactional, ev.ProducerID = producer > 0, producer
		d.want(d.ask(ev), None)
	}
	for _, topic := range []string{"t1", "t3", "t9"} {
		d.want(d.ask(Event{Kind: TopicDeleted, Topic: topic}), None)
		d.must(!d.g.HasOffsets(topic), "%s is still there", topic)
	}
	d.must(d.g.HasOffsets("t2"), "t2 is gone")
	d.state(Stable, 1)
}
