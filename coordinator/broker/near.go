package broker

import (
	"cmp"
	"slices"
)

// nearest returns the few of the names that are most like a name that somebody typed.
func nearest(typed string, names []string, few int) []string {
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(distance(typed, a), distance(typed, b)) })
	return names[:min(few, len(names))]
}

// maxTyped bounds the work for a name that is none.
const maxTyped = 100

// distance is how many bytes must be added, dropped or changed to turn one name into the other (Levenshtein's).
func distance(a, b string) int {
	a = a[:min(len(a), maxTyped)]
	row := make([]int, len(b)+1) // from the part of a so far to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
