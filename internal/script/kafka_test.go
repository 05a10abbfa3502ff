package script_test

import (
	"testing"

	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/internal/script"
)

// TestScenariosOnKafka440 runs every scenario on the broker whose answers the scenarios hold.
func TestScenariosOnKafka440(t *testing.T) { onKafka(t, kafkatest.V4_4_0, script.Kafka440) }

// TestScenariosOnKafka392 runs every scenario on the last broker with the older coordinator; where it differs the
// scenario says so.
func TestScenariosOnKafka392(t *testing.T) { onKafka(t, kafkatest.V3_9_2, script.Kafka392) }

func onKafka(t *testing.T, version kafkatest.Version, name string) {
	if *rewrite && *from != name {
		t.Skipf("rewriting from %s", *from)
	}
	backend := script.Backend{Name: name, Start: func(t testing.TB, settings map[string]string) script.Target {
		var opts []kafkatest.Option
		for property, value := range settings {
			opts = append(opts, kafkatest.With(property, value))
		}
		broker := kafkatest.Start(t, version, opts...)
		return &script.Socket{Addr: broker.Addr(), Prefix: kafkatest.Name(t) + "-"}
	}}
	eachScenario(t, func(t *testing.T, path string) {
		if !script.Alone(t, path) { // those that are run before the parallel ones go on
			t.Parallel()
		}
		script.Run(t, path, backend, *rewrite)
	})
}
