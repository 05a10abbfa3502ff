package script

import (
	"context"
	"maps"
	"net"
	"slices"
	"testing"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
)

// Served is the coordinator of this library behind its server, on a network in memory: scripts run on it in a
// testing/synctest bubble, over the wire. The server is closed at the end of the test.
var Served = Backend{Name: Core, Start: startServer}

func startServer(t testing.TB, settings map[string]string) Target {
	t.Helper()
	network := memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})
	config := broker.Config{Listener: network}
	all := map[string]string{"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "100"}
	maps.Copy(all, settings)
	for _, property := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(broker.Properties(), property) {
			t.Skipf("this library's server has no setting %s; it has %q", property, broker.Properties())
		}
		if err := config.Set(property, all[property]); err != nil {
			t.Fatal(err)
		}
	}
	b, err := broker.Listen(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nobody waits for the answers that are still due
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &Socket{Addr: b.Advertised(), Bubble: true, Dial: network.DialContext}
}
