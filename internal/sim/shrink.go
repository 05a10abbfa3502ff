package sim

import (
	"errors"
	"slices"
)

// maxTries bounds how often Shrink runs a schedule.
const maxTries = 2000

// Shrink takes out of a violation's moves what is not needed to break the same rule, and returns what is left.
func Shrink(v *Violation, o Options) *Violation {
	tries := 0
	for size := len(v.Moves) / 2; size > 0; size /= 2 {
		for at := 0; at < len(v.Moves) && tries < maxTries; tries++ {
			rest := slices.Concat(v.Moves[:at], v.Moves[min(at+size, len(v.Moves)):])
			_, err := run(v.Seed, rest, o)
			var shorter *Violation
			if errors.As(err, &shorter) && shorter.Rule == v.Rule {
				v = shorter
			} else {
				at += size
			}
		}
	}
	return v
}

// Replay runs the moves of a violation once more.
func Replay(v *Violation, o Options) error {
	_, err := run(v.Seed, v.Moves, o)
	return err
}
