package group

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestRandomRuns(t *testing.T) {
	runs, steps := uint64(60), 1500
	switch {
	case raced:
		runs = 6
	case testing.Short():
		runs = 20
	}
	for seed := range runs {
		c := newChaos(seeded{t, seed}, rand.New(rand.NewPCG(seed, 1)))
		for range steps {
			c.happen()
		}
		c.leaveAlone()
	}
	t.Logf("%d runs of %d steps", runs, steps)
}

// seeded tells with a failure what seed it came from.
type seeded struct {
	testing.TB
	seed uint64
}

func (s seeded) Helper() {}

func (s seeded) Fatalf(format string, args ...any) {
	s.TB.Fatalf("seed %d: "+format, append([]any{s.seed}, args...)...)
}

func TestSameEventsGiveTheSameOutput(t *testing.T) {
	run := func(seed uint64) []Output {
		c := newChaos(t, rand.New(rand.NewPCG(seed, 2)))
		c.keep = true
		for range 500 {
			c.happen()
		}
		return c.history
	}
	for seed := range uint64(10) {
		first, second := run(seed), run(seed)
		if !reflect.DeepEqual(first, second) {
			t.Fatalf("seed %d gave two outputs", seed)
		}
	}
}

// FuzzStep makes its events of bytes, as TestRandomRuns does of a seed.
func FuzzStep(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &bytesSource{data: data}
		c := newChaos(t, s)
		for n := 0; n < 300 && len(s.data) > 0; n++ {
			c.happen()
		}
		c.leaveAlone()
	})
}

// bytesSource draws from the bytes of a fuzzer, and zeros after them.
type bytesSource struct{ data []byte }

func (s *bytesSource) IntN(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}
