package assignor_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/protocol"
)

// TestTooManyRacksAreLeftOut: members choose what rack they say that they are in. With a rack for each of them and of the brokers,
// no two partitions are alike; the plan is then made without racks, and says so.
func TestTooManyRacksAreLeftOut(t *testing.T) {
	const racks, partitions = 400, 60_000
	random := rand.New(rand.NewPCG(1, 1))
	cluster := assignor.Cluster{Racks: map[int32]string{}, Topics: []assignor.Topic{{Name: "t", Partitions: partitions}}}
	var join assignor.Join
	for rack := range int32(racks) {
		cluster.Racks[rack] = fmt.Sprintf("rack-%d", rack)
		s := protocol.NewSubscription("t")
		s.Rack = cluster.Racks[rack]
		join.Members = append(join.Members, joined(fmt.Sprintf("m%d", rack), s.AppendTo(nil)))
	}
	for range partitions {
		cluster.Topics[0].Replicas = append(cluster.Topics[0].Replicas, []int32{random.Int32N(racks), random.Int32N(racks)})
	}
	plan := lead(t, assignor.Sticky{}, join, cluster)
	for m := range racks {
		if plan.Count(m) != partitions/racks {
			t.Fatalf("member %d is assigned %d partitions", m, plan.Count(m))
		}
	}
	if notes := plan.Notes(); len(notes) != 1 || !strings.Contains(notes[0].Text, "racks") {
		t.Errorf("got notes %v", notes)
	}
}
