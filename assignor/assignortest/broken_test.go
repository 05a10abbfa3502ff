package assignortest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/protocol"
)

// fake is an eager assignor of a function.
type fake func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error

func (fake) Name() string                         { return "fake" }
func (fake) Supports() assignor.RebalanceProtocol { return assignor.Eager }
func (f fake) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	return f(ctx, p, plan)
}

// cooperative is a cooperative one.
type cooperative struct{ fake }

func (cooperative) Supports() assignor.RebalanceProtocol { return assignor.Cooperative }

// telling is one whose members send what they own, and since when, as JSON.
type telling struct{ fake }

type told struct {
	Owned []protocol.TopicPartitions
	Since int32
}

func (telling) UserData(last assignor.Assignment) []byte {
	data, _ := json.Marshal(told{last.Partitions, last.Generation})
	return data
}

// each has a member picked for each partition, from its subscribers.
func each(pick func(p *assignor.Problem, subscribers []int, topic, partition int) int) fake {
	return func(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
		for t, topic := range p.Topics {
			for q := range topic.Partitions {
				plan.Assign(pick(p, p.Subscribers(t), t, q), t, q)
			}
		}
		return nil
	}
}

// turn is a sound way to pick.
func turn(_ *assignor.Problem, subscribers []int, topic, partition int) int {
	return subscribers[(topic+partition)%len(subscribers)]
}

// turns is sound.
var turns = each(turn)

// keep gives partitions to those who say that they own them, as far as believe says so, and the rest in turn.
func keep(believe func(p *assignor.Problem, t told, member, topic, partition int) bool) fake {
	return func(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
		for m, member := range p.Members {
			var data told
			if json.Unmarshal(member.UserData, &data) != nil {
				continue
			}
			for _, list := range data.Owned {
				t := slices.IndexFunc(p.Topics, func(t assignor.Topic) bool { return t.Name == list.Topic })
				for _, q := range list.Partitions {
					if t >= 0 && believe(p, data, m, t, int(q)) && (int(q) >= p.Topics[t].Partitions || q < 0 || plan.Owner(t, int(q)) < 0) {
						plan.Assign(m, t, int(q))
					}
				}
			}
		}
		for t, topic := range p.Topics {
			for q := range topic.Partitions {
				if plan.Owner(t, q) < 0 {
					plan.Assign(turn(p, p.Subscribers(t), t, q), t, q)
				}
			}
		}
		return nil
	}
}

func exists(p *assignor.Problem, topic, partition int) bool {
	return partition >= 0 && partition < p.Topics[topic].Partitions
}

// withholding ends with Plan.WithholdMoving.
func withholding(f fake) cooperative {
	return cooperative{func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
		err := f(ctx, p, plan)
		plan.WithholdMoving()
		return err
	}}
}

// broken is an assignor that does something wrong, and the check that has to find it, on an input of at most so many members,
// topics and partitions.
type broken struct {
	assignor assignor.Assignor
	options  []assignortest.Option
	check    string
	also     string // one that may fail too
	size     int
	byChance bool // or by what came before: it need not fail again, and so cannot be made small for sure
}

var (
	sticky   = []assignortest.Option{assignortest.Sticky(0)}
	balanced = []assignortest.Option{assignortest.Balanced(1)}
)

