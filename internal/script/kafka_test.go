package script

import (
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
)

// TestScenariosOnKafka440 runs every scenario on the broker whose answers the scenarios hold.
func TestScenariosOnKafka440(t *testing.T) { onKafka(t, kafkatest.V4_4_0, Kafka440) }

// TestScenariosOnKafka392 runs every scenario on the last broker with the older coordinator; where it differs the
// scenario says so.
func TestScenariosOnKafka392(t *testing.T) { onKafka(t, kafkatest.V3_9_2, Kafka392) }

func onKafka(t *testing.T, version kafkatest.Version, name string) {
	if *rewrite && *from != name {
		t.Skipf("rewriting from %s", *from)
	}
	eachScenario(t, func(t *testing.T, s *Script) {
		if s.Alone() == "" { // those that are run before the parallel ones go on
			t.Parallel()
		}
		runScript(t, s, Backend{Name: name, Start: func(s *Script) (Target, error) {
			var opts []kafkatest.Option
			for property, value := range s.Settings() {
				opts = append(opts, kafkatest.With(property, value))
			}
			broker := kafkatest.Start(t, version, opts...)
			return &Socket{Addr: broker.Addr(), GroupPrefix: kafkatest.Name(t) + "-"}, nil
		}})
	})
}
