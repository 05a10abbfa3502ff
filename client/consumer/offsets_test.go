package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/protocol"
)

// lagOf adds up the lags of what a consumer is assigned.
func lagOf(a consumer.Assignment, lags ...int64) (sum int64) {
	for _, p := range a.Partitions {
		sum += lags[p.Partition]
	}
	return sum
}

// TestMembersShareLagOut: 10, 0, 5 and 20 records, of logs of which the group has read some.
func TestMembersShareLagOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := overKgo(t)
		g.create("t", 4)
		for partition, records := range []int{10, 0, 30, 20} {
			g.produce("t", int32(partition), records)
		}
		cfg := consumer.Config{Topics: []string{"t"}, Assignors: []assignor.Assignor{assignor.LagAware{}}}
		first, second := g.hire(cfg), g.hire(cfg)
		first.join()
		if err := first.Commit(t.Context(), map[consumer.TopicPartition]consumer.Offset{at("t", 2): {At: 25}}); err != nil {
			t.Fatal(err)
		}
		second.join()
		settle()
		g.wantShared(map[string]int32{"t": 4}, first, second)
		shares := []int64{lagOf(first.Assignment(), 10, 0, 5, 20), lagOf(second.Assignment(), 10, 0, 5, 20)}
		if slices.Sort(shares); !slices.Equal(shares, []int64{15, 20}) {
			t.Errorf("the members have %v and %v", first.Assignment().Partitions, second.Assignment().Partitions)
		}
	})
}

// notes collects what leaders note.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) add(list []assignor.Note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, note := range list {
		n.all = append(n.all, note.String())
	}
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.all, "\n")
}

// orElse falls back to range.
func orElse(a assignor.Assignor) []assignor.Assignor {
	return []assignor.Assignor{assignor.FallBack(a, assignor.Range{})}
}

func TestOffsetsOfACoordinatorWithoutLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("t", 3)
		var noted notes
		lost := g.hire(consumer.Config{Topics: []string{"t"}, Assignors: orElse(assignor.LagAware{}), OnNotes: noted.add})
		if a := lost.join(); len(a.Partitions) != 3 {
			t.Errorf("it has %v", a.Partitions)
		}
		for _, want := range []string{"offsets are not known here", "the coordinator keeps no log: give Config.Offsets", `the plan is made by "range"`} {
			if !strings.Contains(noted.String(), want) {
				t.Errorf("noted is %q, not %q", noted.String(), want)
			}
		}
		if err := lost.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		stuck := g.hire(consumer.Config{Topics: []string{"t"}, Assignors: []assignor.Assignor{assignor.LagAware{}}})
		_, err := stuck.Join(t.Context()).Wait(t.Context())
		wantErr(t, err, assignor.ErrNoOffsets, `"lag-aware"`, "FallBack")

		told := consumer.Config{
			Topics: []string{"t"}, Assignors: []assignor.Assignor{assignor.LagAware{}},
			Offsets: func(_ context.Context, topics []assignor.Topic) ([][]assignor.Offsets, error) {
				if len(topics) != 1 || topics[0].Name != "t" || topics[0].Partitions != 3 {
					return nil, fmt.Errorf("asked for %v", topics)
				}
				return [][]assignor.Offsets{{{End: 5}, {End: 9}, {End: 4}}}, nil
			},
		}
		first, second := g.hire(told), g.hire(told)
		first.join()
		second.join()
		settle()
		g.wantShared(map[string]int32{"t": 3}, first, second)
		if a, b := lagOf(first.Assignment(), 5, 9, 4), lagOf(second.Assignment(), 5, 9, 4); a != 9 || b != 9 {
			t.Errorf("the members have lags of %d and %d", a, b)
		}
	})
}

// TestOffsetsThatTheClusterDoesNotTell: a partition without a leader has no lag; all else is an error, in time for another plan.
func TestOffsetsThatTheClusterDoesNotTell(t *testing.T) {
	down, moved := errors.New("down"), false
	for name, test := range map[string]struct {
		answer func(topic, partition int, at int64) (int64, protocol.ErrorCode)
		err    error
		takes  time.Duration
		note   string // "" if there is a plan
	}{
		"everything is told": {answer: func(_, partition int, at int64) (int64, protocol.ErrorCode) { return 10 + int64(partition)*(2+at), 0 }},
		"there is no leader": {answer: func(_, partition int, _ int64) (int64, protocol.ErrorCode) {
			if partition == 1 {
				return 0, protocol.ErrorCode(kerr.LeaderNotAvailable.Code)
			}
			return 10, 0
		}},
		"the leader has moved": {answer: func(int, int, int64) (int64, protocol.ErrorCode) {
			if !moved {
				moved = true
				return 0, protocol.NotLeaderOrFollower
			}
			return 10, 0
		}},
		"it may not be told": {answer: func(int, int, int64) (int64, protocol.ErrorCode) { return 0, protocol.TopicAuthorizationFailed },
			note: "where the logs begin and end: t-0: TOPIC_AUTHORIZATION_FAILED"},
		"it makes no sense": {answer: func(int, int, int64) (int64, protocol.ErrorCode) { return 0, protocol.InvalidRequest },
			note: "t-0: INVALID_REQUEST"},
		"nobody answers": {err: down, takes: 30 * time.Second, note: "no answer within 30s; last failure: where the logs begin and end: down"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := inProcess(t)
				g.create("t", 2)
				var noted notes
				c := g.hire(consumer.Config{Topics: []string{"t"}, Assignors: orElse(assignor.LagAware{}), OnNotes: noted.add})
				forge := func(req kmsg.Request) (kmsg.Response, error) {
					list, ok := req.(*kmsg.ListOffsetsRequest)
					if !ok || test.err != nil && ok {
						return nil, map[bool]error{true: test.err}[ok]
					}
					resp := kmsg.NewPtrListOffsetsResponse()
					for t, topic := range list.Topics {
						answered := kmsg.NewListOffsetsResponseTopic()
						answered.Topic = topic.Topic
						for _, p := range topic.Partitions {
							answer := kmsg.NewListOffsetsResponseTopicPartition()
							offset, code := test.answer(t, int(p.Partition), p.Timestamp)
							answer.Partition, answer.Offset, answer.ErrorCode = p.Partition, offset, int16(code)
							answered.Partitions = append(answered.Partitions, answer)
						}
						resp.Topics = append(resp.Topics, answered)
					}
					return resp, nil
				}
				c.line.forge.Store(&forge)
				began := time.Now()
				if a := c.join(); len(a.Partitions) != 2 {
					t.Errorf("it has %v", a.Partitions)
				}
				if took := time.Since(began); took < test.takes || took > test.takes+10*time.Second {
					t.Errorf("it took %v", took)
				}
				if got := noted.String(); (got == "") != (test.note == "") || !strings.Contains(got, test.note) {
					t.Errorf("noted is %q, want %q", got, test.note)
				}
			})
		})
	}
}
