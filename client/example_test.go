package client_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/joinsync/joinsync/client"
	"github.com/joinsync/joinsync/coordinator"
)

// tenants is a protocol of its own: the members of the group share a fixed list of tenants.
type tenants []string

func (tenants) Type() string           { return "tenants" }
func (tenants) Offers() []client.Offer { return []client.Offer{{Name: "in-turn"}} }

// PerformAssignment deals the tenants out, in the member that leads.
func (t tenants) PerformAssignment(_ context.Context, e client.Election) (map[string][]byte, error) {
	members := slices.Clone(e.Members)
	slices.SortFunc(members, func(a, b client.JoinedMember) int { return strings.Compare(a.ID, b.ID) })
	all := make(map[string][]byte)
	for i, tenant := range t {
		id := members[i%len(members)].ID
		all[id] = fmt.Append(all[id], tenant, " ")
	}
	return all, nil
}

func (tenants) Assigned(_ context.Context, a client.Assignment) error {
	fmt.Println("serving", strings.Fields(string(a.Bytes)))
	return nil
}

func (tenants) Release(_ context.Context, r client.Release) (kept bool) {
	fmt.Println("stopping, lost:", r.Lost)
	return false
}

// A service shares work of its own kind among its replicas: here the tenants that each of them serves.
func Example() {
	ctx := context.Background()
	coord, err := coordinator.New(ctx, coordinator.Config{InitialRebalanceDelay: -1})
	if err != nil {
		log.Fatal(err)
	}
	defer coord.Close()

	m, err := client.New(coord, tenants{"acme", "globex", "initech"}, client.Config{Group: "api"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Join(ctx).Wait(ctx); err != nil {
		log.Fatal(err)
	}
	if err := m.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// serving [acme globex initech]
	// stopping, lost: false
}
