package adapters_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/joinsync/joinsync/assignor"
)

// roll has members of some makes join a group, and then restarts one after the other.
func roll(l *ledger, a assignor.Assignor, crew ...string) {
	l.t.Helper()
	leave := map[string]func(){}
	for _, maker := range crew {
		leave[name(maker, 1)] = makes[maker](l, name(maker, 1), a)
		l.await(a.Name(), slices.Collect(maps.Keys(leave))...)
	}
	for _, maker := range crew {
		leave[name(maker, 1)]()
		next := name(maker, 2)
		if maker == "joinsync" {
			next = name(maker, 1) // it is static: it does not leave, and Kafka goes on to show the client id that it came with
		} else {
			delete(leave, name(maker, 1))
			l.await(a.Name(), slices.Collect(maps.Keys(leave))...)
		}
		leave[next] = makes[maker](l, next, a)
		l.await(a.Name(), slices.Collect(maps.Keys(leave))...)
	}
}

// Ours leads all along, as the groups of kafka-go with other clients need it: see the package comment of kafkagobalancer.
func TestRangeInAllClients(t *testing.T) {
	roll(keep(t), assignor.Range{}, "joinsync", "kgo", "sarama", "kafka-go", "java")
}

// Each of them leads for a while.
func TestRangeWhoeverLeads(t *testing.T) {
	roll(keep(t), assignor.Range{}, "kgo", "sarama", "java")
}

func TestCooperativeSticky(t *testing.T) {
	roll(keep(t), assignor.CooperativeSticky{}, "kgo", "java", "sarama")
}

// kafka-go leads its own kind. When others come it fails to, leaves and comes back, until one of them leads (kafka-go#1196).
func TestKafkaGoLeads(t *testing.T) {
	l := keep(t)
	var members []string
	for _, m := range []struct {
		maker string
		n     int
	}{{"kafka-go", 1}, {"kafka-go", 2}, {"kgo", 1}} {
		members = append(members, name(m.maker, m.n))
		makes[m.maker](l, name(m.maker, m.n), assignor.Range{})
		l.await("range", members...)
	}
}