// brokenAssignors makes new ones, as some keep things.
func brokenAssignors() map[string]broken {
	return map[string]broken{
		"it forgets the remainder": {fake(func(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			for t, topic := range p.Topics {
				subscribers := p.Subscribers(t)
				share := topic.Partitions / len(subscribers)
				for i, m := range subscribers {
					plan.AssignRange(m, t, i*share, (i+1)*share)
				}
			}
			return nil
		}), nil, "complete", "", 4, false},
		"it gives one partition twice": {fake(func(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			for t, topic := range p.Topics {
				subscribers := p.Subscribers(t)
				share := (topic.Partitions + len(subscribers) - 1) / len(subscribers)
				for i, m := range subscribers {
					plan.AssignRange(m, t, min(i*share, topic.Partitions-1), min((i+1)*share, topic.Partitions))
				}
			}
			return nil
		}), nil, "disjoint", "", 4, false},
		"it goes by members, whatever they subscribe to": {each(func(p *assignor.Problem, _ []int, _, partition int) int {
			return partition % len(p.Members)
		}), nil, "subscribed", "", 5, false},
		"it gives a member that left its subscription empty what comes first (Java)": {each(func(p *assignor.Problem, subscribers []int, _, _ int) int {
			if len(p.Classes[p.Members[0].Class].Topics) == 0 {
				return 0
			}
			return subscribers[0]
		}), nil, "subscribed", "", 4, false},
		"it leaves a topic with a stale member that has unsubscribed it (Java)": {telling{keep(func(p *assignor.Problem, _ told, _, topic, partition int) bool {
			return exists(p, topic, partition)
		})}, nil, "subscribed", "", 12, false},
		"it trusts claims of partitions that do not exist (Java)": {telling{keep(func(p *assignor.Problem, _ told, member, topic, _ int) bool {
			return p.Subscribes(member, topic)
		})}, nil, "known", "", 5, false},
		"it panics where there are no members": {fake(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			first := p.Members[0]
			_ = first
			return turns(ctx, p, plan)
		}), nil, "no panic", "", 0, false},
		"it panics where a member has no topics": {fake(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			for _, class := range p.Classes {
				plan.Note(assignor.Note{Topic: p.Topics[class.Topics[0]].Name})
			}
			return turns(ctx, p, plan)
		}), nil, "no panic", "", 1, false},
		"it panics on what is told to members that own nothing": {panicking{turns}, nil, "no panic", "", 1, false},
		"it refuses user data that it cannot read": {telling{func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			for _, m := range p.Members {
				if err := json.Unmarshal(m.UserData, &told{}); err != nil {
					return err
				}
			}
			return turns(ctx, p, plan)
		}}, nil, "no error", "", 6, false},
		"it goes over a map": {each(func(p *assignor.Problem, subscribers []int, _, _ int) int {
			members := map[int]bool{}
			for _, m := range subscribers {
				members[m] = true
			}
			for m := range members {
				return m
			}
			return -1
		}), nil, "deterministic", "order", 0, true},
		"it draws random numbers": {each(func(_ *assignor.Problem, subscribers []int, _, _ int) int {
			return subscribers[rand.IntN(len(subscribers))]
		}), nil, "deterministic", "order", 0, true},
		"it goes on where it stopped the last time": {each(func() func(*assignor.Problem, []int, int, int) int {
			var next atomic.Int64
			return func(_ *assignor.Problem, subscribers []int, _, _ int) int {
				return subscribers[int(next.Add(1))%len(subscribers)]
			}
		}()), nil, "deterministic", "order", 0, true},
		"it remembers who had a partition, in itself (Java's highest generation, Sarama's movements)": {remembering(), nil, "deterministic", "order", 0, true},
		"it goes by the order of the notes": {each(func(p *assignor.Problem, subscribers []int, _, _ int) int {
			for _, note := range p.Notes() {
				for _, m := range subscribers {
					if p.Members[m].ID == note.Member {
						return m
					}
				}
			}
			return subscribers[0]
		}), nil, "order", "", 4, false},
		"it sorts the problem's own lists": {fake(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			slices.SortFunc(p.Topics, func(a, b assignor.Topic) int { return cmp.Compare(b.Name, a.Name) })
			return turns(ctx, p, plan)
		}), nil, "read-only", "", 5, false},
		"it writes into the user data": {telling{func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			for _, m := range p.Members {
				clear(m.UserData)
			}
			return turns(ctx, p, plan)
		}}, nil, "read-only", "", 1, false},
		"it is cooperative and does not withhold (Java's, for moves that racks ask for)": {cooperative{turns}, nil, "handover", "", 4, false},
		"it withholds before it has planned": {cooperative{func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			plan.WithholdMoving()
			return turns(ctx, p, plan)
		}}, nil, "handover", "", 4, false},
		"it moves on in each generation (Java's third rebalance)": {withholding(each(func(p *assignor.Problem, subscribers []int, topic, partition int) int {
			return subscribers[(int(p.Generation)+topic+partition)%len(subscribers)]
		})), nil, "two rounds", "", 14, false},
		"it sends other user data each time": {fake(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
			for m := range p.Members {
				plan.SetUserData(m, []byte{byte(rand.IntN(256))})
			}
			return turns(ctx, p, plan)
		}), nil, "deterministic", "", 1, false},
		"it asks to join again each time": {listening{turns, func(assignor.Assignment) bool { return true }},
			nil, "two rounds", "", 4, false},
		"it takes for granted that it is assigned something": {listening{turns, func(a assignor.Assignment) bool { return a.Partitions[0].Topic == "" }},
			nil, "no panic", "", 2, false},
		"it is sticky where all subscribe alike only": {alike{}, sticky, "sticky", "", 24, false},
		"it gives all to one": {each(func(_ *assignor.Problem, subscribers []int, _, _ int) int { return subscribers[0] }),
			balanced, "balanced", "", 5, false},
		"it divides each topic and the first gets all remainders": {assignor.Range{},
			balanced, "balanced", "", 6, false},
		"it deals on from topic to topic": {assignor.RoundRobin{},
			[]assignortest.Option{assignortest.BalancedByTopic(0)}, "balanced by topic", "", 4, false},
		"it deals anew when somebody joins (librdkafka, when somebody leaves)": {withholding(turns),
			sticky, "sticky", "", 7, false},
		"its members do not tell what they own (franz-go, Sarama)": {turns,
			sticky, "sticky", "", 6, false},
		"it believes whoever comes first, of whatever generation": {telling{keep(func(p *assignor.Problem, _ told, member, topic, partition int) bool {
			return p.Subscribes(member, topic) && exists(p, topic, partition)
		})}, sticky, "sticky", "", 6, false},
		"it compares a generation with the rival's subscription, which in old versions has none (Java)": {telling{
			keep(func(p *assignor.Problem, mine told, member, topic, partition int) bool {
				for m, rival := range p.Members {
					var theirs told
					if m != member && json.Unmarshal(rival.UserData, &theirs) == nil && theirs.claims(p.Topics[topic].Name, partition) &&
						rival.Generation >= mine.Since {
						return false
					}
				}
				return p.Subscribes(member, topic) && exists(p, topic, partition)
			})}, sticky, "sticky", "", 5, false},
	}
}

