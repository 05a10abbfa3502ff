package script

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Player runs steps one by one, for somebody who does not know the answers beforehand, and perhaps not yet what the next
// step will be. One goroutine uses it, in the bubble if the target is virtual.
type Player struct {
	r       *runner
	calm    time.Duration
	started time.Time
	elapsed time.Duration // the advances so far
	fenced  string        // the member id of the last fence
}

// NewPlayer returns a player on the target. In real time a request counts as parked when it has no answer calm after the
// broker has worked off all that was sent before. The broker must do so in one order: with num.io.threads=1,
// num.network.threads=1, offsets.topic.num.partitions=1, and group.initial.rebalance.delay.ms=0.
func NewPlayer(ctx context.Context, target Target, calm time.Duration) *Player {
	return &Player{r: newRunner(ctx, target, true), calm: calm, started: time.Now()}
}

// Close ends every request that is still under way.
func (p *Player) Close() { p.r.close() }

// Step executes one step and returns its answers as they stand in a script.
func (p *Player) Step(line string) ([]string, error) {
	word, rest, _ := strings.Cut(line, " ")
	if name, ok := strings.CutSuffix(word, ":"); ok {
		own, err := p.r.send(name, rest)
		if err != nil {
			return nil, err
		}
		return p.r.render(own, p.settle(own)), nil
	}
	switch word {
	case "advance":
		return p.advance(rest)
	case "disconnect": // sets nobody free, so there is nothing to wait for
		return nil, p.r.hangUp(rest)
	}
	return p.r.execute(line, nil)
}

// Together sends requests at once. It returns all answers with client and API before them, and which requests are parked.
func (p *Player) Together(lines ...string) ([]string, error) {
	sent, err := p.send(lines)
	if err != nil {
		return nil, err
	}
	return p.answers(sent, p.settle(sent...)), nil
}

// InTurn sends requests one after the other, and returns what Together would.
func (p *Player) InTurn(lines ...string) ([]string, error) {
	var sent, got []*call
	for i := range lines {
		one, err := p.send(lines[i : i+1])
		if err != nil {
			return nil, err
		}
		sent = append(sent, one...)
		got = append(got, p.settle(one...)...)
	}
	return p.answers(sent, got), nil
}

func (p *Player) send(lines []string) (sent []*call, err error) {
	for _, line := range lines {
		name, request, _ := strings.Cut(line, ": ")
		c, err := p.r.send(name, request)
		if err != nil {
			return nil, err
		}
		sent = append(sent, c)
	}
	return sent, nil
}

func (p *Player) answers(sent, got []*call) []string {
	lines := p.r.render(nil, got)
	for _, c := range sent {
		if p.waiting(c) {
			lines = append(lines, c.String()+" "+parkedLine)
		}
	}
	return lines
}

// settle returns the answers that come without time passing.
func (p *Player) settle(sent ...*call) []*call {
	if p.r.idle != nil {
		return p.r.settle(nil, nil)
	}
	for _, c := range sent {
		<-c.written
	}
	got := p.r.collect(nil, func(got []*call) time.Duration {
		switch {
		case slices.ContainsFunc(sent, func(c *call) bool { return p.waiting(c) && !mayPark(c.req) }):
			return patience
		case slices.ContainsFunc(sent, p.waiting):
			return p.calm
		}
		return 0
	})
	if len(p.r.parked) == 0 && !slices.ContainsFunc(sent, goesOn) {
		return got
	}
	begin := time.Now()
	p.fence()
	calm := max(p.calm, time.Since(begin)) // on a busy machine an answer that is there is read later
	return p.r.collect(got, func([]*call) time.Duration { return calm })
}

// fence returns when the broker has worked off all that was sent, and the timers which that set and which were due at once,
// and when records were written after it.
// Such timers end the join phase of a first member, and of a group that nobody is left in. They go a way of their own through
// the broker, and so does the fence: a member joins a group that is empty. The second of its requests is sent after the
// answer to the first, which was sent after all others: that one may still overtake them on another connection.
func (p *Player) fence() {
	ctx, cancel := context.WithTimeout(p.r.ctx, patience)
	defer cancel()
	if p.r.pinger == nil {
		p.r.pinger, _ = p.r.target.Open(ctx, protocol.Identity{ClientID: "fence"})
	}
	group, _ := p.r.target.Prefixes()
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Group, leave.MemberID = "fence-"+group, p.fenced
	p.r.pinger.Request(ctx, leave)
	join := kmsg.NewPtrJoinGroupRequest()
	join.Group, join.ProtocolType, join.SessionTimeoutMillis = leave.Group, "fence", 60_000
	join.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "fence"}}
	if resp, err := p.r.pinger.Request(ctx, join); err == nil {
		p.fenced = resp.(*kmsg.JoinGroupResponse).MemberID
	}
}

func (p *Player) waiting(c *call) bool { return slices.Contains(p.r.parked, c) }

// mayPark reports whether a coordinator may keep a request.
func mayPark(req kmsg.Request) bool {
	switch req.(type) {
	case *kmsg.JoinGroupRequest, *kmsg.SyncGroupRequest:
		return true
	}
	return false
}

// goesOn reports whether what a request does may go on after its answer. It may set a timer that is due at once. And it may make
// a group of which nothing is written yet: DescribeGroups finds that when the next record of its partition is (G-036, G-249).
func goesOn(c *call) bool {
	switch c.req.(type) {
	case *kmsg.JoinGroupRequest, *kmsg.LeaveGroupRequest, *kmsg.OffsetCommitRequest, *kmsg.TxnOffsetCommitRequest:
		return true
	}
	return false
}

// errLate is returned by an advance that comes too late for its answers to mean anything.
var errLate = errors.New("the steps before took too much of the time that was to pass")

// advance lets time pass, less what the steps since the last advance have taken of it, so that times do not drift. Of the
// time that is to pass they may have taken a tenth.
func (p *Player) advance(rest string) ([]string, error) {
	d, err := duration(rest)
	if err != nil {
		return nil, err
	}
	if p.r.idle != nil {
		return p.r.advance(rest, nil)
	}
	p.elapsed += d
	deadline := p.started.Add(p.elapsed)
	if time.Until(deadline) < d*9/10 {
		return nil, errLate
	}
	got := p.r.collect(nil, func([]*call) time.Duration { return max(0, time.Until(deadline)) })
	return p.r.render(nil, append(got, p.settle()...)), nil
}
