package main

import (
	"context"
	"errors"
	"net"
	"runtime"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/protocol"
)

// A side is one of the coordinators that are compared.
type side struct {
	name  string
	start func(ctx context.Context) (*running, error)
}

// begin starts a side. What was left of the one before is collected, so that it costs this one nothing.
func (s side) begin(ctx context.Context) (*running, error) {
	r, err := s.start(ctx)
	runtime.GC()
	return r, err
}

// running is a side that was started: a coordinator without groups.
type running struct {
	protocol.Transport
	close func() error
}

// Each list is the columns of a table. Over an in-memory network two coordinators show what they are themselves; over TCP
// what a user of them sees.
var (
	inMemory = []side{{"in process", startInProcess}, {"served", servedInMemory}, {"kfake", kfakeInMemory}}
	overTCP  = []side{{"served", servedOverTCP}, {"kfake", kfakeOverTCP}}
)

// address is where a coordinator listens on its in-memory network.
const address = "localhost:9092"

// noDelay makes the first generation complete as soon as its members have joined, as in kfake.
var noDelay = coordinator.Config{InitialRebalanceDelay: -1}

func startInProcess(ctx context.Context) (*running, error) {
	c, err := coordinator.New(ctx, noDelay)
	if err != nil {
		return nil, err
	}
	return &running{c, c.Close}, nil
}

func servedInMemory(ctx context.Context) (*running, error) {
	var network kfake.VirtualNetwork
	listener, err := network.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return served(ctx, broker.Config{Listener: listener, Advertise: address, Coordinator: noDelay}, dialMemory(&network))
}

func servedOverTCP(ctx context.Context) (*running, error) {
	return served(ctx, broker.Config{Addr: "127.0.0.1:0", Coordinator: noDelay}, nil)
}

// served starts our server. A nil dial is one over TCP.
func served(ctx context.Context, config broker.Config, dial dialer) (*running, error) {
	b, err := broker.Listen(ctx, config)
	if err != nil {
		return nil, err
	}
	if dial == nil {
		dial = dialTCP(b.Advertised())
	}
	return overNetwork(ctx, dial, func() error { return b.Close(context.Background()) })
}

func kfakeInMemory(ctx context.Context) (*running, error) {
	var network kfake.VirtualNetwork
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(network.Listen))
	if err != nil {
		return nil, err
	}
	return overNetwork(ctx, dialMemory(&network), func() error { cluster.Close(); return nil })
}

func kfakeOverTCP(ctx context.Context) (*running, error) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		return nil, err
	}
	return overNetwork(ctx, dialTCP(cluster.ListenAddrs()[0]), func() error { cluster.Close(); return nil })
}

func dialMemory(network *kfake.VirtualNetwork) dialer {
	return func(ctx context.Context) (net.Conn, error) { return network.DialContext(ctx, "tcp", address) }
}

func dialTCP(address string) dialer {
	return func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", address) }
}

// overNetwork asks what the coordinator serves, and returns the way there.
func overNetwork(ctx context.Context, dial dialer, stop func() error) (*running, error) {
	n := &framed{dial: dial}
	if err := n.negotiate(ctx); err != nil {
		return nil, errors.Join(err, stop())
	}
	return &running{n, stop}, nil
}
