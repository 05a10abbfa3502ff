package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/protocol"
)

// hooked is an assignor with hooks. Its leader attaches the generation to each assignment.
type hooked struct {
	assignor.Assignor
	tell   func(last assignor.Assignment)
	listen func(a assignor.Assignment) (rejoin bool, after time.Duration)
}

func (h hooked) Assign(ctx context.Context, p *assignor.Problem, plan *assignor.Plan) error {
	for m := range p.Members {
		plan.SetUserData(m, fmt.Appendf(nil, "of %d", p.Generation))
	}
	return h.Assignor.Assign(ctx, p, plan)
}

func (h hooked) UserData(last assignor.Assignment) []byte {
	if h.tell != nil {
		h.tell(last)
	}
	return nil
}

func (h hooked) OnAssignment(a assignor.Assignment) (bool, time.Duration) { return h.listen(a) }

// hireHooked hires a consumer of topic "a" with such an assignor.
func (g *ground) hireHooked(h hooked) *crew {
	return g.hire(consumer.Config{Topics: []string{"a"}, Assignors: []assignor.Assignor{h}})
}

// hireAsking hires one whose assignor asks for a rebalance the first time it is assigned something.
func (g *ground) hireAsking(after time.Duration) *crew {
	return g.hireHooked(hooked{Assignor: assignor.RoundRobin{}, listen: func(a assignor.Assignment) (bool, time.Duration) {
		return a.Generation == 1, after
	}})
}

// The assignor hears of an assignment before the consumer takes it over, and tells it in the next subscription.
func TestAssignorsHearOfAssignments(t *testing.T) {
	for _, plain := range []assignor.Assignor{assignor.RoundRobin{}, assignor.CooperativeSticky{}} {
		t.Run(plain.Name(), func(t *testing.T) {
			onBothGrounds(t, func(g *ground) {
				g.create("a", 2)
				var c *crew
				note := func(word string, a assignor.Assignment) {
					c.mu.Lock()
					defer c.mu.Unlock()
					c.diary = append(c.diary, fmt.Sprintf("%s %d %v %q", word, a.Generation, a.Partitions, a.UserData))
				}
				c = g.hireHooked(hooked{plain,
					func(last assignor.Assignment) { note("tells", last) },
					func(a assignor.Assignment) (bool, time.Duration) {
						if a.Generation == c.Assignment().Generation.ID {
							g.Errorf("the consumer has taken over what it was assigned in generation %d", a.Generation)
						}
						note("hears", a)
						return false, 0
					},
				})
				c.join()
				c.Rejoin("")
				settle()
				want := []string{
					`tells -1 [] ""`, `tells -1 [] ""`, // twice, as the first JoinGroup only gets it a member id
					`hears 1 [{a [0 1]}] "of 1"`, "assigned [a-0 a-1]",
					`tells 1 [{a [0 1]}] "of 1"`, `hears 2 [{a [0 1]}] "of 2"`, "assigned []",
				}
				if !plain.Supports().Has(assignor.Cooperative) {
					want = append(append(want[:4:4], "revoked [a-0 a-1]"), want[4:]...)
					want[len(want)-1] = "assigned [a-0 a-1]"
				}
				c.wantDiary(want...)
			})
		})
	}
}

// One that was refused (G-507) is not heard of.
func TestAssignorsDoNotHearOfForeignAssignments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		var heard []int32
		c := g.hireHooked(hooked{Assignor: assignor.RoundRobin{}, listen: func(a assignor.Assignment) (bool, time.Duration) {
			heard = append(heard, a.Generation)
			return false, 0
		}})
		c.forgeAssignment(encode(protocol.TopicPartitions{Topic: "foreign", Partitions: []int32{0}}))
		c.join()
		if fmt.Sprint(heard) != "[2]" {
			t.Errorf("heard of the assignments of generations %v", heard)
		}
	})
}

func TestAssignorsAskForARebalance(t *testing.T) {
	for _, after := range []time.Duration{-time.Second, 0, time.Second, time.Minute} {
		t.Run(after.String(), func(t *testing.T) {
			onBothGrounds(t, func(g *ground) {
				g.create("a", 1)
				c := g.hireAsking(after)
				began := time.Now()
				c.Join(g.Context())
				for c.Assignment().Generation.ID < 2 && time.Since(began) < 10*time.Minute {
					time.Sleep(100 * time.Millisecond)
				}
				took := time.Since(began) - max(0, after)
				if took < 0 || took > 10*time.Second { // 3 s of initial rebalance delay, at most
					g.Errorf("it comes %v after it should", took)
				}
				time.Sleep(10 * time.Minute)
				if got := c.Assignment().Generation.ID; got != 2 {
					g.Errorf("the group is in generation %d", got)
				}
			})
		})
	}
}

// A rebalance that comes first is the one that was asked for.
func TestNoRebalanceIsMadeTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		g.create("a", 1)
		c := g.hireAsking(time.Minute)
		c.join()
		time.Sleep(30 * time.Second)
		c.Rejoin("")
		time.Sleep(10 * time.Minute)
		if got := c.Assignment().Generation.ID; got != 2 {
			t.Errorf("the group is in generation %d", got)
		}
	})
}

// A panic in a hook ends this consumer, in words that help, and the group goes on.
func TestHooksThatPanic(t *testing.T) {
	for name, hooks := range map[string]hooked{
		"UserData":     {tell: func(assignor.Assignment) { panic("no such luck") }},
		"OnAssignment": {listen: func(assignor.Assignment) (bool, time.Duration) { panic("no such luck") }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := inProcess(t)
				g.create("a", 2)
				hooks.Assignor = assignor.RoundRobin{}
				other := g.hire(consumer.Config{Topics: []string{"a"}, Assignors: []assignor.Assignor{assignor.RoundRobin{}}})
				other.join()
				c := g.hireHooked(hooks)
				_, err := c.Join(t.Context()).Wait(t.Context())
				wantErr(t, err, nil, `group "g"`, `assignor "roundrobin" panicked: no such luck: mend it`)
				if name == "OnAssignment" {
					if panicked := (*assignor.PanicError)(nil); !errors.As(err, &panicked) || !strings.Contains(string(panicked.Stack), "hooks_test.go") {
						t.Errorf("the error is no assignor.PanicError that shows where: %v", err)
					}
				}
				<-c.Done()
				c.wantDiary()
				settle()
				g.wantShared(map[string]int32{"a": 2}, other)
			})
		})
	}
}
