package kafkagobalancer_test

import (
	"errors"
	"testing"

	"github.com/segmentio/kafka-go"

	"github.com/joinsync/joinsync/adapters/kafkagobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
	"github.com/joinsync/joinsync/internal/adapter/peertest"
)

func TestBalancersOfKafkaGoAreAssignors(t *testing.T) {
	for _, test := range []struct {
		balancer kafka.GroupBalancer
		faults   []peertest.Fault
	}{
		{kafka.RangeGroupBalancer{}, nil},
		{kafka.RoundRobinGroupBalancer{}, nil},
		{kafka.RackAffinityGroupBalancer{Rack: "east"}, []peertest.Fault{
			// It goes over racks in the order of a map.
			{Check: "deterministic", Input: `{"topics":[{"name":"t0","parts":2,"racks":[["a"],["b"]]}],"members":[{"id":"m0","subs":["t0"]},` +
				`{"id":"m1","rack":"a","subs":["t0"]}]}`},
		}},
	} {
		t.Run(test.balancer.ProtocolName(), func(t *testing.T) {
			t.Parallel()
			a, err := kafkagobalancer.Assignor(test.balancer)
			if err != nil {
				t.Fatal(err)
			}
			peertest.Check(t, a, test.faults, assignortest.BalancedByTopic(1))
		})
	}
}

// mute is a balancer whose user data fails.
type mute struct {
	kafka.GroupBalancer
	err error
}

func (m mute) UserData() ([]byte, error) { return nil, m.err }

func TestUserDataIsAskedForAtOnce(t *testing.T) {
	a, err := kafkagobalancer.Assignor(kafka.RackAffinityGroupBalancer{Rack: "east"})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.(assignor.UserDataAssignor).UserData(assignor.Assignment{Generation: -1}); string(got) != "east" {
		t.Errorf("sends %q", got)
	}
	broken := errors.New("broken")
	if _, err := kafkagobalancer.Assignor(mute{kafka.RangeGroupBalancer{}, broken}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
