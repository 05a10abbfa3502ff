package main

import (
	"context"
	"errors"

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

// running is a side that was started: a coordinator without groups.
type running struct {
	protocol.Transport
	close func() error
}

// sides are the columns of the table.
var sides = []side{
	{"in process", startInProcess},
	{"served", startServed},
	{"kfake", startKfake},
}

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

func startServed(ctx context.Context) (*running, error) {
	var network kfake.VirtualNetwork
	listener, err := network.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	b, err := broker.Listen(ctx, broker.Config{Listener: listener, Advertise: address, Coordinator: noDelay})
	if err != nil {
		return nil, err
	}
	stop := func() error { return b.Close(context.Background()) }
	return overNetwork(ctx, &network, stop)
}

func startKfake(ctx context.Context) (*running, error) {
	var network kfake.VirtualNetwork
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(network.Listen))
	if err != nil {
		return nil, err
	}
	stop := func() error { cluster.Close(); return nil }
	return overNetwork(ctx, &network, stop)
}

// overNetwork asks what the coordinator serves, and returns the way there.
func overNetwork(ctx context.Context, network *kfake.VirtualNetwork, stop func() error) (*running, error) {
	n := &framed{network: network}
	if err := n.negotiate(ctx); err != nil {
		return nil, errors.Join(err, stop())
	}
	return &running{n, stop}, nil
}
