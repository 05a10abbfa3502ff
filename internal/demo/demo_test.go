package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/joinsync/joinsync/internal/timeline"
	"github.com/joinsync/joinsync/protocol"
)

// play runs the demo in virtual time with something on the wire, and returns what it printed.
func play(t *testing.T, cfg timeline.Config, wire func(protocol.Transport) protocol.Transport) (printed string, err error) {
	t.Helper()
	if wire == nil {
		wire = func(t protocol.Transport) protocol.Transport { return t }
	}
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		cfg.Out = &out
		began := time.Now()
		err = run(t.Context(), cfg, wire)
		if took := time.Since(began); err == nil && took > 9*time.Second {
			t.Errorf("the demo took %v", took)
		}
		printed = out.String()
	})
	return printed, err
}

func TestTheDemoTellsTheWholeStory(t *testing.T) {
	printed, err := play(t, timeline.Config{}, nil)
	if err != nil {
		t.Error(err)
	}
	rest := printed
	for _, want := range []string{
		"anna starts", "bert starts", "cleo starts", "1  ", "2  ", "3  ", "4  ", "5  ", "6  ", "7  ",
		"generation 1 · ", " joined · range · led by ", "anna  ███ ███ ··· ··· ··· ···  orders 0-1", "cleo  ··· ··· ··· ··· ███ ███  orders 4-5",
		"bert gives up orders 2-3 after ", "bert leaves the group",
		"generation 2 · bert left · range", "anna  ███ ███ ███ ··· ··· ···  orders 0-2",
		"anna is killed", "anna missed its session timeout, and is removed by the coordinator",
		"generation 3 · anna missed its session timeout · range · led by cleo", "cleo  ███ ███ ███ ███ ███ ███  orders 0-5",
		"dora starts", "generation 4 · dora joined · range · led by cleo", "dora resumes at the committed offsets orders 3@",
		"leaves the group",
		"orders 5      cleo  cleo  cleo  dora       150     150        150",
		"✓ every record was read", "✓ none was lost", "✓ no partition had two owners", "✓ heirs began at the commits",
		"✓ the killed member expired", "✓ everything is committed", "every check holds",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %q, or not in its place, in\n%s", want, printed)
		}
		rest = after
	}
	for line := range strings.Lines(printed) {
		if n := len([]rune(line)); n > 101 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestTheDemoForPrograms(t *testing.T) {
	printed, err := play(t, timeline.Config{JSON: true}, nil)
	if err != nil {
		t.Error(err)
	}
	var checks, consumed int
	var generations []int32
	var last timeline.Event
	for line := range strings.Lines(printed) {
		var e timeline.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		switch e.Kind {
		case timeline.Check:
			if !e.Outcome.OK {
				t.Errorf("failed: %s", line)
			}
			checks++
		case timeline.Generation:
			generations = append(generations, e.Generation)
		case timeline.Consumed:
			consumed += e.Records
		case timeline.Dropped:
			t.Errorf("events were dropped: %s", line)
		}
		last = e
	}
	if checks != len(rules) || !slices.Equal(generations, []int32{1, 2, 3, 4}) || consumed < records {
		t.Errorf("%d checks, generations %v, %d records consumed", checks, generations, consumed)
	}
	if last.Kind != timeline.Closed || last.Failed != 0 {
		t.Errorf("the last event is %+v", last)
	}
}

// tamper is a transport that changes requests before they are sent, or answers before they arrive.
type tamper struct {
	protocol.Transport
	request func(kmsg.Request)
	answer  func(kmsg.Response)
}

func (t tamper) Open(ctx context.Context, id protocol.Identity) (protocol.Session, error) {
	s, err := t.Transport.Open(ctx, id)
	return tampered{s, t}, err
}

type tampered struct {
	protocol.Session
	tamper tamper
}

func (t tampered) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	if t.tamper.request != nil {
		t.tamper.request(req)
	}
	resp, err := t.Session.Request(ctx, req)
	if err == nil && t.tamper.answer != nil {
		t.tamper.answer(resp)
	}
	return resp, err
}

