package differ

import (
	"context"
	"maps"
	"net"
	"testing"
	"testing/synctest"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// serve runs a schedule on our server, and counts what met what if it agrees.
func serve(t *testing.T, r run, s schedule, c *coverage) (played schedule, err error) {
	synctest.Test(t, func(t *testing.T) {
		target := startServer(t)
		r.target = target
		probe, _ := target.Open(t.Context(), protocol.Identity{})
		defer probe.Close()
		var states []string
		r.before = func([]string) { states = append(states, state(probe)) }
		if played, err = r.replay(t.Context(), s); s.divergence(played, err) == nil {
			for i, st := range s.steps {
				c.add(states[i], st)
			}
		}
	})
	return played, err
}

// state asks for the state of the group, which changes nothing.
func state(session protocol.Session) string {
	describe := kmsg.NewPtrDescribeGroupsRequest()
	describe.Groups = []string{"g"}
	resp, err := session.Request(context.Background(), describe)
	if err != nil {
		return err.Error()
	}
	return resp.(*kmsg.DescribeGroupsResponse).Groups[0].State
}

// startServer starts our server in the bubble.
func startServer(t *testing.T) script.Target {
	network := memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})
	config := broker.Config{Listener: network}
	properties := map[string]string{"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "100"}
	maps.Copy(properties, parseSettings())
	for property, value := range properties {
		if err := config.Set(property, value); err != nil {
			t.Fatal(err)
		}
	}
	b, err := broker.Listen(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nobody waits for the answers that are still due
		b.Close(ctx)
	})
	return &script.Socket{Addr: b.Advertised(), Bubble: synctest.Wait, EndsAtOnce: true, Dial: network.DialContext}
}
