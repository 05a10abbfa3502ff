package main

import (
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/client/consumer"
	"github.com/joinsync/joinsync/client/kgotransport"
	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/internal/memnet"
	"github.com/joinsync/joinsync/internal/script"
	"github.com/joinsync/joinsync/internal/script/conform"
	"github.com/joinsync/joinsync/testdata"
)

// listen serves on a network in memory until the test ends.
func listen(t *testing.T, config coordinator.Config) *memnet.Listener {
	t.Helper()
	topics := coordinator.FixedTopics{"orders": 6}
	config.Topics = topics
	c, err := coordinator.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	network := memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})
	go (&server{c, topics, "127.0.0.1", 9092}).serve(network)
	t.Cleanup(func() {
		network.Close()
		c.Close()
	})
	return network
}

func TestMembersShareByTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, err := kgotransport.New(kgo.SeedBrokers("127.0.0.1:9092"), kgo.Dialer(listen(t, coordinator.Config{}).DialContext))
		if err != nil {
			t.Fatal(err)
		}
		var joins []*client.Future[consumer.Assignment]
		for _, name := range []string{"anna", "bert"} {
			m, err := consumer.New(transport, consumer.Config{Member: client.Config{Group: "billing", ClientID: name}, Topics: []string{"orders"}})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close(t.Context())
			joins = append(joins, m.Join(t.Context()))
		}
		var got []string
		for _, join := range joins {
			mine, err := join.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(mine.Partitions))
		}
		if want := []string{"[orders-0 orders-1 orders-2]", "[orders-3 orders-4 orders-5]"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// TestTheServerDoesAsKafka runs the scenarios of joins, heartbeats and leaves on it; those that make topics do not fit it.
func TestTheServerDoesAsKafka(t *testing.T) {
	tree, err := fs.Sub(testdata.Scenarios, "scenarios")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := script.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	scripts = slices.DeleteFunc(scripts, func(s *script.Script) bool {
		folder, _, _ := strings.Cut(s.Name(), "/")
		return folder != "join" && folder != "heartbeat" && folder != "leave"
	})
	synctest.Test(t, func(t *testing.T) {
		network := listen(t, coordinator.Config{InitialRebalanceDelay: -1, MinSessionTimeout: 100 * time.Millisecond})
		broker, err := conform.Inspect(t.Context(), conform.Config{Addr: "127.0.0.1:9092", Dial: network.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		agree := 0
		broker.Run(t.Context(), scripts, func(r conform.Result) {
			switch {
			case r.Err != nil || len(r.Differences) > 0:
				t.Errorf("%s: %v %v", r.Script.Name(), r.Differences, r.Err)
			case r.Skipped == "":
				agree++
			}
		})
		if agree < 30 {
			t.Errorf("%d of %d scripts could be run", agree, len(scripts))
		}
		t.Logf("%d of %d scripts agree", agree, len(scripts))
	})
}
