package client

import (
	"sync"

	"github.com/joinsync/joinsync/protocol"
)

// standing is a member's place in its group: its state, its generation, and whether it must join again.
//
// One goroutine, the member's own, moves it forward (preparing, joined, synced). Whoever gets an answer that ends a
// generation may take it back (fence, and requestRejoin): the heartbeat, a commit. So a step forward always checks
// that the ground is still there. The lock is held for assignments only.
type standing struct {
	wake chan struct{} // holds one token while rejoin or fatal is set

	mu         sync.Mutex
	state      State
	generation Generation
	rejoin     bool
	reason     string // of rejoin
	fatal      error  // set by fence: the member must end
}

func (s *standing) init() {
	s.wake = make(chan struct{}, 1)
	s.generation = noGeneration
}

// snapshot returns the state and the generation.
func (s *standing) snapshot() (State, Generation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.generation
}

// pending reports whether the member must join again, and why; or the error with which it must end.
func (s *standing) pending() (rejoin bool, reason string, fatal error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rejoin, s.reason, s.fatal
}

// requestRejoin makes the member join again. The first reason stays until the member is stable, unless force.
func (s *standing) requestRejoin(reason string, force bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requestRejoinLocked(reason, force)
}

func (s *standing) requestRejoinLocked(reason string, force bool) {
	if !s.rejoin || force {
		s.rejoin, s.reason = true, reason
	}
	s.signal()
}

// signal wakes the member's goroutine.
func (s *standing) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// preparing is the step before JoinGroup. It returns the generation to join with. False means that the member must end
// instead: who is fenced has no member id any more, and with its instance id alone it would take its place back.
func (s *standing) preparing() (Generation, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = PreparingRebalance
	return s.generation, s.fatal == nil
}

// memberIDGiven keeps the id that came with MEMBER_ID_REQUIRED (G-465).
func (s *standing) memberIDGiven(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation = Generation{ID: -1, MemberID: id}
	s.requestRejoinLocked("need to re-join with the given member-id: "+id, true)
}

// joined is the step of a JoinGroup that was answered with a generation. False means that the member was taken back
// meanwhile, so that the answer must not be used (G-465); the member id in it is kept, or the coordinator would wait
// for a member that nobody is.
func (s *standing) joined(g Generation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != PreparingRebalance {
		s.generation = Generation{ID: -1, MemberID: g.MemberID}
		return false
	}
	s.state, s.generation = CompletingRebalance, g
	return true
}

// synced is the step of a SyncGroup that was answered with an assignment. False means that the member was taken back
// meanwhile (G-463, G-466).
func (s *standing) synced(g Generation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != CompletingRebalance || s.generation != g {
		return false
	}
	s.state, s.rejoin, s.reason = Stable, false, ""
	return true
}

// fence takes the member back after the coordinator has answered code to a request of generation sent. It reports
// whether that generation was still the member's own; if not, the answer says nothing about where the member is now,
// and is ignored (G-465 to G-467, G-470).
func (s *standing) fence(api string, sent Generation, code protocol.ErrorCode) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation != sent {
		return false
	}
	switch code {
	case protocol.RebalanceInProgress:
		if s.state == Stable {
			s.requestRejoinLocked("group is already rebalancing", false)
		}
	case protocol.IllegalGeneration:
		s.resetLocked(Generation{ID: -1, MemberID: sent.MemberID}, api, code)
	case protocol.UnknownMemberID:
		s.resetLocked(noGeneration, api, code)
	case protocol.FencedInstanceID:
		s.resetLocked(noGeneration, api, code)
		s.fatal = code
	}
	return true
}

func (s *standing) resetLocked(g Generation, api string, code protocol.ErrorCode) {
	s.state, s.generation = Unjoined, g
	s.requestRejoinLocked("encountered "+code.String()+" from "+api+" response", true)
}

// forget puts the member back to where it began: outside the group, and not trying to join.
func (s *standing) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.generation = Unjoined, noGeneration
	s.rejoin, s.reason = false, ""
}
