package sim

import (
	"errors"
	"testing"

	"github.com/joinsync/joinsync/group"
)

func TestShrinkLeavesWhatBreaksTheRule(t *testing.T) {
	o := Options{Moves: 5000, Check: func(g *group.Group) error {
		if d := g.Describe(); d.State == group.CompletingRebalance && d.Generation == 2 {
			return errors.New("generation 2 has begun")
		}
		return nil
	}}
	_, err := Run(1, o)
	var found *Violation
	if !errors.As(err, &found) {
		t.Fatalf("want a violation, got %v", err)
	}
	short := Shrink(found, o)
	if short.Rule != found.Rule || len(short.Moves) >= len(found.Moves) {
		t.Errorf("%v was shortened to %v", found, short)
	}
	if err := Replay(short, o); err == nil || err.Error() != short.Error() {
		t.Errorf("the short way to %v ends with %v", short, err)
	}
	for i := range short.Moves {
		fewer := *short
		fewer.Moves = append(append([]uint64{}, short.Moves[:i]...), short.Moves[i+1:]...)
		if again := new(Violation); errors.As(Replay(&fewer, o), &again) && again.Rule == short.Rule {
			t.Errorf("move %d of %d is not needed", i, len(short.Moves))
		}
	}
}
