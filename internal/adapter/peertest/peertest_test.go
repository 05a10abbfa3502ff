package peertest_test

import (
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/internal/adapter/peertest"
)

// Range has all partitions of topics with one go to the first member: it does not keep the promise of round robin.
func TestAFaultThatIsKnownIsNoFailure(t *testing.T) {
	peertest.Check(t, assignor.Range{}, []peertest.Fault{{Check: "balanced", Input: `{"topics":[{"name":"t0","parts":1},{"name":"t1","parts":1}],` +
		`"members":[{"id":"m0","subs":["t0","t1"]},{"id":"m1","subs":["t0","t1"]}]}`}}, assignortest.Balanced(1))
}