func (t told) claims(topic string, partition int) bool {
	return slices.ContainsFunc(t.Owned, func(tp protocol.TopicPartitions) bool {
		return tp.Topic == topic && slices.Contains(tp.Partitions, int32(partition))
	})
}

// panicking is one that takes for granted that its members own something.
type panicking struct{ fake }

func (panicking) UserData(last assignor.Assignment) []byte {
	return []byte(last.Partitions[0].Topic)
}

// listening is one that joins again, at once, if an assignment is a reason to.
type listening struct {
	fake
	isReason func(assignor.Assignment) bool
}

func (l listening) OnAssignment(a assignor.Assignment) (bool, time.Duration) { return l.isReason(a), 0 }

// alike is one that moves on in each generation where subscriptions differ.
type alike struct{ assignor.Sticky }

func (a alike) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	if len(p.Classes) < 2 {
		return a.Sticky.Assign(ctx, p, plan)
	}
	return each(func(p *assignor.Problem, subscribers []int, topic, partition int) int {
		return subscribers[(int(p.Generation)+topic+partition)%len(subscribers)]
	})(ctx, p, plan)
}

func remembering() fake {
	var mu sync.Mutex
	last := map[assignor.TopicPartition]string{}
	return func(_ context.Context, p *assignor.Problem, plan *assignor.Plan) error {
		mu.Lock()
		defer mu.Unlock()
		for t, topic := range p.Topics {
			for q := range topic.Partitions {
				tp := assignor.TopicPartition{Topic: topic.Name, Partition: q}
				m := turn(p, p.Subscribers(t), t, q)
				for _, other := range p.Subscribers(t) {
					if p.Members[other].ID == last[tp] {
						m = other
					}
				}
				plan.Assign(m, t, q)
				last[tp] = p.Members[m].ID
			}
		}
		return nil
	}
}

