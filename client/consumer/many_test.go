package consumer_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
)

// A group of a hundred, through leaves, kills and their expiry, in virtual time.
func TestHundredConsumersThroughLeavesAndKills(t *testing.T) {
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		g := inProcess(t)
		all := map[string]int32{"a": 300, "b": 77, "c": 1}
		for topic, partitions := range all {
			g.create(topic, partitions)
		}
		var crews []*crew
		for range 100 {
			c := g.hire(consumer.Config{Topics: []string{"a", "b", "c"}})
			c.Join(t.Context())
			crews = append(crews, c)
		}
		settle()
		g.wantShared(all, crews...)

		for _, c := range crews[:30] {
			go c.Close(t.Context())
		}
		settle()
		g.wantShared(all, crews[30:]...)

		for _, c := range crews[30:60] {
			c.kill()
		}
		time.Sleep(time.Minute)
		settle()
		g.wantShared(all, crews[60:]...)

		late := g.hire(consumer.Config{Topics: []string{"a", "b", "c"}})
		late.join()
		settle()
		g.wantShared(all, append(crews[60:], late)...)
	})
	t.Logf("took %v", time.Since(began).Round(time.Millisecond))
}

// A thousand members in one process: quick to assemble, two goroutines each when idle.
func TestThousandConsumersInOneProcess(t *testing.T) {
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		g := inProcess(t)
		g.create("a", 2*n)
		before := runtime.NumGoroutine()
		var crews []*crew
		var joins atomic.Int64
		for range n {
			cfg := consumer.Config{Topics: []string{"a"}}
			cfg.Member.Events.Joined = func(client.Joined) { joins.Add(1) }
			c := g.hire(cfg)
			c.Join(t.Context())
			crews = append(crews, c)
		}
		settle()
		g.wantShared(map[string]int32{"a": 2 * n}, crews...)
		if each := float64(runtime.NumGoroutine()-before) / n; each > 2.1 {
			t.Errorf("%.2f goroutines for each idle consumer", each)
		}
		t.Logf("%d joins of %d consumers, %.2f goroutines each", joins.Load(), n, float64(runtime.NumGoroutine()-before)/n)
	})
	t.Logf("took %v", time.Since(began).Round(time.Millisecond))
}
