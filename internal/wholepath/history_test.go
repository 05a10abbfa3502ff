package wholepath_test

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// never is when a commit returns of which nobody knows what became of it: it may take effect at any time, or not at all.
const never = math.MaxInt64

// clock gives each call and each return a moment of its own, since many happen at the same virtual time.
type clock struct{ ticks atomic.Int64 }

func (c *clock) now() int64 { return c.ticks.Add(1) }

// access is what one operation does to the offset of one partition: it commits it, or is told it.
type access struct {
	partition int32
	commits   bool
	offset    int64
}

// register is the offset of a partition as clients are to see it: as if each commit and fetch happened at one moment
// between its call and its return.
var register = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		partitions := make(map[int32][]porcupine.Operation)
		for _, op := range history {
			at := op.Input.(access).partition
			partitions[at] = append(partitions[at], op)
		}
		var list [][]porcupine.Operation
		for _, ops := range partitions {
			list = append(list, ops)
		}
		return list
	},
	Init: func() any { return int64(0) },
	Step: func(state, input, _ any) (bool, any) {
		a := input.(access)
		return a.commits || a.offset == state.(int64), a.offset
	},
	DescribeOperation: func(input, _ any) string {
		a := input.(access)
		if a.commits {
			return fmt.Sprintf("commit of %d-%d", a.partition, a.offset)
		}
		return fmt.Sprintf("fetch of %d: %d", a.partition, a.offset)
	},
}

// checkLinearizable holds a history of commits and fetches against one register for each partition.
func checkLinearizable(t *testing.T, history []porcupine.Operation) {
	t.Helper()
	seen := make(map[access]bool)
	for _, op := range history {
		if a := op.Input.(access); !a.commits {
			seen[a] = true
		}
	}
	// A commit of which nobody knows, and which nobody has seen, may as well come last: leave it out.
	history = slices.DeleteFunc(history, func(op porcupine.Operation) bool {
		a := op.Input.(access)
		return op.Return == never && !seen[access{a.partition, false, a.offset}]
	})
	switch result, _ := porcupine.CheckOperationsVerbose(register, history, time.Minute); result {
	case porcupine.Illegal:
		t.Error("commits and fetches are not linearizable")
	case porcupine.Unknown:
		t.Errorf("cannot tell within a minute whether %d commits and fetches are linearizable", len(history))
	}
	t.Logf("%d commits and fetches", len(history))
}

func TestRegisterTellsWhatIsLinearizable(t *testing.T) {
	commit := func(offset, call, end int64) porcupine.Operation {
		return porcupine.Operation{Input: access{0, true, offset}, Call: call, Return: end}
	}
	fetch := func(offset, call, end int64) porcupine.Operation {
		return porcupine.Operation{Input: access{0, false, offset}, Call: call, Return: end}
	}
	type history []porcupine.Operation
	for name, test := range map[string]struct {
		history
		linearizable bool
	}{
		"a fetch sees the commit before it":         {history{commit(5, 1, 2), fetch(5, 3, 4)}, true},
		"a fetch sees an older one":                 {history{commit(5, 1, 2), commit(6, 3, 4), fetch(5, 5, 6)}, false},
		"a lost commit takes effect late":           {history{commit(5, 1, never), fetch(0, 2, 3), fetch(5, 4, 5)}, true},
		"a lost commit is seen and then not":        {history{commit(5, 1, never), fetch(5, 2, 3), fetch(0, 4, 5)}, false},
		"of two at a time each may be the last one": {history{commit(5, 1, 4), commit(6, 2, 3), fetch(5, 5, 6)}, true},
	} {
		if got := porcupine.CheckOperations(register, test.history); got != test.linearizable {
			t.Errorf("%s: linearizable is %v", name, got)
		}
	}
}
