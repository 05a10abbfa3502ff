package assignor

import "fmt"

// Note tells of something that a member sent wrongly and that was dropped, so that the rest of the group could go on.
// It is made for a log line: this package never logs.
type Note struct {
	Member string // the member's id; empty when the note is about a topic
	Topic  string // the topic; empty when the note is about a member as a whole
	Text   string // what was wrong and what was done about it
}

// String is the note as one line.
func (n Note) String() string {
	switch {
	case n.Member != "" && n.Topic != "":
		return fmt.Sprintf("member %q, topic %q: %s", n.Member, n.Topic, n.Text)
	case n.Member != "":
		return fmt.Sprintf("member %q: %s", n.Member, n.Text)
	case n.Topic != "":
		return fmt.Sprintf("topic %q: %s", n.Topic, n.Text)
	}
	return n.Text
}

// maxNotes bounds what one step keeps of its notes, as their number is in the hands of the peers.
const maxNotes = 100

// notes is a bounded list of notes.
type notes struct {
	kept    []Note
	dropped int
}

func (n *notes) add(note Note) {
	if len(n.kept) == maxNotes {
		n.dropped++
		return
	}
	n.kept = append(n.kept, note)
}

// addAll adds those of another list.
func (n *notes) addAll(o notes) {
	for _, note := range o.kept {
		n.add(note)
	}
	n.dropped += o.dropped
}

// appendTo appends the notes to dst, with one more in the end that counts those not kept.
func (n *notes) appendTo(dst []Note) []Note {
	dst = append(dst, n.kept...)
	if n.dropped > 0 {
		dst = append(dst, Note{Text: fmt.Sprintf("%d more notes of this kind are not listed", n.dropped)})
	}
	return dst
}
