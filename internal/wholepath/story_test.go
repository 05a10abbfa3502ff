package wholepath_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/joinsync/joinsync/client"
)

// bubble runs a test in virtual time and logs how little real time it took.
func bubble(t *testing.T, test func(t *testing.T)) {
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		test(t)
		t.Cleanup(func() { t.Logf("%v of virtual time", time.Since(began)) })
	})
	t.Logf("%v of real time", time.Since(began).Round(time.Millisecond))
}

func TestHundredMembersJoinInOneGeneration(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.hire(100)
		if took := p.settle(time.Minute); took != 6*time.Second { // 3 s, and 3 s more because members came meanwhile (G-070)
			t.Errorf("all are assigned after %v, not after the initial delay", took)
		}
		if g := p.generation(); g != 1 {
			t.Errorf("it took %d generations", g)
		}
		time.Sleep(time.Minute)
		p.settle(0)
		if n := p.counted("retried") + p.counted("rejoined"); n != 0 {
			t.Errorf("members had to try again %d times", n)
		}
		if n := p.ledger.committedSoFar(); n < 300*10 {
			t.Errorf("only %d offsets were committed", n)
		}
	})
}

func TestWorkOfLeaversGoesToTheOthersInOneRebalance(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.hire(100)
		p.settle(time.Minute)
		p.leave(p.pick(10)...)
		// The others learn of it by their next heartbeat.
		if took := p.settle(time.Minute); took > 4*time.Second {
			t.Errorf("the work of the leavers was given to others after %v", took)
		}
		if g := p.generation(); g != 2 {
			t.Errorf("ten who left at once made it generation %d", g)
		}
		p.leave(p.pick(90)...)
		p.settle(time.Minute)
	})
}

func TestWorkOfKilledMembersGoesToTheOthersAfterTheirSessions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.hire(100)
		p.settle(time.Minute)
		time.Sleep(10 * time.Second)
		p.kill(p.pick(10)...)
		time.Sleep(41 * time.Second) // the last heartbeat was up to 3 s before
		if g := p.generation(); g != 1 {
			t.Fatalf("generation %d before any session has expired", g)
		}
		if took := p.settle(time.Minute); took > 8*time.Second {
			t.Errorf("the work of the dead was given to others %v after the first session expired", took)
		}
	})
}

func TestLatecomersTakeTheirShare(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.hire(80)
		p.settle(time.Minute)
		time.Sleep(time.Minute)
		late := p.hire(20)
		if took := p.settle(time.Minute); took > 4*time.Second {
			t.Errorf("latecomers have their share after %v", took)
		}
		for _, w := range late {
			if partitions := w.Assignment().Partitions; len(partitions) != 3 {
				t.Errorf("%s has partitions %v", w.name, partitions)
			}
		}
	})
}

func TestRollingRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.hire(100)
		p.settle(time.Minute)
		for batch := range slices.Chunk(p.pick(100), 5) {
			p.leave(batch...)
			time.Sleep(p.dice.upTo(5 * time.Second))
			p.hire(5)
			p.settle(time.Minute)
		}
		if n := p.counted("lost") + p.counted("retried"); n != 0 {
			t.Errorf("members that had not been restarted lost their place or had to try again %d times", n)
		}
	})
}

func TestRollingRestartOfStaticMembersDisturbsNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		for i := range 100 {
			p.hireAs(fmt.Sprint("instance-", i))
		}
		p.settle(time.Minute)
		p.counted("rejoined")
		for _, w := range p.pick(100) {
			p.leave(w)
			time.Sleep(p.dice.upTo(4 * time.Second))
			p.hireAs(w.instance)
			if took := p.settle(time.Minute); took > 0 {
				t.Errorf("%s was back after %v", w.name, took)
			}
		}
		if g := p.generation(); g != 1 {
			t.Errorf("the restarts made it generation %d", g)
		}
		if n := p.counted("rejoined"); n != 0 {
			t.Errorf("%d members had to join again", n)
		}
	})
}

// A leader that dies between JoinGroup and SyncGroup holds up everyone, until its session ends.
func TestLeaderKilledWhileItComputes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		leaders := make(chan *worker)
		p.onCompute(func(ctx context.Context, leader *worker) {
			p.onCompute(nil)
			leaders <- leader
			<-ctx.Done()
		})
		p.hire(100)
		leader := <-leaders
		p.kill(leader)
		if took := p.settle(2 * time.Minute); took > 50*time.Second {
			t.Errorf("the others went on after %v", took)
		}
	})
}

// A leader that takes its time keeps its place by heartbeats, and the others wait for it.
func TestSlowLeaderKeepsItsPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.onCompute(func(ctx context.Context, _ *worker) { sleep(ctx, 4*time.Minute) })
		p.hire(100)
		p.settle(5 * time.Minute)
		if g := p.generation(); g != 1 {
			t.Errorf("generation %d", g)
		}
	})
}

// A member that cannot be reached for longer than its session learns, as soon as it can, that its work is another's.
func TestSilentMembersAreReplacedAndComeBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.hire(100)
		p.settle(time.Minute)
		silent := p.pick(10)
		all := slices.Clone(p.living)
		p.dismiss(silent, func(w *worker) { w.link.cut() })
		p.settle(2 * time.Minute)
		for _, w := range silent {
			if state, _ := w.Standing(); state != client.Stable {
				t.Errorf("%s knows that it was replaced, but is %v", w.name, state)
			}
			w.link.mend()
		}
		p.living = all
		p.settle(2 * time.Minute)
		if n := p.counted("lost"); n != 10 {
			t.Errorf("%d members noticed that they had lost their work", n)
		}
	})
}

func TestNextCoordinatorGoesOnWithoutARebalance(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.hire(100)
		p.settle(time.Minute)
		for range 3 {
			p.restart(10 * time.Second)
			p.settle(time.Minute)
			time.Sleep(time.Minute)
			p.settle(0)
		}
		if g, n := p.generation(), p.counted("rejoined"); g != 1 || n != 0 {
			t.Errorf("generation %d, %d members had to join again", g, n)
		}
	})
}

// Parked joins are lost with the coordinator; their senders join again.
func TestCoordinatorThatMovesDuringARebalance(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newParty(t, setting{})
		p.hire(90)
		p.settle(time.Minute)
		p.hire(10)
		time.Sleep(1500 * time.Millisecond) // half of the old members know by now
		p.restart(time.Second)
		p.settle(2 * time.Minute)
	})
}
