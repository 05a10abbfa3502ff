package timeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/internal/timeline"
	"github.com/joinsync/joinsync/protocol"
)

// dealer is a protocol whose leader deals six partitions of orders to the members in turn.
type dealer struct{}

func (dealer) Type() string { return protocol.ConsumerProtocol }

func (dealer) Offers() []client.Offer {
	s := protocol.NewSubscription("orders")
	return []client.Offer{{Name: "deal", Metadata: s.AppendTo(nil)}}
}

func (dealer) PerformAssignment(_ context.Context, e client.Election) (map[string][]byte, error) {
	dealt := make(map[string][]byte)
	for i, m := range e.Members {
		var partitions []int32
		for p := i; p < 6; p += len(e.Members) {
			partitions = append(partitions, int32(p))
		}
		a := protocol.NewAssignment(protocol.TopicPartitions{Topic: "orders", Partitions: partitions})
		dealt[m.ID] = a.AppendTo(nil)
	}
	return dealt, nil
}

func (dealer) Assigned(context.Context, client.Assignment) error { return nil }
func (dealer) Release(context.Context, client.Release) bool      { return false }

// join starts a watched member.
func join(t *testing.T, line *timeline.Timeline, c *coordinator.Coordinator, name string) *client.Member {
	t.Helper()
	watch := line.Watch(name)
	m, err := client.New(watch.Transport(c), dealer{}, client.Config{Group: "shop", ClientID: name, Events: watch.Events()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Join(t.Context()).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

func play(t *testing.T, cfg timeline.Config) string {
	var out bytes.Buffer
	cfg.Out = &out
	synctest.Test(t, func(t *testing.T) {
		c, err := coordinator.New(t.Context(), coordinator.Config{Topics: coordinator.FixedTopics{"orders": 6}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		line := timeline.New(cfg)
		anna := join(t, line, c, "anna")
		bert := join(t, line, c, "bert")
		for _, m := range []*client.Member{anna, bert} {
			if err := m.Close(t.Context()); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		if err := line.Close(); err != nil {
			t.Error(err)
		}
	})
	return out.String()
}

const played = `         how anna joins, in seven steps
  0.00s  1  anna asks to join: JoinGroup
            group shop, no member id yet, session timeout 45s
            protocol deal: subscribes to orders
  0.00s  2  the coordinator gives anna a member id: MEMBER_ID_REQUIRED (KIP-394)
            anna-UUID
            anna asks again, with it
  3.00s  3  the coordinator answers JoinGroup: anna is in
            generation 1, protocol deal, leader anna
            anna subscribes to orders
  3.00s  4  anna, being the leader, assigns
            anna is given orders 0-5
  3.00s  5  anna sends SyncGroup
            generation 1, 1 assignment, 46 bytes
  3.00s  6  the coordinator answers SyncGroup
            46 bytes: orders 0-5
  3.00s  7  anna owns
            orders 0-5, until the next rebalance

  3.00s  generation 1 · anna joined · deal · led by anna
         anna  ███ ███ ███ ███ ███ ███  orders 0-5

  6.00s  anna gives up orders 0-5, and joins again: group is already rebalancing

  6.00s  generation 2 · bert joined · deal · led by anna
         anna  ███ ··· ███ ··· ███ ···  orders 0,2,4
         bert  ··· ███ ··· ███ ··· ███  orders 1,3,5

  6.00s  anna gives up orders 0,2,4
  6.00s  anna leaves the group
  7.00s  bert gives up orders 1,3,5
  7.00s  bert leaves the group
`

var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func TestTimelineShowsTheFirstJoinInFullAndThenEachGeneration(t *testing.T) {
	text := uuid.ReplaceAllString(play(t, timeline.Config{Width: 80}), "UUID")
	if text != played {
		t.Errorf("got\n%s\nwant\n%s", text, played)
	}
}

func TestJSONHasEachStepOfEachMember(t *testing.T) {
	type line struct {
		At int64 `json:"at_ms"`
		timeline.Event
		SessionTimeout int64 `json:"session_timeout_ms"`
		After          int64 `json:"after_ms"`
	}
	kinds := make(map[string][]timeline.Kind) // by member
	var at int64
	var last line
	for text := range strings.Lines(play(t, timeline.Config{JSON: true})) {
		var l line
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if l.At < at {
			t.Errorf("the time goes back from %d ms: %s", at, text)
		}
		at = l.At
		kinds[l.Member] = append(kinds[l.Member], l.Kind)
		if l.Kind == timeline.Generation {
			last = l
		}
	}
	steps := []timeline.Kind{timeline.JoinGroup, timeline.MemberID, timeline.JoinGroup, timeline.Joined, timeline.Planned,
		timeline.SyncGroup, timeline.Synced, timeline.Assigned, timeline.Generation}
	if got := kinds["anna"]; len(got) < len(steps) || !slices.Equal(got[:len(steps)], steps) {
		t.Errorf("anna began with %v, want %v", got, steps)
	}
	if got := kinds["bert"]; !slices.Equal(got, []timeline.Kind{timeline.JoinGroup, timeline.MemberID, timeline.JoinGroup,
		timeline.Joined, timeline.SyncGroup, timeline.Synced, timeline.Assigned, timeline.Released, timeline.Left, timeline.Ended}) {
		t.Errorf("bert went through %v", got)
	}
	if last.Generation != 2 || last.Reason != "bert joined" || last.Leader != "anna" || len(last.Members) != 2 {
		t.Errorf("the last generation is %+v", last)
	}
}

// Cooperative members (KIP-429) give up what moves, once they have joined, and go on with the rest.
func TestCooperativeMembersGiveUpWhatMoves(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		c, err := coordinator.New(t.Context(), coordinator.Config{
			Topics: coordinator.FixedTopics{"orders": 4}, InitialRebalanceDelay: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		line := timeline.New(timeline.Config{Out: &out})
		for _, name := range []string{"anna", "bert"} {
			watch := line.Watch(name)
			m, err := consumer.New(watch.Transport(c), consumer.Config{
				Member:    client.Config{Group: "shop", ClientID: name, Events: watch.Events()},
				Topics:    []string{"orders"},
				Assignors: []assignor.Assignor{assignor.CooperativeSticky{}},
				OnRevoked: func(context.Context, []consumer.TopicPartition) { time.Sleep(time.Second) }, // or bert would miss it
			})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close(t.Context())
			m.Join(t.Context())
			time.Sleep(10 * time.Second)
		}
		if err := line.Close(); err != nil {
			t.Error(err)
		}
	})
	text := regexp.MustCompile(`(?m)^ +[0-9.]+s  `).ReplaceAllString(out.String(), "")
	if want := `
anna gives up orders 0,2

generation 2 · bert joined · cooperative-sticky · led by anna
         anna  ··· ███ ··· ███  orders 1,3
         bert  ··· ··· ··· ···  nothing

generation 3 · need to revoke partitions and re-join · cooperative-sticky · led by anna
         anna  ··· ███ ··· ███  orders 1,3
         bert  ███ ··· ███ ···  orders 0,2
`; !strings.Contains(text, want) {
		t.Errorf("no\n%s\nin\n%s", want, text)
	}
}

func TestHeartbeatsInVainAreShownOnce(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		c, err := coordinator.New(t.Context(), coordinator.Config{InitialRebalanceDelay: -1})
		if err != nil {
			t.Fatal(err)
		}
		line := timeline.New(timeline.Config{Out: &out})
		anna := join(t, line, c, "anna")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Second) // the first heartbeat, and some more
		if err := anna.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := line.Close(); err != nil {
			t.Error(err)
		}
	})
	const want = "  3.00s  anna tries again, after: Heartbeat: "
	if text := out.String(); !strings.Contains(text, want) || strings.Count(text, "Heartbeat") != 1 {
		t.Errorf("no %q, or more than once, in\n%s", want, text)
	}
}

// TestAFollowerShowsItsOwnPart has one timeline for each member, as two processes have.
func TestAFollowerShowsItsOwnPart(t *testing.T) {
	var leader, follower bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		c, err := coordinator.New(t.Context(), coordinator.Config{InitialRebalanceDelay: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		lines := []*timeline.Timeline{timeline.New(timeline.Config{Out: &leader}), timeline.New(timeline.Config{Out: &follower})}
		anna := join(t, lines[0], c, "same")
		bert := join(t, lines[1], c, "same")
		if err := anna.Close(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		time.Sleep(10 * time.Second) // some heartbeats
		if err := bert.Close(t.Context()); err != nil {
			t.Error(err)
		}
		for _, line := range lines {
			if err := line.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	text := regexp.MustCompile(`same-[0-9a-f]{4}\b`).ReplaceAllString(uuid.ReplaceAllString(follower.String(), "UUID"), "same-XXXX")
	for _, want := range []string{
		"3  the coordinator answers JoinGroup: same is in\n            generation 2, protocol deal, leader same-XXXX\n" +
			"         4  same-XXXX, being the leader, assigns; a follower waits\n",
		"no assignments: they come from the leader",
		"generation 2 · same joined · deal · led by same-XXXX\n         same-XXXX  ",
		"generation 3 · same-XXXX is gone · deal · led by same\n         same  ███ ███ ███ ███ ███ ███  orders 0-5\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := leader.String(); strings.Count(text, "generation 2 · same-") != 1 {
		t.Errorf("the leader does not show generation 2:\n%s", text)
	}
}
