package script

import (
	"context"
	"maps"
	"net"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
)

// served is the coordinator of this library behind its server, on a network in memory: scripts run on it in a
// testing/synctest bubble, over the wire. The server is closed at the end of the test.
func served(t testing.TB) Backend {
	return Backend{Name: Core, Start: func(s *Script) (Target, error) { return startServer(t, s.Settings()) }}
}

func startServer(t testing.TB, settings map[string]string) (Target, error) {
	t.Helper()
	network := memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})
	config := broker.Config{Listener: network}
	all := map[string]string{"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "100"}
	maps.Copy(all, settings)
	for _, property := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(broker.Properties(), property) {
			return nil, &Unfit{"this library's server has no setting " + property}
		}
		if err := config.Set(property, all[property]); err != nil {
			return nil, err
		}
	}
	b, err := broker.Listen(context.Background(), config)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nobody waits for the answers that are still due
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &Socket{Addr: b.Advertised(), Bubble: synctest.Wait, EndsAtOnce: true, Dial: network.DialContext}, nil
}

// TestScenariosOnServer runs every scenario over the wire, in virtual time.
func TestScenariosOnServer(t *testing.T) {
	if *rewrite {
		t.Skip("the core's answers are the server's")
	}
	eachScenario(t, func(t *testing.T, s *Script) {
		synctest.Test(t, func(t *testing.T) { runScript(t, s, served(t)) })
	})
}
