package differ

import (
	"flag"
	"sync"
	"testing"
)

var self = flag.Bool("self", false, "compare Kafka with itself")

// TestKafkaAgreesWithItself is for whoever has schedules do something new: what Kafka answers one way and then another is to be
// avoided or normalised, and listed in doc.go.
func TestKafkaAgreesWithItself(t *testing.T) {
	if !*self {
		t.Skip("it tests the schedules and not our server; ask for it with -args -self")
	}
	kafka := newKafka(t)
	again := func(r run, s schedule) (schedule, error) {
		r.calm = quick
		return kafka.replay(r, s)
	}
	recorded := kafka.record(*seed, *steps)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for r := range recorded {
				if r.err != nil {
					continue
				}
				if d := compare(r.schedule, again); d != nil {
					t.Errorf("the second time, Kafka says what stands for the core:\n%v", d)
				}
			}
		})
	}
	workers.Wait()
}
