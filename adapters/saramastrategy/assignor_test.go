package saramastrategy_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/IBM/sarama"

	"github.com/joinsync/joinsync/adapters/saramastrategy"
	"github.com/joinsync/joinsync/assignor/assignortest"
)

// The checks find nothing in the strategies that are sound, and in the others what is known. One that does not fail a check any
// more has been mended since: take the check out.
func TestStrategiesOfSaramaAreAssignors(t *testing.T) {
	balanced, byTopic, sticky := assignortest.Balanced(1), assignortest.BalancedByTopic(1), assignortest.Sticky(0)
	for name, test := range map[string]struct {
		make    func() sarama.BalanceStrategy
		options []assignortest.Option
		fails   []string
	}{
		"range":       {sarama.NewBalanceStrategyRange, []assignortest.Option{byTopic}, nil},
		"round robin": {sarama.NewBalanceStrategyRoundRobin, []assignortest.Option{balanced}, nil},
		// User data of one member that cannot be read leaves all members without a plan; and now and then a stale member is given back
		// a partition of a topic that it no longer subscribes to.
		"sticky":             {sarama.NewBalanceStrategySticky, []assignortest.Option{balanced, sticky}, []string{"deterministic", "no error"}},
		"cooperative sticky": {sarama.NewBalanceStrategyCooperativeSticky, []assignortest.Option{balanced, sticky}, []string{"deterministic"}},
	} {
		t.Run(name, func(t *testing.T) {
			var r recorder
			assignortest.Check(&r, saramastrategy.Assignor(test.make), test.options...)
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
