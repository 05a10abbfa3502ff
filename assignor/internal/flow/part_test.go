package flow

import (
	"reflect"
	"testing"
)

// TestPartsLeaveOutWhatNobodyTakes: of nested subscriptions most arcs lead from a source to members that have enough of others.
// Parts with all these would cost as much as the whole graph, each of them.
func TestPartsLeaveOutWhatNobodyTakes(t *testing.T) {
	g := &Graph{
		Members: 3, Supply: []int32{1, 3, 9}, First: []int32{0, 3, 5, 6}, To: []int32{0, 1, 2, 1, 2, 2},
		Held: []int32{0, 1, 0, 0, 1, 5}, Warm: []int32{1, 0, 0, 2, 0, 1}, Far: []bool{true, false, false, false, true, false},
	}
	g.Flow = make([]int32, len(g.To))
	s := newSolver(g)
	s.enter(part{Graph: *g})
	if cut, err := s.solve(t.Context()); !cut || err != nil {
		t.Fatalf("the loads of the whole are even: cut %t, error %v", cut, err)
	}
	high, low := s.split()
	want := []part{{
		Graph:   Graph{Members: 1, Supply: []int32{9}, First: []int32{0, 1}, To: []int32{0}, Held: []int32{5}, Warm: []int32{1}, Far: []bool{false}},
		inWhole: []int32{5},
	}, {
		Graph: Graph{Members: 2, Supply: []int32{1, 3}, First: []int32{0, 2, 3}, To: []int32{0, 1, 1},
			Held: []int32{0, 1, 0}, Warm: []int32{1, 0, 2}, Far: []bool{true, false, false}},
		inWhole: []int32{0, 1, 3},
	}}
	if got := []part{high, low}; !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	s.enter(low)
	if cut, err := s.solve(t.Context()); !cut || err != nil {
		t.Fatalf("the loads of the lower part are even: cut %t, error %v", cut, err)
	}
	if high, low = s.split(); !reflect.DeepEqual([][]int32{high.inWhole, low.inWhole}, [][]int32{{3}, {0}}) {
		t.Errorf("the parts of the lower part have arcs %v and %v of the whole", high.inWhole, low.inWhole)
	}
}
