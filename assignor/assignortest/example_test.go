package assignortest_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/joinsync/joinsync/assignor"
	"github.com/joinsync/joinsync/assignor/assignortest"
)

// printing stands for the *testing.T of a test.
type printing struct{}

func (printing) Helper()                           {}
func (printing) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// An assignor that divides each topic among its subscribers, and forgets the remainder.
func ExampleCheck() {
	forgetful := assignor.Simple("forgetful", func(partitions map[string]int, members map[string][]string) (map[string][]assignor.TopicPartition, error) {
		plan := map[string][]assignor.TopicPartition{}
		for topic, count := range partitions {
			var subscribers []string
			for _, member := range slices.Sorted(maps.Keys(members)) {
				if slices.Contains(members[member], topic) {
					subscribers = append(subscribers, member)
				}
			}
			share := count / len(subscribers)
			for p := range share * len(subscribers) {
				member := subscribers[p/share]
				plan[member] = append(plan[member], assignor.TopicPartition{Topic: topic, Partition: p})
			}
		}
		return plan, nil
	})
	assignortest.Check(printing{}, forgetful)
	// Output:
	// assignor "forgetful" fails the check "complete": the plan leaves partitions out: 1 of 1, the first is partition 0 of topic "t0": assign every partition of Problem.Topics to one subscriber
	// 	input: {"topics":[{"name":"t0","parts":1}],"members":[{"id":"m0","subs":["t0"]},{"id":"m1","subs":["t0"]}]}
}
