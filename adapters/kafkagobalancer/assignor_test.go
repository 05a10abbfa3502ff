package kafkagobalancer_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/segmentio/kafka-go"

	"github.com/joinsync/joinsync/adapters/kafkagobalancer"
	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
)

// The checks find nothing in the balancers that are sound, and in the others what is known. One that does not fail a check any
// more has been mended since: take the check out.
func TestBalancersOfKafkaGoAreAssignors(t *testing.T) {
	byTopic := assignortest.BalancedByTopic(1)
	for _, test := range []struct {
		balancer kafka.GroupBalancer
		fails    []string
	}{
		{kafka.RangeGroupBalancer{}, nil},
		{kafka.RoundRobinGroupBalancer{}, nil},
		{kafka.RackAffinityGroupBalancer{Rack: "east"}, []string{"deterministic"}},
	} {
		t.Run(test.balancer.ProtocolName(), func(t *testing.T) {
			a, err := kafkagobalancer.Assignor(test.balancer)
			if err != nil {
				t.Fatal(err)
			}
			var r recorder
			assignortest.Check(&r, a, byTopic)
			for _, failure := range r {
				t.Log(failure)
			}
			for _, check := range test.fails {
				if !r.failed(check) {
					t.Errorf("check %q has not failed", check)
				}
			}
			if test.fails == nil && len(r) > 0 {
				t.Error("it is taken to be sound")
			}
		})
	}
}

// recorder keeps what a check says.
type recorder []string

func (*recorder) Helper()                             {}
func (r *recorder) Errorf(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

func (r *recorder) failed(check string) bool {
	line := regexp.MustCompile(fmt.Sprintf("^assignor .* fails the check %q", check))
	return slices.ContainsFunc(*r, line.MatchString)
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
