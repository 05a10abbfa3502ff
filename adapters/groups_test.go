package adapters_test

import (
	"slices"
	"testing"
)

// capacities are those of members of each make, for assignors that go by them.
var capacities = map[string]byte{"joinsync": 1, "kgo": 2, "java": 3, "sarama": 2, "kafka-go": 1}

// roll has members join a group, one after the other; then each leaves, and another one of its make comes; then each crashes, the
// leader first.
func roll(l *ledger, crew ...string) {
	l.t.Helper()
	members := map[string]*worker{}
	for _, maker := range crew {
		members[maker] = l.start(maker, 1)
		l.await()
	}
	if leader := l.leads(); leader != members[crew[0]] {
		l.t.Errorf("%s does not lead, although it came first", members[crew[0]].name)
	}
	for _, maker := range crew {
		members[maker].leave()
		if maker != "joinsync" { // which is static
			l.await()
		}
		members[maker] = l.start(maker, 2)
		l.await()
	}
	crashed := map[string]bool{}
	for range crew {
		maker := l.next(crew, crashed)
		crashed[maker] = true
		members[maker].crash()
		if maker != "joinsync" {
			l.await()
		}
		members[maker] = l.start(maker, 3)
		l.await()
	}
}

// next is the make of whose members one crashes next: the leader's, if none of it has crashed yet.
func (l *ledger) next(crew []string, crashed map[string]bool) string {
	if leader := l.leads(); leader != nil && !crashed[leader.maker] {
		return leader.maker
	}
	return crew[slices.IndexFunc(crew, func(maker string) bool { return !crashed[maker] })]
}

// Ours leads all along, as the groups of kafka-go with other clients need it: see the package comment of kafkagobalancer.
func TestRangeInAllClients(t *testing.T) {
	roll(keep(t, "range"), "joinsync", "kgo", "sarama", "kafka-go", "java")
}

// Each of them leads for a while.
func TestRangeWhoeverLeads(t *testing.T) {
	roll(keep(t, "range"), "kgo", "sarama", "java")
}

func TestCooperativeSticky(t *testing.T) {
	roll(keep(t, "cooperative-sticky"), "kgo", "java", "sarama", "joinsync")
}

// kafka-go leads its own kind. When others come it fails to, leaves and comes back, until one of them leads (kafka-go#1196).
func TestKafkaGoLeads(t *testing.T) {
	l := keep(t, "range")
	for n, maker := range []string{"kafka-go", "kafka-go", "kgo"} {
		l.start(maker, n+1)
		l.await()
	}
}
