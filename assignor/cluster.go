package assignor

import (
	"errors"
	"fmt"
	"math"
)

// Cluster is what the leader knows of the topics: the answer to a Metadata request.
type Cluster struct {
	Topics []Topic          // in any order; may hold more than the group subscribes to
	Racks  map[int32]string // rack of each broker that has one, by broker id

	// Offsets fetches offsets for an assignor that goes by them ([Problem.Offsets]). Nil where nobody can.
	Offsets OffsetsFunc
}

// byName checks the topics and indexes them. All faults are reported together.
func (c Cluster) byName() (map[string]*Topic, error) {
	byName := make(map[string]*Topic, len(c.Topics))
	var errs []error
	total := 0
	for i := range c.Topics {
		t := &c.Topics[i]
		switch {
		case byName[t.Name] != nil:
			errs = append(errs, fmt.Errorf("topic %q is in the cluster twice: list each topic once", t.Name))
		case t.Partitions < 0:
			errs = append(errs, fmt.Errorf("topic %q has %d partitions: Partitions must not be negative", t.Name, t.Partitions))
		case t.Replicas != nil && len(t.Replicas) != t.Partitions:
			errs = append(errs, fmt.Errorf("topic %q has %d partitions and the replicas of %d: give Replicas for each, or none",
				t.Name, t.Partitions, len(t.Replicas)))
		case t.Partitions > math.MaxInt32-total:
			errs = append(errs, fmt.Errorf("topic %q brings the number of partitions above %d: leave topics out", t.Name, math.MaxInt32))
		default:
			total += t.Partitions
		}
		byName[t.Name] = t
	}
	return byName, errors.Join(errs...)
}
