package sim

// dice draw numbers, all from the one that they begin as (SplitMix64). Each move of a schedule has dice of its own, so that
// a move draws the same whatever moves are taken out around it.
type dice uint64

func (d *dice) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// intN returns a number below n.
func (d *dice) intN(n int) int { return int(d.next() % uint64(n)) }

// oneIn is true once in n throws.
func (d *dice) oneIn(n int) bool { return d.intN(n) == 0 }

func pick[T any](d *dice, choices ...T) T { return choices[d.intN(len(choices))] }
