package preview

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/joinsync/joinsync/assignor"
)

// answer is what a line gets that could be solved.
type answer struct {
	ID  json.RawMessage       `json:"id,omitempty"`
	Out map[string]Partitions `json:"out"`
	Pre map[string]Partitions `json:"pre,omitempty"`
}

// refusal is what any other line gets.
type refusal struct {
	ID    json.RawMessage `json:"id,omitempty"`
	Error string          `json:"error"`
}

// Cases solves cases, one a line, {"id", "assignor", "in"}, and answers each with a line, in their order: {"id", "out"}, of a
// cooperative assignor also "pre", or {"id", "error"}, which names the line. A bad line stops no other; an empty one gets no
// answer. Choose finds the assignor of a name, "" where the line has none.
//
// One line is in memory at a time, and answers leave whenever there is no more to read at once. It returns how many lines
// were answered, and how many of these by an error; its own error is one of reading, writing or the context.
func Cases(ctx context.Context, in io.Reader, out io.Writer, choose func(name string) (assignor.Assignor, error)) (lines, bad int, err error) {
	r, w := bufio.NewReaderSize(in, 1<<16), bufio.NewWriterSize(out, 1<<16)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := readLine(r)
		if readErr != nil && readErr != io.EOF && readErr != errTooLong {
			return lines, bad, errors.Join(readErr, w.Flush())
		}
		if readErr == errTooLong || len(bytes.TrimSpace(line)) > 0 {
			id, solved, err := solveLine(ctx, line, readErr == errTooLong, choose)
			if ctx.Err() != nil {
				return lines, bad, errors.Join(context.Cause(ctx), w.Flush())
			}
			lines++
			if err == nil {
				err = encoder.Encode(answer{ID: id, Out: solved.Out(), Pre: solved.Pre()})
			} else {
				bad++
				err = encoder.Encode(refusal{ID: id, Error: fmt.Sprintf("line %d: %v", number, err)})
			}
			if err != nil {
				return lines, bad, err
			}
		}
		if r.Buffered() > 0 && readErr != io.EOF {
			continue
		}
		if err := w.Flush(); err != nil || readErr == io.EOF {
			return lines, bad, err
		}
	}
}

// solveLine solves one case.
func solveLine(ctx context.Context, line []byte, tooLong bool, choose func(string) (assignor.Assignor, error)) (json.RawMessage, *Solved, error) {
	if tooLong {
		return nil, nil, errTooLong
	}
	c, faults := readCase(line)
	if len(faults) == 0 && c.In == nil {
		faults = []fault{{path: []any{"in"}, text: "is missing: give an object with topics and members"}}
	}
	if len(faults) > 0 {
		return c.ID, nil, joined(faults, fault.String)
	}
	a, err := choose(c.Assignor)
	if err != nil {
		return c.ID, nil, err
	}
	solved, err := Solve(ctx, a, c.In)
	return c.ID, solved, err
}

var errTooLong = fmt.Errorf("it is longer than %d MiB: split it", MaxInput>>20)

// readLine reads a line. One that is too long is read to its end and forgotten.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for tooLong := false; ; {
		part, err := r.ReadSlice('\n')
		tooLong = tooLong || len(line)+len(part) > MaxInput
		switch {
		case tooLong:
			line = nil
		case line == nil && err == nil:
			return part, nil // of the reader's: good until the next one
		default:
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case tooLong && (err == nil || err == io.EOF):
			return nil, errTooLong
		default:
			return line, err
		}
	}
}
