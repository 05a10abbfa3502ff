package timeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Partitions are partitions by topic, each topic's ascending.
type Partitions map[string][]int32

// Counts are numbers of partitions by topic.
type Counts map[string]int32

// Offsets are offsets by topic and partition.
type Offsets map[string]map[int32]int64

// shownRuns bounds how many runs of partitions, or offsets, are written out of each topic.
const shownRuns = 12

// String writes partitions as "orders 0-2,5, payments 0", or "nothing".
func (p Partitions) String() string {
	var topics []string
	for _, topic := range slices.Sorted(maps.Keys(p)) {
		if len(p[topic]) > 0 {
			topics = append(topics, clean(topic)+" "+runs(p[topic]))
		}
	}
	if len(topics) == 0 {
		return "nothing"
	}
	return strings.Join(topics, ", ")
}

// without are those that are not among others.
func (p Partitions) without(others Partitions) Partitions {
	left := Partitions{}
	for topic, list := range p {
		for _, q := range list {
			if !slices.Contains(others[topic], q) {
				left[topic] = append(left[topic], q)
			}
		}
	}
	return left
}

// runs writes ascending numbers as "0-2,5".
func runs(numbers []int32) string {
	var text strings.Builder
	shown := 0
	for first := 0; first < len(numbers); {
		last := first
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		if shown++; shown > shownRuns {
			fmt.Fprintf(&text, ",… (%d in all)", len(numbers))
			break
		}
		if first > 0 {
			text.WriteByte(',')
		}
		fmt.Fprint(&text, numbers[first])
		if last > first {
			fmt.Fprintf(&text, "-%d", numbers[last])
		}
		first = last + 1
	}
	return text.String()
}

// String writes offsets as "orders 0@26 1@-, payments 0@7", where - is for none, or "nothing".
func (o Offsets) String() string {
	var topics []string
	for _, topic := range slices.Sorted(maps.Keys(o)) {
		var text strings.Builder
		text.WriteString(clean(topic))
		for i, partition := range slices.Sorted(maps.Keys(o[topic])) {
			if i == shownRuns {
				fmt.Fprintf(&text, " … (%d in all)", len(o[topic]))
				break
			}
			if offset := o[topic][partition]; offset >= 0 {
				fmt.Fprintf(&text, " %d@%d", partition, offset)
			} else {
				fmt.Fprintf(&text, " %d@-", partition)
			}
		}
		topics = append(topics, text.String())
	}
	if len(topics) == 0 {
		return "nothing"
	}
	return strings.Join(topics, ", ")
}

// number writes n things: "1 record", "2 records".
func number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// list writes names as "a", "a and b", "a, b and c", and cuts a long one.
func list(names []string) string {
	const shown = 8
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
