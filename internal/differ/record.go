package differ

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/joinsync/joinsync/internal/script"
)

// atOnce is how many schedules are run at the same time on a reference. Those in which time passes wait for most of theirs;
// with more, they are too slow.
const atOnce = 20

// A run says how a schedule is executed.
type run struct {
	target script.Target
	calm   time.Duration        // see script.NewPlayer
	before func(lines []string) // called before each step; may be nil

	// inTurn says that requests of one step are not sent at once but one after the other: in their order, or where the
	// bit of swapped is set, counted over such steps, in the reverse one. And that a free choice is none: the schedule was
	// recorded without.
	inTurn  bool
	swapped uint
}

// record draws the schedule of a seed and runs it. It ends before a step in which the target has made a free choice.
func (r run) record(ctx context.Context, seed uint64) (schedule, error) {
	g := newGenerator(seed)
	begun := 0
	return r.play(ctx, seed, g.model, func() ([]string, bool) {
		if begun++; begun <= len(setup) {
			return []string{setup[begun-1]}, true
		}
		return g.next()
	})
}

// replay runs the steps of a schedule, and returns it with the answers of this time.
func (r run) replay(ctx context.Context, s schedule) (schedule, error) {
	next := 0
	return r.play(ctx, s.seed, newModel(), func() ([]string, bool) {
		if next++; next <= len(s.steps) {
			return s.steps[next-1].lines, true
		}
		return nil, false
	})
}

// play runs the steps that next returns, and adds the answers. An error makes the run void: the machine was too slow for the
// times of the schedule, or a step speaks of something that has not come about.
func (r run) play(ctx context.Context, seed uint64, m *model, next func() ([]string, bool)) (schedule, error) {
	played := schedule{seed: seed}
	player := script.NewPlayer(ctx, r.target, r.calm)
	defer player.Close()
	for {
		lines, ok := next()
		if !ok {
			return played, nil
		}
		if r.before != nil {
			r.before(lines)
		}
		answers, err := r.step(player, lines)
		if err != nil {
			return played, fmt.Errorf("seed %d: %q: %w", seed, lines, err)
		}
		s := step{lines, answers}
		if m.observe(s) && !r.inTurn {
			return played, nil
		}
		played.steps = append(played.steps, s)
	}
}

// step executes one step. All answers but its own are sorted: their order is nobody's business.
func (r *run) step(player *script.Player, lines []string) (answers []string, err error) {
	own := 0
	switch {
	case len(lines) == 1:
		own = 1
		answers, err = player.Step(lines[0])
	case r.inTurn:
		if r.swapped&1 != 0 {
			lines = slices.Clone(lines)
			slices.Reverse(lines)
		}
		r.swapped >>= 1
		answers, err = player.InTurn(lines...)
	default:
		answers, err = player.Together(lines...)
	}
	for i := range answers {
		answers[i] = normalise(answers[i])
	}
	slices.Sort(answers[min(own, len(answers)):])
	return answers, err
}

var (
	unnamed = regexp.MustCompile(`-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	members = regexp.MustCompile(`members=\[[^\]]*\]`)
)

// normalise takes out of an answer what scripts need not care for, since they have no such steps: doc.go lists it.
func normalise(answer string) string {
	answer = unnamed.ReplaceAllString(answer, "-*")
	return members.ReplaceAllStringFunc(answer, func(m string) string {
		all := entries(strings.TrimPrefix(m, "members="))
		slices.Sort(all)
		return "members=" + list(all...)
	})
}