// reassign changes what a leader assigns, member by member in the order of their ids.
func reassign(change func(member int, a *protocol.Assignment)) func(kmsg.Request) {
	return func(req kmsg.Request) {
		sync, ok := req.(*kmsg.SyncGroupRequest)
		if !ok {
			return
		}
		for i := range sync.GroupAssignment {
			a, err := protocol.DecodeAssignment(sync.GroupAssignment[i].MemberAssignment)
			if err != nil {
				panic(err)
			}
			change(i, &a)
			sync.GroupAssignment[i].MemberAssignment = a.AppendTo(nil)
		}
	}
}

// refetch changes the committed offsets that members are told.
func refetch(change func(offset *int64)) func(kmsg.Response) {
	return func(resp kmsg.Response) {
		fetched, ok := resp.(*kmsg.OffsetFetchResponse)
		if !ok {
			return
		}
		for _, g := range fetched.Groups {
			for _, t := range g.Topics {
				for i := range t.Partitions {
					if t.Partitions[i].Offset >= 0 {
						change(&t.Partitions[i].Offset)
					}
				}
			}
		}
	}
}

func TestABrokenCheckFailsTheDemo(t *testing.T) {
	for _, test := range []struct {
		name   string
		tamper tamper
		broken []rule // at least these
	}{
		{
			"a partition belongs to nobody",
			tamper{request: reassign(func(_ int, a *protocol.Assignment) {
				for i := range a.Partitions {
					a.Partitions[i].Partitions = slices.DeleteFunc(a.Partitions[i].Partitions, func(p int32) bool { return p == 2 })
				}
			})},
			[]rule{oneOwner, readOnce, allDone},
		},
		{
			"a partition belongs to two",
			tamper{request: reassign(func(member int, a *protocol.Assignment) {
				if member == 0 {
					a.Partitions = []protocol.TopicPartitions{{Topic: topic, Partitions: []int32{0, 1, 2}}}
				}
			})},
			[]rule{oneOwner},
		},
		{
			"members begin behind the commits",
			tamper{answer: refetch(func(offset *int64) { *offset = 0 })},
			[]rule{resumes},
		},
		{
			"members begin beyond the commits",
			tamper{answer: refetch(func(offset *int64) { *offset = min(*offset+5, records/partitions) })},
			[]rule{resumes, noneLost},
		},
		{
			"commits get lost",
			tamper{request: func(req kmsg.Request) {
				if commit, ok := req.(*kmsg.OffsetCommitRequest); ok {
					for i := range commit.Topics {
						for j := range commit.Topics[i].Partitions {
							commit.Topics[i].Partitions[j].Offset = 0
						}
					}
				}
			}},
			[]rule{resumes, allDone},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			printed, err := play(t, timeline.Config{JSON: true}, func(t protocol.Transport) protocol.Transport {
				test.tamper.Transport = t
				return test.tamper
			})
			if !errors.Is(err, ErrFailed) {
				t.Fatalf("got %v, want %v", err, ErrFailed)
			}
			failed := make(map[rule]string)
			for line := range strings.Lines(printed) {
				var e timeline.Event
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatal(err)
				}
				if e.Kind == timeline.Check && !e.Outcome.OK {
					failed[rule(e.Text)] = e.Outcome.Detail
				}
			}
			t.Logf("%v: %v", err, failed)
			for _, r := range test.broken {
				if failed[r] == "" {
					t.Errorf("nobody noticed that %q is not so; broken are %q", r, slices.Sorted(maps.Keys(failed)))
				}
			}
		})
	}
}

func TestTheDemoEndsWhenItIsInterrupted(t *testing.T) {
	for _, after := range []time.Duration{0, time.Millisecond, 300 * time.Millisecond, time.Second, 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			interrupt := errors.New("interrupted")
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, interrupt)
			defer cancel()
			var out bytes.Buffer
			if err := Run(ctx, timeline.Config{Out: &out}); !errors.Is(err, interrupt) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("after %v: got %v, want %v", after, err, interrupt)
			}
		})
	}
}
