package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/joinsync/joinsync/assignor"
)

// An input is all that a leader knows, the same bytes for every side.
type input struct {
	generation int32
	topics     []assignor.Topic
	members    []assignor.JoinedMember

	// owner is who has each partition before the round, as an index of members; nil in a first round. It is not in the file:
	// the members' metadata tell it.
	owner []int32
}

// nobody is the owner of a partition that no member has.
const nobody = -1

// A sent assignment is what SyncGroup carries to one member.
type sent struct {
	member string
	bytes  []byte
}

// The files that go between the processes hold numbers of four bytes, the highest first, and texts, each after its length.
// An input is its generation, the number of topics, their names and partitions, the number of members, their ids and metadata. A
// plan is the number of members, their ids and assignments.

func (in *input) write(path string) error {
	return writeFile(path, func(w *bufio.Writer) {
		writeNumber(w, int(in.generation))
		writeNumber(w, len(in.topics))
		for _, t := range in.topics {
			writeText(w, []byte(t.Name))
			writeNumber(w, t.Partitions)
		}
		writeNumber(w, len(in.members))
		for _, m := range in.members {
			writeText(w, []byte(m.ID))
			writeText(w, m.Metadata)
		}
	})
}

func readInput(path string) (*input, error) {
	var in input
	err := readFile(path, func(f *fields) {
		in.generation = int32(f.number())
		in.topics = make([]assignor.Topic, f.count())
		for i := range in.topics {
			in.topics[i] = assignor.Topic{Name: string(f.text()), Partitions: f.number()}
		}
		in.members = make([]assignor.JoinedMember, f.count())
		for i := range in.members {
			in.members[i] = assignor.JoinedMember{ID: string(f.text()), Metadata: f.text()}
		}
	})
	return &in, err
}

func writePlan(path string, plan []sent) error {
	return writeFile(path, func(w *bufio.Writer) {
		writeNumber(w, len(plan))
		for _, s := range plan {
			writeText(w, []byte(s.member))
			writeText(w, s.bytes)
		}
	})
}

func readPlan(path string) ([]sent, error) {
	var plan []sent
	err := readFile(path, func(f *fields) {
		plan = make([]sent, f.count())
		for i := range plan {
			plan[i] = sent{string(f.text()), f.text()}
		}
	})
	return plan, err
}

func writeFile(path string, write func(w *bufio.Writer)) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	write(w)
	return errors.Join(w.Flush(), file.Close()) // a Writer keeps its first error
}

func writeNumber(w *bufio.Writer, n int) {
	w.Write(binary.BigEndian.AppendUint32(w.AvailableBuffer(), uint32(n)))
}

func writeText(w *bufio.Writer, text []byte) {
	writeNumber(w, len(text))
	w.Write(text)
}

func readFile(path string, read func(f *fields)) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f := fields{rest: content}
	read(&f)
	if f.err != nil || len(f.rest) > 0 {
		return fmt.Errorf("%s: %d bytes are left over: %w", path, len(f.rest), f.err)
	}
	return nil
}

// fields reads what is in a file. After the first error everything is empty.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) take(n int) []byte {
	if n > len(f.rest) {
		f.rest, f.err = nil, io.ErrUnexpectedEOF
		return nil
	}
	taken := f.rest[:n:n]
	f.rest = f.rest[n:]
	return taken
}

func (f *fields) number() int {
	if b := f.take(4); b != nil {
		return int(binary.BigEndian.Uint32(b))
	}
	return 0
}

// count reads how many entries follow, each of four bytes or more.
func (f *fields) count() int {
	n := f.number()
	if n > len(f.rest)/4 {
		f.rest, f.err = nil, io.ErrUnexpectedEOF
		return 0
	}
	return n
}

func (f *fields) text() []byte { return f.take(f.number()) }