func TestBrokenAssignorsAreCaught(t *testing.T) {
	for name, b := range brokenAssignors() {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			assignortest.Check(r, b.assignor, b.options...)
			t.Logf("%s", r)
			for _, f := range r.failures {
				if f.check != b.check && f.check != b.also {
					t.Errorf("check %q has failed, which has nothing to do with it", f.check)
				}
			}
			found := r.failure(b.check)
			if found == nil {
				t.Fatalf("check %q has not failed", b.check)
			}
			if found.size() > b.size && !b.byChance {
				t.Errorf("the input has %d members, topics and partitions, more than %d:\n%s", found.size(), b.size, found.text)
			}
			if found.input != "" && !b.byChance {
				again := &recorder{}
				assignortest.Replay(again, b.assignor, found.input, b.options...)
				if again.failure(b.check) == nil {
					t.Errorf("check %q has not failed again on the input that is shown, but %s", b.check, again)
				}
			}
		})
	}
}

// TestFailuresAreMadeSmall: this one fails in groups only that are none of the known troublemakers, and large when drawn.
func TestFailuresAreMadeSmall(t *testing.T) {
	r := &recorder{}
	assignortest.Check(r, fake(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
		static := slices.ContainsFunc(p.Members, func(m assignor.Member) bool { return m.InstanceID != "" })
		inRack := slices.ContainsFunc(p.Members, func(m assignor.Member) bool { return m.Rack == "b" })
		if static && inRack && len(p.Topics) > 1 && len(p.Members) > 2 && p.Partitions() > 4 {
			panic("too many")
		}
		return turns(ctx, p, plan)
	}))
	found := r.failure("no panic")
	if found == nil || len(r.failures) != 1 || !strings.Contains(found.text, "too many\n\tat ") || !strings.Contains(found.text, "broken_test.go:") {
		t.Fatalf("failed are\n%s", r)
	}
	said := regexp.MustCompile(`"(instance|rack|racks|owned|gen|v|userData)":`).FindAllString(found.input, -1)
	in := found.inputs[0]
	if len(in.Members) != 3 || found.size() != len(in.Members)+len(in.Topics)+5 || len(said) != 2 {
		t.Errorf("the input could be smaller: %s", found.input)
	}
}

// TestAnAssignorThatDoesNotEndIsLeftBehind: it is named, and nothing more is asked of it.
func TestAnAssignorThatDoesNotEndIsLeftBehind(t *testing.T) {
	for name, ends := range map[string]func(ctx context.Context, release chan struct{}) error{
		"it does not look at ctx": func(_ context.Context, release chan struct{}) error { <-release; return nil },
		"it waits for ctx":        func(ctx context.Context, _ chan struct{}) error { <-ctx.Done(); return ctx.Err() },
		"it waits and says so":    func(ctx context.Context, _ chan struct{}) error { <-ctx.Done(); return errors.New("late") },
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			defer close(release)
			var late atomic.Int64
			r := &recorder{}
			assignortest.Check(r, fake(func(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
				if len(p.Members) > 1 { // as a search for subscribers that goes round and round (Sarama)
					late.Add(1)
					return ends(ctx, release)
				}
				return turns(ctx, p, plan)
			}), assignortest.Within(50*time.Millisecond))
			found := r.failure("ends")
			if found == nil || len(r.failures) != 1 || late.Load() != 1 {
				t.Fatalf("it was asked %d times to do what takes too long, and fails\n%s", late.Load(), r)
			}
			if found.size() > 4 {
				t.Errorf("the input has %d members, topics and partitions: %s", found.size(), found.text)
			}
		})
	}
}
