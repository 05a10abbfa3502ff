package differ

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/joinsync/joinsync/internal/kafkatest"
	"github.com/joinsync/joinsync/internal/script"
)

var (
	steps = flag.Int("steps", 3000, "how many steps to compare, at least")
	seed  = flag.Uint64("seed", 0, "the seed of the first schedule; 0 draws one")

	settings = flag.String("settings", "", "more properties of both brokers, as a=1,b=2")
)

const (
	// quick and careful are how long Kafka is waited for until a request counts as parked: when schedules are recorded, and
	// when a divergence is looked at again.
	quick, careful = 10 * time.Millisecond, 100 * time.Millisecond
	// maxDivergences is how many are shrunk and shown.
	maxDivergences = 5
)

// TestKafkaAndOurServerAgree runs random schedules on Kafka, and then on our server.
func TestKafkaAndOurServerAgree(t *testing.T) {
	kafka := newKafka(t)
	seed := *seed
	if seed == 0 {
		seed = uint64(rand.Uint32())
	}
	t.Logf("the first seed is %d", seed)
	begin := time.Now()
	c := newCoverage()
	ours := func(r run, s schedule) (schedule, error) { return serve(t, r, s, c) }
	total, schedules, misread, invalid, found := 0, 0, 0, 0, 0
	for r := range kafka.record(seed, *steps) {
		if r.err != nil {
			invalid++ // too slow, if r.err does not say otherwise
			t.Log(r.err)
			continue
		}
		schedules++
		total += len(r.schedule.steps)
		d := compare(r.schedule, ours)
		if d == nil || found == maxDivergences {
			continue
		}
		again, err := confirm(d.schedule, kafka.replay, ours, careful, quick, quick, quick)
		if err == nil && again == nil {
			t.Logf("not seen again:\n%v", d)
			misread++
			continue
		}
		found++
		if err != nil {
			t.Errorf("not seen again, since it was too slow: %v\n%v", err, d)
			continue
		}
		again = shrink(again, kafka.replay, ours, 2*quick, 2*time.Minute)
		t.Errorf("Kafka and our server diverge; make differ STEPS=1 SEED=%d SETTINGS=%s\n\n%v", d.schedule.seed, *settings, again)
	}
	t.Logf("%d steps of %d schedules in %v, %d schedules too slow, %d misread%v", total, schedules,
		time.Since(begin).Round(time.Second), invalid, misread, c)
	if invalid > 2+schedules/4 || misread > 2+schedules/50 {
		t.Error("too many schedules could not be compared; is the machine too busy?")
	}
}

// kafka records schedules on a broker.
type kafka struct {
	addr string
	name string
	runs atomic.Int64
}

func newKafka(t *testing.T) *kafka {
	properties := []kafkatest.Option{kafkatest.With("offsets.topic.num.partitions", "1")} // see script.NewPlayer
	for property, value := range parseSettings() {
		properties = append(properties, kafkatest.With(property, value))
	}
	return &kafka{addr: kafkatest.Start(t, kafkatest.V4_4_0, properties...).Addr(), name: kafkatest.Name(t)}
}

// target returns the broker with group ids that no other run has.
func (k *kafka) target() script.Target {
	return &script.Socket{Addr: k.addr, Dial: dial, GroupPrefix: fmt.Sprintf("%s-%d-", k.name, k.runs.Add(1))}
}

func (k *kafka) replay(r run, s schedule) (schedule, error) {
	r.target = k.target()
	return r.replay(context.Background(), s)
}

// recordOne records a schedule, anew while the machine is too slow for it.
func (k *kafka) recordOne(seed uint64) (s schedule, err error) {
	for range 3 {
		s, err = run{target: k.target(), calm: quick}.record(context.Background(), seed)
		if err == nil {
			break
		}
	}
	return s, err
}

// parseSettings reads the flag.
func parseSettings() map[string]string {
	properties := map[string]string{}
	for setting := range strings.SplitSeq(*settings, ",") {
		if property, value, ok := strings.Cut(setting, "="); ok {
			properties[property] = value
		}
	}
	return properties
}

type recorded struct {
	schedule schedule
	err      error
}

// record records schedules with seeds from first on, until they have so many steps.
func (k *kafka) record(first uint64, steps int) <-chan recorded {
	all := make(chan recorded)
	var next, total atomic.Uint64
	var workers sync.WaitGroup
	for range min(atOnce, 1+steps/100) { // one for a single schedule
		workers.Go(func() {
			for total.Load() < uint64(steps) {
				seed := first + next.Add(1) - 1
				s, err := k.recordOne(seed)
				if err == nil {
					total.Add(uint64(len(s.steps)))
				}
				all <- recorded{s, err}
			}
		})
	}
	go func() {
		workers.Wait()
		close(all)
	}()
	return all
}
